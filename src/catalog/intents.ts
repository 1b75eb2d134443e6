import { asc, eq } from 'drizzle-orm'
import type { Db } from './db.ts'
import { intents } from './schema.ts'

type IntentRow = typeof intents.$inferSelect

/** What operations on volume and catalog together have announced and not finished. */
export function intentQueries(db: Db) {
  return {
    all: (): IntentRow[] => db.select().from(intents).orderBy(asc(intents.createdAt), asc(intents.id)).all(),
    insert: (row: IntentRow): void => {
      db.insert(intents).values(row).run()
    },
    remove: (id: string): void => {
      db.delete(intents).where(eq(intents.id, id)).run()
    },
  }
}

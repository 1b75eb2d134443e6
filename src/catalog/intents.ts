import { asc, eq, sql } from 'drizzle-orm'
import { type Db, prepareInsert } from './db.ts'
import { intents } from './schema.ts'

type IntentRow = typeof intents.$inferSelect

/** Queries of the intents: operations on volume and catalog that began and have not finished. */
export function intentQueries(db: Db) {
  const remove = db
    .delete(intents)
    .where(eq(intents.id, sql.placeholder('id')))
    .prepare()
  return {
    all: (): IntentRow[] => db.select().from(intents).orderBy(asc(intents.createdAt), asc(intents.id)).all(),
    insert: prepareInsert(db, intents),
    /** Changes the plan of an intent. */
    update: (id: string, plan: unknown): void => {
      db.update(intents).set({ plan }).where(eq(intents.id, id)).run()
    },
    remove: (id: string): void => {
      remove.run({ id })
    },
  }
}

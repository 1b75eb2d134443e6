import { eq } from 'drizzle-orm'
import type { Db } from './db.ts'
import { instance } from './schema.ts'

/** Queries of the facts about the instance itself. */
export function instanceQueries(db: Db) {
  return {
    get: (name: string): string | undefined =>
      db.select().from(instance).where(eq(instance.name, name)).get()?.value,
    set: (name: string, value: string): void => {
      db.insert(instance)
        .values({ name, value })
        .onConflictDoUpdate({ target: instance.name, set: { value } })
        .run()
    },
  }
}

import { eq, sql } from 'drizzle-orm'
import type { Engine } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { instance } from '../schema/schema.ts'

/** Queries of the facts about the instance itself. */
export function instanceQueries({ db, prepare }: Engine) {
  return {
    get: (name: string): Query<string | undefined> =>
      prepare(db.select().from(instance).where(eq(instance.name, name)))
        .get()
        .into((row) => row?.value),
    set: (name: string, value: string): Query<void> =>
      prepare(
        db
          .insert(instance)
          .values({ name, value })
          .onConflictDoUpdate({ target: instance.name, set: { value: sql`excluded.value` } }),
      ).run(),
  }
}

import { asc, eq, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from './engine.ts'
import type { Query } from './query.ts'
import { intents } from './schema.ts'

type IntentRow = typeof intents.$inferSelect

/** Queries of the intents: operations on volume and catalog that began and have not finished. */
export function intentQueries(engine: Engine) {
  const { db, prepare } = engine
  const remove = prepare(db.delete(intents).where(eq(intents.id, sql.placeholder('id'))))
  return {
    all: (): Query<IntentRow[]> =>
      prepare(db.select().from(intents).orderBy(asc(intents.createdAt), asc(intents.id))).all(),
    insert: prepareInsert(engine, intents).row,
    /** Changes the plan of an intent. */
    update: (id: string, plan: unknown): Query<void> =>
      prepare(db.update(intents).set({ plan }).where(eq(intents.id, id))).run(),
    remove: (id: string): Query<void> => remove.run({ id }),
  }
}

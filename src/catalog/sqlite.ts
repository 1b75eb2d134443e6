import type { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { SQLITE } from './dialect.ts'
import type { Built, Engine, Statement } from './engine.ts'
import { runNow, SqliteQuery } from './query.ts'
import * as schema from './schema.ts'

/** Returns the engine of one connection. Its queries run within the turn of the event loop that asks for them. */
export function sqliteEngine(sqlite: Database): Engine {
  const changes = sqlite.query<{ count: number }, []>('SELECT changes() AS count')
  return {
    db: drizzle(sqlite, { schema }),
    dialect: SQLITE,
    prepare: <All, First>(built: Built<All, First>): Statement<All, First> => {
      const statement = built.prepare()
      return {
        all: (values) => new SqliteQuery(() => statement.all(values)),
        get: (values) => new SqliteQuery(() => statement.get(values)),
        run: (values) =>
          new SqliteQuery(() => {
            statement.run(values)
          }),
        each: (all) =>
          new SqliteQuery(() => {
            for (const values of all) statement.run(values)
          }),
        change: (values) =>
          new SqliteQuery(() => {
            // The number that the statement itself returns includes rows changed by triggers.
            statement.run(values)
            return changes.get()?.count ?? 0
          }),
      }
    },
    body: (work) => new SqliteQuery(() => runNow(work())),
  }
}

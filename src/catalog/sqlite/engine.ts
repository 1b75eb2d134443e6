import type { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { SQLITE } from '../engine/dialect.ts'
import type { Built, Engine, Statement, Values } from '../engine/engine.ts'
import type { Query, Steps, Work } from '../engine/query.ts'
import * as schema from '../schema/schema.ts'

/** A query on SQLite, which runs within the call of `run`. */
export class SqliteQuery<Value> implements Query<Value> {
  readonly run: () => Value

  constructor(run: () => Value) {
    this.run = run
  }

  into<Result>(convert: (value: Value) => Result): Query<Result> {
    return new SqliteQuery(() => convert(this.run()))
  }

  // biome-ignore lint/suspicious/noThenProperty: `await` is how a caller runs one query.
  then<Result1 = Value, Result2 = never>(
    onFulfilled?: ((value: Value) => Result1 | PromiseLike<Result1>) | null,
    onRejected?: ((reason: unknown) => Result2 | PromiseLike<Result2>) | null,
  ): Promise<Result1 | Result2> {
    return new Promise<Value>((resolve) => resolve(this.run())).then(onFulfilled, onRejected)
  }

  // biome-ignore lint/correctness/useYield: it runs at once within a body that delegates to it.
  *[Symbol.iterator](): Work<Value> {
    return this.run()
  }
}

/** Runs a query on SQLite, or a body of them, before it returns. */
export function runNow<Value>(steps: Steps<Value>): Value {
  if (steps instanceof SqliteQuery) return steps.run()
  const body = steps[Symbol.iterator]()
  let step = body.next()
  while (!step.done) {
    let result: unknown
    try {
      result = step.value instanceof SqliteQuery ? step.value.run() : runNow(step.value)
    } catch (error) {
      step = body.throw(error)
      continue
    }
    step = body.next(result)
  }
  return step.value
}

/** Returns the engine of one connection. Its queries run within the turn of the event loop that asks for them. */
export function sqliteEngine(sqlite: Database): Engine {
  const changes = sqlite.query<{ count: number }, []>('SELECT changes() AS count')
  return {
    db: drizzle(sqlite, { schema }),
    dialect: SQLITE,
    prepare: <All, First>(built: Built<All, First>): Statement<All, First> => {
      const statement = built.prepare()
      const change = (values?: Values): number => {
        // The number that the statement itself returns includes rows changed by triggers.
        statement.run(values)
        return changes.get()?.count ?? 0
      }
      return {
        text: statement.getQuery().sql,
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
        change: (values) => new SqliteQuery(() => change(values)),
        changeEach: (all) => new SqliteQuery(() => all.reduce((sum, values) => sum + change(values), 0)),
      }
    },
    body: (work) => new SqliteQuery(() => runNow(work())),
  }
}

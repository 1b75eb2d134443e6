import type { Database, Statement as SqliteStatement } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { SQLITE } from '../engine/dialect.ts'
import { type Built, type Engine, noteOfWrite, type Owes, type Statement } from '../engine/engine.ts'
import { type Note, Notes } from '../engine/notes.ts'
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
export function sqliteEngine(sqlite: Database, notes = new Notes(), owes: Owes = 'nothing'): Engine {
  let changes: SqliteStatement<{ count: number }, []> | undefined
  /** Returns the changed rows of the last statement: the number that it returns includes rows changed by triggers. */
  const changed = (): number => {
    changes ??= sqlite.query('SELECT changes() AS count')
    return changes.get()?.count ?? 0
  }
  const prepare = <All, First>(built: Built<All, First>): Statement<All, First> => {
    let prepared: ReturnType<typeof built.prepare> | undefined
    let note: Note | undefined
    const query = <Value>(run: (statement: ReturnType<typeof built.prepare>) => Value): Query<Value> =>
      new SqliteQuery(() => {
        if (!prepared) {
          prepared = built.prepare()
          note = noteOfWrite(prepared.getQuery().sql)
        }
        const value = run(prepared)
        if (note) notes.note(note)
        return value
      })
    return {
      all: (values) => query((statement) => statement.all(values)),
      get: (values) => query((statement) => statement.get(values)),
      run: (values) => query((statement) => void statement.run(values)),
      each: (all) =>
        query((statement) => {
          for (const values of all) statement.run(values)
        }),
      change: (values) =>
        query((statement) => {
          statement.run(values)
          return changed()
        }),
      changeEach: (all) =>
        query((statement) => {
          let sum = 0
          for (const values of all) {
            statement.run(values)
            sum += changed()
          }
          return sum
        }),
    }
  }
  return {
    db: drizzle(sqlite, { schema }),
    dialect: SQLITE,
    ...{ notes, owes },
    prepare,
    body: (work) => new SqliteQuery(() => runNow(work())),
  }
}

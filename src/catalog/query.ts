/** Body of several queries, in which `yield*` runs each and returns its result. */
export type Work<Value> = Generator<Query<unknown>, Value, unknown>

/**
 * A query that has not run. `await` runs it alone, `yield*` within the body of a transaction; dropped, it never runs.
 * A body may run more than once, and every engine drives it in its own way: SQLite in one turn of the event loop.
 */
export interface Query<Value> extends PromiseLike<Value> {
  [Symbol.iterator](): Work<Value>
}

/** One query, or a body of several. */
export type Steps<Value> = Query<Value> | Work<Value>

/** A table's functions, each returning a query that calls it. */
export type Deferred<Table> = {
  [Name in keyof Table]: Table[Name] extends (...args: infer Args) => infer Value
    ? (...args: Args) => Query<Value>
    : never
}

/** A query on SQLite, which responds at once. */
class SqliteQuery<Args extends never[], Value> implements Query<Value> {
  readonly #call: (...args: Args) => Value
  readonly #args: Args

  constructor(call: (...args: Args) => Value, ...args: Args) {
    this.#call = call
    this.#args = args
  }

  run(): Value {
    return this.#call(...this.#args)
  }

  // biome-ignore lint/suspicious/noThenProperty: `await` is how a caller runs one query.
  then<Result1 = Value, Result2 = never>(
    onFulfilled?: ((value: Value) => Result1 | PromiseLike<Result1>) | null,
    onRejected?: ((reason: unknown) => Result2 | PromiseLike<Result2>) | null,
  ): Promise<Result1 | Result2> {
    return new Promise<Value>((resolve) => resolve(this.run())).then(onFulfilled, onRejected)
  }

  *[Symbol.iterator](): Work<Value> {
    // `runNow` resumes with the result of what was yielded.
    return (yield this) as Value
  }
}

/** Returns `table` with functions that return queries in place of results. */
export function deferred<Table extends Record<string, (...args: never[]) => unknown>>(
  table: Table,
): Deferred<Table> {
  const queries = Object.entries(table).map(([name, run]) => [
    name,
    (...args: never[]) => new SqliteQuery(run, ...args),
  ])
  return Object.fromEntries(queries)
}

/** Runs a query, or a body of them, before it returns. */
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

/** Returns the steps of a body that has its result without a query. */
export const done = <Value>(value: Value): Steps<Value> => new SqliteQuery(() => value)

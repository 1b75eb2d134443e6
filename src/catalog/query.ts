/** Body of several queries, in which `yield*` runs each and returns its result. */
export type Work<Value> = Generator<Query<unknown>, Value, unknown>

/**
 * A query that has not run. `await` runs it alone, `yield*` within the body of a transaction; dropped, it never runs.
 * A body may run more than once, and every engine drives it in its own way: SQLite in one turn of the event loop.
 */
export interface Query<Value> extends PromiseLike<Value> {
  [Symbol.iterator](): Work<Value>
  /** Returns this query with its result converted. `convert` is called each time that the query has run. */
  into<Result>(convert: (value: Value) => Result): Query<Result>
}

/** One query, or a body of several. */
export type Steps<Value> = Query<Value> | Work<Value>

/** Runs the steps of `work` in a transaction, and resolves with their result once the commit is durable. */
export type Transact = <Value>(
  work: () => Steps<Value>,
  options?: {
    /** True when folders change their keys: no file is published by the old ones meanwhile. */
    movesFolders?: boolean
  },
) => Promise<Value>

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

  *[Symbol.iterator](): Work<Value> {
    // `runNow` resumes with the result of what was yielded.
    return (yield this) as Value
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

/** Returns the steps of a body that has its result without a query. */
// biome-ignore lint/correctness/useYield: it has no query to yield.
export function* done<Value>(value: Value): Work<Value> {
  return value
}

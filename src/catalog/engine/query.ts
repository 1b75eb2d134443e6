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
    /** True when no file may be published meanwhile, because folders change their keys, or a default changes. */
    stopsUploads?: boolean
  },
) => Promise<Value>

/** Returns the steps of a body that has its result without a query. */
// biome-ignore lint/correctness/useYield: it has no query to yield.
export function* done<Value>(value: Value): Work<Value> {
  return value
}

/** Error of a commit that may or may not be durable. Nothing may be rolled back; the process stops. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome'
}

import { and, eq } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { recoveryCodes } from '../schema/schema.ts'

/** Queries of the accounts' recovery codes, found by their hash. */
export function recoveryCodeQueries(engine: Engine) {
  const { body } = engine
  const rows = rowsOf(engine, recoveryCodes)
  const ofUser = (userId: string) => eq(recoveryCodes.userId, userId)
  const { rows: insert } = prepareInsert(engine, recoveryCodes)
  return {
    countOf: (userId: string) => rows.count(ofUser(userId)),
    /** Gives an account these codes in place of those that it had. */
    replace: (userId: string, hashes: readonly string[]): Query<void> =>
      body(function* () {
        yield* rows.remove(ofUser(userId)).run()
        yield* insert(hashes.map((codeHash) => ({ userId, codeHash })))
      }),
    /** Removes a code. Of two requests with one code, one gets true. */
    use: (userId: string, codeHash: string): Query<boolean> =>
      rows
        .remove(and(ofUser(userId), eq(recoveryCodes.codeHash, codeHash)))
        .change()
        .into((removed) => removed > 0),
  }
}

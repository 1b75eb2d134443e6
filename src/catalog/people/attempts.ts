import { eq, lte, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { attempts } from '../schema/schema.ts'

export type AttemptRow = typeof attempts.$inferSelect

/** Queries of sign-ins that have begun, found by the hash of their token. */
export function attemptQueries(engine: Engine) {
  const { db, prepare } = engine
  const rows = rowsOf(engine, attempts)
  const byToken = (tokenHash: string) => eq(attempts.tokenHash, tokenHash)
  return {
    insert: prepareInsert(engine, attempts).row,
    /** Makes the row of a token that is used once. Returns false when it was used before. */
    claim: (row: Pick<AttemptRow, 'tokenHash' | 'kind' | 'expiresAt'>): Query<boolean> =>
      prepare(
        db
          .insert(attempts)
          .values({ ...row, userId: null, data: {}, wrong: 0 })
          .onConflictDoNothing(),
      )
        .change()
        .into((rows) => rows > 0),
    byToken: (tokenHash: string) => rows.select(byToken(tokenHash)).get(),
    /** Removes an attempt and returns it: of two requests that end it at the same moment, one gets it. */
    take: (tokenHash: string) => rows.take(byToken(tokenHash)).get(),
    /** Counts a try before it is judged, and returns the attempt. */
    count: (tokenHash: string): Query<AttemptRow | undefined> =>
      prepare(
        db
          .update(attempts)
          .set({ wrong: sql`${attempts.wrong} + 1` })
          .where(byToken(tokenHash))
          .returning(),
      ).get(),
    /** Removes up to `limit` attempts that have expired at `now` and returns how many. */
    removeExpired: (now: number, limit: number) => rows.removeSome(lte(attempts.expiresAt, now), limit),
  }
}

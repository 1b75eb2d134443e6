import { and, eq, gt, lte } from 'drizzle-orm'
import { countRows, type Engine, hasRow, prepareInsert, removeSome } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { trustedDevices } from '../schema/schema.ts'

/** Queries of the browsers that skip the second step. */
export function trustedDeviceQueries(engine: Engine) {
  const { db, prepare } = engine
  const open = (userId: string, now: number) =>
    and(eq(trustedDevices.userId, userId), gt(trustedDevices.expiresAt, now))
  return {
    insert: prepareInsert(engine, trustedDevices).row,
    /** Returns true if the token is that of a device that the account trusts at `now`. */
    has: (userId: string, tokenHash: string, now: number): Query<boolean> =>
      hasRow(engine, trustedDevices, and(open(userId, now), eq(trustedDevices.tokenHash, tokenHash))),
    countOf: (userId: string, now: number): Query<number> =>
      countRows(engine, trustedDevices, open(userId, now)),
    removeOfUser: (userId: string): Query<number> =>
      prepare(db.delete(trustedDevices).where(eq(trustedDevices.userId, userId))).change(),
    /** Removes up to `limit` devices that have expired at `now` and returns how many. */
    removeExpired: (now: number, limit: number): Query<number> =>
      removeSome(engine, trustedDevices.id, { which: lte(trustedDevices.expiresAt, now), limit }),
  }
}

import { and, eq, gt, lte } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import { rowsOf } from '../engine/rows.ts'
import { trustedDevices } from '../schema/schema.ts'

/** Queries of the browsers that skip the second step. */
export function trustedDeviceQueries(engine: Engine) {
  const rows = rowsOf(engine, trustedDevices)
  const open = (userId: string, now: number) =>
    and(eq(trustedDevices.userId, userId), gt(trustedDevices.expiresAt, now))
  return {
    insert: prepareInsert(engine, trustedDevices).row,
    /** Returns true if the token is that of a device that the account trusts at `now`. */
    has: (userId: string, tokenHash: string, now: number) =>
      rows.has(and(open(userId, now), eq(trustedDevices.tokenHash, tokenHash))),
    countOf: (userId: string, now: number) => rows.count(open(userId, now)),
    removeOfUser: (userId: string) => rows.remove(eq(trustedDevices.userId, userId)).change(),
    /** Removes up to `limit` devices that have expired at `now` and returns how many. */
    removeExpired: (now: number, limit: number) => rows.removeSome(lte(trustedDevices.expiresAt, now), limit),
  }
}

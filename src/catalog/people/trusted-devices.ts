import { and, count, eq, gt, inArray, lte } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { trustedDevices } from '../schema/schema.ts'

export type TrustedDeviceRow = typeof trustedDevices.$inferSelect

/** Queries of the browsers that skip the second step. */
export function trustedDeviceQueries(engine: Engine) {
  const { db, prepare } = engine
  const open = (userId: string, now: number) =>
    and(eq(trustedDevices.userId, userId), gt(trustedDevices.expiresAt, now))
  return {
    insert: prepareInsert(engine, trustedDevices).row,
    /** Returns true if the token is that of a device that the account trusts at `now`. */
    has: (userId: string, tokenHash: string, now: number): Query<boolean> =>
      prepare(
        db
          .select({ id: trustedDevices.id })
          .from(trustedDevices)
          .where(and(open(userId, now), eq(trustedDevices.tokenHash, tokenHash))),
      )
        .get()
        .into((row) => row !== undefined),
    countOf: (userId: string, now: number): Query<number> =>
      prepare(db.select({ count: count() }).from(trustedDevices).where(open(userId, now)))
        .get()
        .into((row) => row?.count ?? 0),
    removeOfUser: (userId: string): Query<number> =>
      prepare(db.delete(trustedDevices).where(eq(trustedDevices.userId, userId))).change(),
    /** Removes up to `limit` devices that have expired at `now` and returns how many. */
    removeExpired: (now: number, limit: number): Query<number> => {
      const some = db
        .select({ id: trustedDevices.id })
        .from(trustedDevices)
        .where(lte(trustedDevices.expiresAt, now))
        .limit(limit)
      return prepare(db.delete(trustedDevices).where(inArray(trustedDevices.id, some))).change()
    },
  }
}

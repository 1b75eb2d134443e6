import { and, eq, gt, lte } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { deviceCodes } from '../schema/schema.ts'

export type DeviceCodeRow = typeof deviceCodes.$inferSelect

/** Queries of programs that wait for a person's approval. */
export function deviceCodeQueries(engine: Engine) {
  const { db, prepare } = engine
  const rows = rowsOf(engine, deviceCodes)
  const ofDevice = (deviceHash: string) => eq(deviceCodes.deviceHash, deviceHash)
  /** Selects those without an answer. */
  const waiting = (userHash: string, now: number) =>
    and(eq(deviceCodes.userHash, userHash), eq(deviceCodes.state, 'pending'), gt(deviceCodes.expiresAt, now))
  return {
    insert: prepareInsert(engine, deviceCodes).row,
    byDevice: (deviceHash: string) => rows.select(ofDevice(deviceHash)).get(),
    /** Returns the program with this code that still waits at `now`. */
    waiting: (userHash: string, now: number) => rows.select(waiting(userHash, now)).get(),
    /** Records a poll. */
    poll: (deviceHash: string, polledAt: number) => rows.update({ polledAt }, ofDevice(deviceHash)).run(),
    /** Answers a program that waits at `now`, and returns it: of two answers, one counts. */
    answer: (
      userHash: string,
      { state, userId, now }: { state: 'approved' | 'denied'; userId: string; now: number },
    ): Query<DeviceCodeRow | undefined> =>
      prepare(db.update(deviceCodes).set({ state, userId }).where(waiting(userHash, now)).returning()).get(),
    /** Removes a program and returns it: of two requests with one code, one gets it. */
    take: (deviceHash: string) => rows.take(ofDevice(deviceHash)).get(),
    /** Removes up to `limit` that have expired at `now` and returns how many. */
    removeExpired: (now: number, limit: number) => rows.removeSome(lte(deviceCodes.expiresAt, now), limit),
  }
}

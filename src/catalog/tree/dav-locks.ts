import { asc, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { davLocks } from '../schema/schema.ts'

export type DavLockRow = typeof davLocks.$inferSelect

/** Queries of the locks of WebDAV clients. */
export function davLockQueries(engine: Engine) {
  const { db, prepare } = engine
  const valid = prepare(
    db
      .select()
      .from(davLocks)
      .where(gt(davLocks.expiresAt, sql.placeholder('now')))
      .orderBy(asc(davLocks.expiresAt)),
  )
  return {
    /** Returns all locks that have not ended. */
    valid: (now: number): Query<DavLockRow[]> => valid.all({ now }),
    insert: prepareInsert(engine, davLocks).row,
    refresh: ({ token, timeoutMs, expiresAt }: DavLockRow): Query<void> =>
      prepare(db.update(davLocks).set({ timeoutMs, expiresAt }).where(eq(davLocks.token, token))).run(),
    remove: (tokens: readonly string[]): Query<void> =>
      prepare(db.delete(davLocks).where(inArray(davLocks.token, [...tokens]))).run(),
    removeEnded: (now: number): Query<void> =>
      prepare(db.delete(davLocks).where(lte(davLocks.expiresAt, now))).run(),
  }
}

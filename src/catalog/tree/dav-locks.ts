import { asc, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { davLocks } from '../schema/schema.ts'

export type DavLockRow = typeof davLocks.$inferSelect

/** Queries of the locks of WebDAV clients. */
export function davLockQueries(engine: Engine) {
  const rows = rowsOf(engine, davLocks)
  const valid = rows.select(gt(davLocks.expiresAt, sql.placeholder('now')), {
    order: [asc(davLocks.expiresAt)],
  })
  return {
    /** Returns all locks that have not ended. */
    valid: (now: number): Query<DavLockRow[]> => valid.all({ now }),
    insert: prepareInsert(engine, davLocks).row,
    refresh: ({ token, timeoutMs, expiresAt }: DavLockRow) =>
      rows.update({ timeoutMs, expiresAt }, eq(davLocks.token, token)).run(),
    remove: (tokens: readonly string[]) => rows.remove(inArray(davLocks.token, [...tokens])).run(),
    removeEnded: (now: number) => rows.remove(lte(davLocks.expiresAt, now)).run(),
  }
}

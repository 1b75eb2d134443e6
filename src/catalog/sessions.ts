import { count, eq, gt, lte, sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import { sessions } from './schema.ts'

export type SessionRow = typeof sessions.$inferSelect

/** The catalog's sessions, found by the hash of their token. */
export function sessionQueries(db: Db) {
  const byTokenHash = db
    .select()
    .from(sessions)
    .where(eq(sessions.tokenHash, sql.placeholder('tokenHash')))
    .prepare()
  return {
    byTokenHash: (tokenHash: string): SessionRow | undefined => byTokenHash.get({ tokenHash }),
    /** How many sessions of all accounts have not expired at `now`. */
    countOpen: (now: number): number =>
      db.select({ count: count() }).from(sessions).where(gt(sessions.expiresAt, now)).get()?.count ?? 0,
    insert: (row: SessionRow): void => {
      db.insert(sessions).values(row).run()
    },
    extend: (id: string, times: { usedAt: number; expiresAt: number }): void => {
      db.update(sessions).set(times).where(eq(sessions.id, id)).run()
    },
    remove: (id: string): void => {
      db.delete(sessions).where(eq(sessions.id, id)).run()
    },
    /** Removes the sessions that had expired at `now`. */
    removeExpired: (now: number): void => {
      db.delete(sessions).where(lte(sessions.expiresAt, now)).run()
    },
  }
}

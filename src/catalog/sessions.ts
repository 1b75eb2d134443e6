import { and, count, desc, eq, gt, inArray, lte, ne, sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import { sessions, users } from './schema.ts'
import type { UserRow } from './users.ts'

export type SessionRow = typeof sessions.$inferSelect

/** Maximum length of a list of sessions. An account has few, unless a program signs in again and again. */
const MAX_LISTED = 500

/** Queries of the catalog's sessions, found by the hash of their token. */
export function sessionQueries(db: Db) {
  const withOwner = db
    .select({ session: sessions, user: users })
    .from(sessions)
    .innerJoin(users, and(eq(users.id, sessions.userId), eq(users.deleted, false)))
    .where(eq(sessions.tokenHash, sql.placeholder('tokenHash')))
    .prepare()
  const touch = db
    .update(sessions)
    .set({ usedAt: sql`${sql.placeholder('usedAt')}` })
    .where(eq(sessions.id, sql.placeholder('id')))
    .prepare()
  return {
    /** Returns a session with its account. */
    withOwner: (tokenHash: string): { session: SessionRow; user: UserRow } | undefined =>
      withOwner.get({ tokenHash }),
    /** Counts the sessions of all accounts that have not expired at `now`. */
    countOpen: (now: number): number =>
      db.select({ count: count() }).from(sessions).where(gt(sessions.expiresAt, now)).get()?.count ?? 0,
    insert: (row: SessionRow): void => {
      db.insert(sessions).values(row).run()
    },
    /** Returns an account's session, unless it had expired at `now`. */
    own: (userId: string, id: string, now: number): SessionRow | undefined =>
      db
        .select()
        .from(sessions)
        .where(and(eq(sessions.id, id), eq(sessions.userId, userId), gt(sessions.expiresAt, now)))
        .get(),
    /**
     * Returns up to `MAX_LISTED` of an account's sessions that had not expired at `now`, most recently used
     * first.
     */
    ofUser: (userId: string, now: number): SessionRow[] =>
      db
        .select()
        .from(sessions)
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now)))
        .orderBy(desc(sessions.usedAt), desc(sessions.createdAt), desc(sessions.id))
        .limit(MAX_LISTED)
        .all(),
    extend: (id: string, expiresAt: number): void => {
      db.update(sessions).set({ expiresAt }).where(eq(sessions.id, id)).run()
    },
    touch: (id: string, usedAt: number): void => {
      touch.run({ id, usedAt })
    },
    remove: (id: string): void => {
      db.delete(sessions).where(eq(sessions.id, id)).run()
    },
    /** Removes an account's sessions, all or all but one. */
    removeOfUser: (userId: string, exceptId?: string): void => {
      const others = exceptId === undefined ? undefined : ne(sessions.id, exceptId)
      db.delete(sessions)
        .where(and(eq(sessions.userId, userId), others))
        .run()
    },
    /** Removes up to `limit` sessions of an account, except `newest` and the `kept` most recently used. */
    removeOldest: (
      { userId, id: newest }: SessionRow,
      { kept, limit }: { kept: number; limit: number },
    ): void => {
      const oldest = db
        .select({ id: sessions.id })
        .from(sessions)
        .where(and(eq(sessions.userId, userId), ne(sessions.id, newest)))
        .orderBy(desc(sessions.usedAt), desc(sessions.createdAt), desc(sessions.id))
        .limit(limit)
        .offset(kept)
      db.delete(sessions).where(inArray(sessions.id, oldest)).run()
    },
    /** Removes up to `limit` of an account's sessions, except one, and returns how many. */
    removeOthers: (userId: string, exceptId: string, limit: number): number => {
      const some = db
        .select({ id: sessions.id })
        .from(sessions)
        .where(and(eq(sessions.userId, userId), ne(sessions.id, exceptId)))
        .limit(limit)
      return db.delete(sessions).where(inArray(sessions.id, some)).returning({ id: sessions.id }).all().length
    },
    removeAll: (): void => {
      db.delete(sessions).run()
    },
    /** Removes up to `limit` sessions that have expired at `now` and returns how many. */
    removeExpired: (now: number, limit: number): number => {
      const some = db
        .select({ id: sessions.id })
        .from(sessions)
        .where(lte(sessions.expiresAt, now))
        .limit(limit)
      return db.delete(sessions).where(inArray(sessions.id, some)).returning({ id: sessions.id }).all().length
    },
  }
}

import { and, desc, eq, gt, inArray, isNull, lte, ne, or, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { sessions, users } from '../schema/schema.ts'
import type { UserRow } from './users.ts'

export type SessionRow = typeof sessions.$inferSelect

/** Maximum length of a list of sessions. An account has few, unless a program signs in again and again. */
const MAX_LISTED = 500

/** Queries of sessions. */
function sessionLookups(engine: Engine) {
  const { db, dialect, prepare } = engine
  const rows = rowsOf(engine, sessions)
  const withOwner = prepare(
    db
      .select({ session: sessions, user: users })
      .from(sessions)
      .innerJoin(users, and(eq(users.id, sessions.userId), sql`${users.deleted} = 0`))
      .where(eq(sessions.tokenHash, dialect.anyValue(sql.placeholder('tokenHash')))),
  )
  return {
    /** Returns a session with its account. */
    withOwner: (tokenHash: string): Query<{ session: SessionRow; user: UserRow } | undefined> =>
      withOwner.get({ tokenHash }),
    /** Counts the sessions of all accounts that have not expired at `now`. */
    countOpen: (now: number) => rows.count(gt(sessions.expiresAt, now)),
    /** Returns an account's session, unless it had expired at `now`. */
    own: (userId: string, id: string, now: number) =>
      rows.select(and(eq(sessions.id, id), eq(sessions.userId, userId), gt(sessions.expiresAt, now))).get(),
    /**
     * Returns up to `MAX_LISTED` of an account's sessions that had not expired at `now`, most recently used
     * first.
     */
    ofUser: (userId: string, now: number) =>
      rows
        .select(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now)), {
          order: [desc(sessions.usedAt), desc(sessions.createdAt), desc(sessions.id)],
          limit: MAX_LISTED,
        })
        .all(),
  }
}

/** Changes of sessions. */
function sessionChanges(engine: Engine) {
  const { db, prepare } = engine
  const rows = rowsOf(engine, sessions)
  const usedAt = sql.placeholder('usedAt')
  const touch = prepare(
    db
      .update(sessions)
      // Another server may have saved a later use.
      .set({
        usedAt: sql`CASE WHEN ${sessions.usedAt} > ${usedAt} THEN ${sessions.usedAt} ELSE ${usedAt} END`,
      })
      .where(eq(sessions.id, sql.placeholder('id'))),
  )
  return {
    insert: prepareInsert(engine, sessions).row,
    extend: (id: string, expiresAt: number) => rows.update({ expiresAt }, eq(sessions.id, id)).run(),
    touch: (id: string, usedAt: number): Query<void> => touch.run({ id, usedAt }),
    /** Keeps when its owner last gave proof of identity. */
    confirm: (id: string, confirmedAt: number) => rows.update({ confirmedAt }, eq(sessions.id, id)).run(),
  }
}

/** Removals of sessions. */
function sessionRemovals(engine: Engine) {
  const { db, prepare } = engine
  const rows = rowsOf(engine, sessions)
  return {
    remove: (id: string) => rows.remove(eq(sessions.id, id)).run(),
    /** Removes an account's sessions, all or all but one. */
    removeOfUser: (userId: string, exceptId?: string): Query<void> => {
      const others = exceptId === undefined ? undefined : ne(sessions.id, exceptId)
      return rows.remove(and(eq(sessions.userId, userId), others)).run()
    },
    /** Removes up to `limit` sessions of an account, except `newest` and the `kept` most recently used. */
    removeOldest: (
      { userId, id: newest }: SessionRow,
      { kept, limit }: { kept: number; limit: number },
    ): Query<void> => {
      const oldest = db
        .select({ id: sessions.id })
        .from(sessions)
        .where(and(eq(sessions.userId, userId), ne(sessions.id, newest)))
        .orderBy(desc(sessions.usedAt), desc(sessions.createdAt), desc(sessions.id))
        .limit(limit)
        .offset(kept)
      return rows.remove(inArray(sessions.id, oldest)).run()
    },
    /**
     * Removes the sessions that began with a session of the provider, and those of an account whose session there is not
     * known; without a session, all of the account. Returns the ids of their accounts.
     */
    removeOfProvider: ({
      userId = '',
      sid,
    }: {
      userId: string | undefined
      sid: string | undefined
    }): Query<Set<string>> => {
      const ofUser = eq(sessions.userId, userId)
      const which =
        sid === undefined
          ? ofUser
          : or(eq(sessions.providerSid, sid), and(ofUser, isNull(sessions.providerSid)))
      return prepare(
        db
          .delete(sessions)
          .where(and(eq(sessions.way, 'oidc'), which))
          .returning({ userId: sessions.userId }),
      )
        .all()
        .into((rows) => new Set(rows.map(({ userId }) => userId)))
    },
    /** Removes up to `limit` of an account's sessions, except one, and returns how many. */
    removeOthers: (userId: string, exceptId: string, limit: number) =>
      rows.removeSome(and(eq(sessions.userId, userId), ne(sessions.id, exceptId)), limit),
    removeAll: () => rows.remove().run(),
    /** Removes up to `limit` sessions that have expired at `now` and returns how many. */
    removeExpired: (now: number, limit: number) => rows.removeSome(lte(sessions.expiresAt, now), limit),
  }
}

/** Queries of the catalog's sessions, found by the hash of their token. */
export const sessionQueries = (engine: Engine) => ({
  ...sessionLookups(engine),
  ...sessionChanges(engine),
  ...sessionRemovals(engine),
})

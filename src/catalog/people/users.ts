import { and, asc, count, eq, inArray, max, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query, Work } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import {
  apiKeys,
  attempts,
  authenticators,
  deviceCodes,
  folderGrants,
  identities,
  passkeys,
  recoveryCodes,
  sessions,
  trustedDevices,
  users,
} from '../schema/schema.ts'
import { holdersOf } from './grants.ts'

export type UserRow = Omit<typeof users.$inferSelect, 'deleted' | 'lastSeenAt'>
export type Role = UserRow['role']
/** Columns of an account that may change. An `undefined` one keeps its value. */
type UserChanges = {
  [Column in keyof Omit<UserRow, 'id' | 'createdAt'>]?: UserRow[Column] | undefined
}

/** Use of an account. */
export type AccountUse = Pick<typeof users.$inferSelect, 'id' | 'lastSeenAt'>

/** Queries of accounts. */
function userLookups(engine: Engine) {
  const { db, prepare, body } = engine
  const rows = rowsOf(engine, users)
  const isThere = eq(users.deleted, false)
  const hasId = eq(users.id, sql.placeholder('id'))
  const byId = rows.select(and(hasId, isThere))
  const byEmail = rows.select(and(eq(users.email, sql.placeholder('email')), isThere))
  const countKeys = prepare(
    db
      .select({ count: count() })
      .from(apiKeys)
      .where(eq(apiKeys.userId, sql.placeholder('id'))),
  )
  const ofSessions = prepare(
    db
      .select({ userId: sessions.userId, usedAt: max(sessions.usedAt) })
      .from(sessions)
      .groupBy(sessions.userId),
  )
  const ofKeys = prepare(
    db
      .select({ userId: apiKeys.userId, usedAt: max(apiKeys.usedAt) })
      .from(apiKeys)
      .groupBy(apiKeys.userId),
  )
  return {
    byId: (id: string): Query<UserRow | undefined> => byId.get({ id }),
    byEmail: (email: string): Query<UserRow | undefined> => byEmail.get({ email }),
    count: () => rows.count(isThere),
    countDisabled: () => rows.count(and(eq(users.disabled, true), isThere)),
    /** Returns all accounts, the oldest first. */
    all: (): Query<UserRow[]> => rows.select(isThere, { order: [asc(users.createdAt), asc(users.id)] }).all(),
    /** Returns the ids of all accounts with the last use of their sessions and API keys, the oldest account first. */
    lastSeen: (): Query<AccountUse[]> =>
      body(function* () {
        const accounts = yield* prepare(
          db
            .select({ id: users.id, lastSeenAt: users.lastSeenAt })
            .from(users)
            .where(isThere)
            .orderBy(asc(users.createdAt), asc(users.id)),
        ).all()
        const latest = new Map(accounts.map(({ id, lastSeenAt }) => [id, lastSeenAt]))
        for (const { userId, usedAt } of [...(yield* ofSessions.all()), ...(yield* ofKeys.all())])
          if ((usedAt ?? 0) > (latest.get(userId) ?? 0)) latest.set(userId, usedAt)
        return accounts.map(({ id }) => ({ id, lastSeenAt: latest.get(id) ?? null }))
      }),
    countKeys: (id: string): Query<number> => countKeys.get({ id }).into((row) => row?.count ?? 0),
  }
}

/** Changes of accounts. */
function userChanges(engine: Engine) {
  const { db, notes, prepare, body } = engine
  const attemptRows = rowsOf(engine, attempts)
  const trustedDeviceRows = rowsOf(engine, trustedDevices)
  const deviceCodeRows = rowsOf(engine, deviceCodes)
  const userRows = rowsOf(engine, users)
  const sessionRows = rowsOf(engine, sessions)
  const apiKeyRows = rowsOf(engine, apiKeys)
  const folderGrantRows = rowsOf(engine, folderGrants)
  const { row: insert } = prepareInsert(engine, users)
  /** Ends the sign-ins that are under way, the trust in devices, and the approvals that no program has used yet. */
  function* endTrust(userId: string): Work<void> {
    yield* attemptRows.remove(eq(attempts.userId, userId)).run()
    yield* trustedDeviceRows.remove(eq(trustedDevices.userId, userId)).run()
    yield* deviceCodeRows.update({ state: 'denied' }, eq(deviceCodes.userId, userId)).run()
  }
  type OfUser = typeof authenticators | typeof recoveryCodes | typeof passkeys | typeof identities
  function* removeFrom(tables: readonly OfUser[], userId: string): Work<void> {
    for (const table of tables) yield* prepare(db.delete(table).where(eq(table.userId, userId))).run()
  }
  return {
    insert: (row: UserRow): Query<void> => insert({ ...row, deleted: false, lastSeenAt: null }),
    /** Changes an account. With another password or factor, and when it is disabled, no device is trusted any more. */
    update: (id: string, changes: UserChanges): Query<UserRow | undefined> =>
      body(function* () {
        const { passwordHash, secondFactor, disabled } = changes
        if (passwordHash !== undefined || secondFactor !== undefined || disabled) yield* endTrust(id)
        const row = yield* prepare(db.update(users).set(changes).where(eq(users.id, id)).returning()).get()
        notes.note({ of: 'account', id })
        return row
      }),
    /** Removes the second step of an account: its codes and recovery codes; with `passkeys`, those too. */
    removeFactors: (id: string, { at, withPasskeys }: { at: number; withPasskeys: boolean }): Query<void> =>
      body(function* () {
        yield* endTrust(id)
        yield* removeFrom([authenticators, recoveryCodes, ...(withPasskeys ? [passkeys] : [])], id)
        const changes = { secondFactor: false, updatedAt: at }
        yield* userRows.update(changes, eq(users.id, id)).run()
        notes.note({ of: 'account', id })
      }),
    /**
     * Removes an account's sessions, API keys, rights in folders and ways in, and frees its e-mail. Its history, which may be long, and
     * its row are left to `remove`. The files that it uploaded stay.
     */
    retire: (id: string): Query<void> =>
      body(function* () {
        // An id is never a valid e-mail, so it cannot collide with one.
        const retired = { deleted: true, email: id, name: '', passwordHash: '' }
        yield* userRows.update(retired, eq(users.id, id)).run()
        yield* sessionRows.remove(eq(sessions.userId, id)).run()
        yield* apiKeyRows.remove(eq(apiKeys.userId, id)).run()
        yield* folderGrantRows.remove(inArray(folderGrants.userId, holdersOf(id))).run()
        yield* endTrust(id)
        yield* removeFrom([authenticators, recoveryCodes, passkeys, identities], id)
      }),
    /** Returns the ids of retired accounts that `remove` has not removed yet. */
    retired: (): Query<string[]> =>
      prepare(db.select({ id: users.id }).from(users).where(eq(users.deleted, true)))
        .all()
        .into((rows) => rows.map(({ id }) => id)),
    /** Removes a retired account with its remaining rows. */
    remove: (id: string) => userRows.remove(eq(users.id, id)).run(),
  }
}

/** Queries of the catalog's accounts. E-mail addresses are stored trimmed and in lower case. */
export const userQueries = (engine: Engine) => ({ ...userLookups(engine), ...userChanges(engine) })

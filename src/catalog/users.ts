import { and, asc, count, eq, sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import { apiKeys, sessions, users } from './schema.ts'

export type UserRow = Omit<typeof users.$inferSelect, 'deleted'>
export type Role = UserRow['role']
/** Columns of an account that may change. An `undefined` one keeps its value. */
type UserChanges = {
  [Column in keyof Omit<UserRow, 'id' | 'createdAt'>]?: UserRow[Column] | undefined
}

/** Queries of the catalog's accounts. E-mail addresses are stored trimmed and in lower case. */
export function userQueries(db: Db) {
  const isThere = eq(users.deleted, false)
  const byId = db
    .select()
    .from(users)
    .where(and(eq(users.id, sql.placeholder('id')), isThere))
    .prepare()
  const byEmail = db
    .select()
    .from(users)
    .where(and(eq(users.email, sql.placeholder('email')), isThere))
    .prepare()
  const countKeys = db
    .select({ count: count() })
    .from(apiKeys)
    .where(eq(apiKeys.userId, sql.placeholder('id')))
    .prepare()
  return {
    byId: (id: string): UserRow | undefined => byId.get({ id }),
    byEmail: (email: string): UserRow | undefined => byEmail.get({ email }),
    count: (): number => db.select({ count: count() }).from(users).where(isThere).get()?.count ?? 0,
    countDisabled: (): number =>
      db
        .select({ count: count() })
        .from(users)
        .where(and(eq(users.disabled, true), isThere))
        .get()?.count ?? 0,
    /** Returns all accounts, the oldest first. */
    all: (): UserRow[] =>
      db.select().from(users).where(isThere).orderBy(asc(users.createdAt), asc(users.id)).all(),
    countKeys: (id: string): number => countKeys.get({ id })?.count ?? 0,
    insert: (row: UserRow): void => {
      db.insert(users).values(row).run()
    },
    update: (id: string, changes: UserChanges): UserRow | undefined =>
      db.update(users).set(changes).where(eq(users.id, id)).returning().get(),
    /**
     * Removes an account's sessions and API keys and frees its e-mail. Its history, which may be long, and
     * its row are left to `remove`. The files that it uploaded stay.
     */
    retire: (id: string): void => {
      // An id is never a valid e-mail, so it cannot collide with one.
      db.update(users)
        .set({ deleted: true, email: id, name: '', passwordHash: '' })
        .where(eq(users.id, id))
        .run()
      db.delete(sessions).where(eq(sessions.userId, id)).run()
      db.delete(apiKeys).where(eq(apiKeys.userId, id)).run()
    },
    /** Returns the ids of retired accounts that `remove` has not removed yet. */
    retired: (): string[] =>
      db
        .select({ id: users.id })
        .from(users)
        .where(eq(users.deleted, true))
        .all()
        .map(({ id }) => id),
    /** Removes a retired account with its remaining rows. */
    remove: (id: string): void => {
      db.delete(users).where(eq(users.id, id)).run()
    },
  }
}

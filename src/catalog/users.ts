import { and, asc, count, eq, sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import { apiKeys, sessions, users } from './schema.ts'

export type UserRow = Omit<typeof users.$inferSelect, 'deleted'>
export type Role = UserRow['role']
/** The columns of an account that may change; those that are `undefined` stay as they are. */
type UserChanges = {
  [Column in keyof Omit<UserRow, 'id' | 'createdAt'>]?: UserRow[Column] | undefined
}

/** The catalog's accounts. E-mail addresses are stored trimmed and in lower case. */
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
    /** All accounts, the oldest first. */
    all: (): UserRow[] =>
      db.select().from(users).where(isThere).orderBy(asc(users.createdAt), asc(users.id)).all(),
    countKeys: (id: string): number => countKeys.get({ id })?.count ?? 0,
    insert: (row: UserRow): void => {
      db.insert(users).values(row).run()
    },
    update: (id: string, changes: UserChanges): UserRow | undefined =>
      db.update(users).set(changes).where(eq(users.id, id)).returning().get(),
    /**
     * Takes an account away with its sessions and keys; its e-mail is free again. Its history, which may be long, and
     * its row are left to `remove`. The files that it uploaded stay.
     */
    retire: (id: string): void => {
      // No e-mail is an id.
      db.update(users)
        .set({ deleted: true, email: id, name: '', passwordHash: '' })
        .where(eq(users.id, id))
        .run()
      db.delete(sessions).where(eq(sessions.userId, id)).run()
      db.delete(apiKeys).where(eq(apiKeys.userId, id)).run()
    },
    /** Ids of the accounts that `retire` has taken away and `remove` has not removed yet. */
    retired: (): string[] =>
      db
        .select({ id: users.id })
        .from(users)
        .where(eq(users.deleted, true))
        .all()
        .map(({ id }) => id),
    /** Removes an account that has been retired, with what is left of it. */
    remove: (id: string): void => {
      db.delete(users).where(eq(users.id, id)).run()
    },
  }
}

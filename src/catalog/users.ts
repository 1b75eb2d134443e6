import { asc, count, eq, sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import { apiKeys, users } from './schema.ts'

export type UserRow = typeof users.$inferSelect
export type Role = UserRow['role']
/** The columns of an account that may change; those that are `undefined` stay as they are. */
type UserChanges = {
  [Column in keyof Omit<UserRow, 'id' | 'createdAt'>]?: UserRow[Column] | undefined
}

/** The catalog's accounts. E-mail addresses are stored trimmed and in lower case. */
export function userQueries(db: Db) {
  const byId = db
    .select()
    .from(users)
    .where(eq(users.id, sql.placeholder('id')))
    .prepare()
  const byEmail = db
    .select()
    .from(users)
    .where(eq(users.email, sql.placeholder('email')))
    .prepare()
  const countKeys = db
    .select({ count: count() })
    .from(apiKeys)
    .where(eq(apiKeys.userId, sql.placeholder('id')))
    .prepare()
  return {
    byId: (id: string): UserRow | undefined => byId.get({ id }),
    byEmail: (email: string): UserRow | undefined => byEmail.get({ email }),
    count: (): number => db.select({ count: count() }).from(users).get()?.count ?? 0,
    countDisabled: (): number =>
      db.select({ count: count() }).from(users).where(eq(users.disabled, true)).get()?.count ?? 0,
    /** All accounts, the oldest first. */
    all: (): UserRow[] => db.select().from(users).orderBy(asc(users.createdAt), asc(users.id)).all(),
    countKeys: (id: string): number => countKeys.get({ id })?.count ?? 0,
    insert: (row: UserRow): void => {
      db.insert(users).values(row).run()
    },
    update: (id: string, changes: UserChanges): UserRow | undefined =>
      db.update(users).set(changes).where(eq(users.id, id)).returning().get(),
    /** Removes an account with its sessions, keys and history; the files it uploaded stay. */
    remove: (id: string): void => {
      db.delete(users).where(eq(users.id, id)).run()
    },
  }
}

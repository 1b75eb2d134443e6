import { count, eq, sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import { users } from './schema.ts'

export type UserRow = typeof users.$inferSelect
export type Role = UserRow['role']

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
  return {
    byId: (id: string): UserRow | undefined => byId.get({ id }),
    byEmail: (email: string): UserRow | undefined => byEmail.get({ email }),
    count: (): number => db.select({ count: count() }).from(users).get()?.count ?? 0,
    countDisabled: (): number =>
      db.select({ count: count() }).from(users).where(eq(users.disabled, true)).get()?.count ?? 0,
    insert: (row: UserRow): void => {
      db.insert(users).values(row).run()
    },
  }
}

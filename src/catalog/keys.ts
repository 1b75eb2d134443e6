import { and, desc, eq, sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import { apiKeys, users } from './schema.ts'
import type { UserRow } from './users.ts'

export type KeyRow = typeof apiKeys.$inferSelect

/** Queries of the catalog's API keys, found by the hash of their secret. */
export function keyQueries(db: Db) {
  const withOwner = db
    .select({ key: apiKeys, user: users })
    .from(apiKeys)
    .innerJoin(users, and(eq(users.id, apiKeys.userId), eq(users.deleted, false)))
    .where(eq(apiKeys.keyHash, sql.placeholder('keyHash')))
    .prepare()
  const noteUse = db
    .update(apiKeys)
    .set({ usedAt: sql`max(coalesce(${apiKeys.usedAt}, 0), ${sql.placeholder('usedAt')})` })
    .where(eq(apiKeys.id, sql.placeholder('id')))
    .prepare()
  return {
    /** Returns an API key with its account. */
    withOwner: (keyHash: string): { key: KeyRow; user: UserRow } | undefined => withOwner.get({ keyHash }),
    byId: (id: string): KeyRow | undefined => db.select().from(apiKeys).where(eq(apiKeys.id, id)).get(),
    byName: (userId: string, name: string): KeyRow | undefined =>
      db
        .select()
        .from(apiKeys)
        .where(and(eq(apiKeys.userId, userId), eq(apiKeys.name, name)))
        .get(),
    /** Returns an account's API keys, newest first. */
    ofUser: (userId: string): KeyRow[] =>
      db
        .select()
        .from(apiKeys)
        .where(eq(apiKeys.userId, userId))
        .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
        .all(),
    insert: (row: KeyRow): void => {
      db.insert(apiKeys).values(row).run()
    },
    rename: (id: string, name: string): void => {
      db.update(apiKeys).set({ name }).where(eq(apiKeys.id, id)).run()
    },
    /** Records a use, unless a later one is known. */
    used: (id: string, usedAt: number): void => {
      noteUse.run({ id, usedAt })
    },
    /** Removes an account's API keys and returns how many. */
    removeOfUser: (userId: string): number =>
      db.delete(apiKeys).where(eq(apiKeys.userId, userId)).returning({ id: apiKeys.id }).all().length,
    remove: (id: string): void => {
      db.delete(apiKeys).where(eq(apiKeys.id, id)).run()
    },
  }
}

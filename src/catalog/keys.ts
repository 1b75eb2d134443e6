import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import { apiKeys } from './schema.ts'

export type KeyRow = typeof apiKeys.$inferSelect

/** The catalog's API keys, found by the hash of their secret. */
export function keyQueries(db: Db) {
  const byKeyHash = db
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.keyHash, sql.placeholder('keyHash')))
    .prepare()
  return {
    byKeyHash: (keyHash: string): KeyRow | undefined => byKeyHash.get({ keyHash }),
    byName: (userId: string, name: string): KeyRow | undefined =>
      db
        .select()
        .from(apiKeys)
        .where(and(eq(apiKeys.userId, userId), eq(apiKeys.name, name)))
        .get(),
    /** An account's keys, newest first. */
    ofUser: (userId: string): KeyRow[] =>
      db
        .select()
        .from(apiKeys)
        .where(eq(apiKeys.userId, userId))
        .orderBy(desc(apiKeys.createdAt), asc(apiKeys.id))
        .all(),
    insert: (row: KeyRow): void => {
      db.insert(apiKeys).values(row).run()
    },
  }
}

import { and, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import { apiRequests } from './schema.ts'

/** Requests made with one API key on one UTC day (`YYYY-MM-DD`). */
export type ApiRequestRow = typeof apiRequests.$inferSelect

const count = sql<number>`sum(${apiRequests.count})`

/** The catalog's counts of requests made with API keys. */
export function apiRequestQueries(db: Db) {
  const ofUserSince = (userId: string, day: string) =>
    and(eq(apiRequests.userId, userId), gte(apiRequests.day, day))
  return {
    /** Adds to a key's day. */
    add: (row: ApiRequestRow): void => {
      db.insert(apiRequests)
        .values(row)
        .onConflictDoUpdate({
          target: [apiRequests.userId, apiRequests.day, apiRequests.keyId],
          set: { count: sql`${apiRequests.count} + ${row.count}` },
        })
        .run()
    },
    /** An account's requests on each day from `day` on that has any, keys that are gone included. */
    perDay: (userId: string, day: string): { date: string; count: number }[] =>
      db
        .select({ date: apiRequests.day, count })
        .from(apiRequests)
        .where(ofUserSince(userId, day))
        .groupBy(apiRequests.day)
        .all(),
    /** An account's requests from `day` on, by the id of the key. */
    perKey: (userId: string, day: string): Map<string, number> =>
      new Map(
        db
          .select({ keyId: apiRequests.keyId, count })
          .from(apiRequests)
          .where(ofUserSince(userId, day))
          .groupBy(apiRequests.keyId)
          .all()
          .map((row) => [row.keyId, row.count]),
      ),
    /** Whether any account has counts from before `day`. */
    anyBefore: (day: string): boolean =>
      db.select().from(apiRequests).where(lt(apiRequests.day, day)).limit(1).get() !== undefined,
    /** Removes the counts from before `day`, `limit` at most. */
    removeBefore: (day: string, limit: number): void => {
      const some = db
        .select({ rowid: sql`rowid` })
        .from(apiRequests)
        .where(lt(apiRequests.day, day))
        .limit(limit)
      db.delete(apiRequests).where(inArray(sql`rowid`, some)).run()
    },
  }
}

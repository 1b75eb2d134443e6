import { and, asc, eq, gte, lt, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { apiRequests, users } from '../schema/schema.ts'

/** Requests made with one API key on one UTC day (`YYYY-MM-DD`). */
export type KeyRequests = typeof apiRequests.$inferSelect

/** Counts of requests made with API keys. They outlive the API keys, but not their owners. */
export function apiRequestQueries(engine: Engine) {
  const { db, prepare, body } = engine
  const rows = rowsOf(engine, apiRequests)
  const total = sql<number>`sum(${apiRequests.count})`
  const since = (userId: string, fromDay: string) =>
    and(eq(apiRequests.userId, userId), gte(apiRequests.day, fromDay))
  const isUser = prepare(
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, sql.placeholder('userId')), eq(users.deleted, false))),
  )
  const addToDay = prepareInsert(engine, apiRequests, {
    target: [apiRequests.userId, apiRequests.day, apiRequests.keyId],
    set: { count: sql`${apiRequests.count} + excluded.count` },
  })
  return {
    /** Adds to an API key's day. Requests of an account deleted meanwhile are left out. */
    add: ({ userId, day, keyId, count }: KeyRequests): Query<void> =>
      body(function* () {
        if (yield* isUser.get({ userId })) yield* addToDay.row({ userId, day, keyId, count })
      }),
    /** Returns an account's requests per day since `fromDay`, oldest first, without empty days. */
    perDay: (userId: string, fromDay: string): Query<{ day: string; count: number }[]> =>
      prepare(
        db
          .select({ day: apiRequests.day, count: total })
          .from(apiRequests)
          .where(since(userId, fromDay))
          .groupBy(apiRequests.day)
          .orderBy(asc(apiRequests.day)),
      ).all(),
    /** Returns an account's requests since `fromDay` by API key, deleted ones included. */
    perKey: (userId: string, fromDay: string): Query<{ keyId: string; count: number }[]> =>
      prepare(
        db
          .select({ keyId: apiRequests.keyId, count: total })
          .from(apiRequests)
          .where(since(userId, fromDay))
          .groupBy(apiRequests.keyId),
      ).all(),
    /** Removes up to `limit` counts of an account and returns how many. */
    removeAllOwn: (userId: string, limit: number) => rows.removeSome(eq(apiRequests.userId, userId), limit),
    /** Removes up to `limit` counts of days before `day` and returns how many. */
    removeBefore: (day: string, limit: number) => rows.removeSome(lt(apiRequests.day, day), limit),
  }
}

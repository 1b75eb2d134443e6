import { and, count, desc, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import { activities } from './schema.ts'

export type ActivityRow = typeof activities.$inferSelect

/** How many entries of one type there are, and when the latest was made. */
export interface ActivityTally {
  type: string
  count: number
  latest: number
}

/** Each account's history. */
export function activityQueries(db: Db) {
  return {
    insert: (row: ActivityRow): void => {
      db.insert(activities).values(row).run()
    },
    /** An account's latest entries, newest first. */
    newest: (userId: string, limit: number): ActivityRow[] =>
      db
        .select()
        .from(activities)
        .where(eq(activities.userId, userId))
        .orderBy(desc(activities.createdAt), desc(activities.id))
        .limit(limit)
        .all(),
    /** An account's entries of some types since `from`, counted by type. */
    tally: (userId: string, types: readonly string[], from: number): ActivityTally[] =>
      db
        .select({ type: activities.type, count: count(), latest: sql<number>`max(${activities.createdAt})` })
        .from(activities)
        .where(
          and(
            eq(activities.userId, userId),
            gte(activities.createdAt, from),
            inArray(activities.type, [...types]),
          ),
        )
        .groupBy(activities.type)
        .all(),
    /** Whether any account has an entry from before `time`. */
    anyBefore: (time: number): boolean =>
      db
        .select({ id: activities.id })
        .from(activities)
        .where(lt(activities.createdAt, time))
        .limit(1)
        .get() !== undefined,
    /** Removes the entries from before `time`, `limit` at most. */
    removeBefore: (time: number, limit: number): void => {
      const some = db
        .select({ id: activities.id })
        .from(activities)
        .where(lt(activities.createdAt, time))
        .limit(limit)
      db.delete(activities).where(inArray(activities.id, some)).run()
    },
  }
}

import { and, count, desc, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import { activities } from './schema.ts'

export type ActivityRow = typeof activities.$inferSelect

/** How many entries of one type there are, and when the latest was made. */
interface ActivityTally {
  type: string
  count: number
  latest: number
}

/** Which of an account's entries. */
interface HistoryPart {
  before?: ActivityRow | undefined
  types?: string[] | undefined
}

/** Each account's history. */
export function activityQueries(db: Db) {
  function remove(which: SQL | undefined, limit: number): number {
    const some = db.select({ id: activities.id }).from(activities).where(which).limit(limit)
    return db.delete(activities).where(inArray(activities.id, some)).returning({ id: activities.id }).all()
      .length
  }
  return {
    insert: (row: ActivityRow): void => {
      db.insert(activities).values(row).run()
    },
    /** An entry, if it is the account's. */
    own: (userId: string, id: string): ActivityRow | undefined =>
      db
        .select()
        .from(activities)
        .where(and(eq(activities.userId, userId), eq(activities.id, id)))
        .get(),
    /** An account's latest entries, newest first: all, or those before one, or of some types. */
    newest: (userId: string, limit: number, { before, types }: HistoryPart = {}): ActivityRow[] =>
      db
        .select()
        .from(activities)
        .where(
          and(
            eq(activities.userId, userId),
            before && sql`(${activities.createdAt}, ${activities.id}) < (${before.createdAt}, ${before.id})`,
            types && inArray(activities.type, types),
          ),
        )
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
    /** Removes those of the entries that are the account's; answers how many. */
    removeOwn: (userId: string, ids: readonly string[]): number =>
      remove(and(eq(activities.userId, userId), inArray(activities.id, [...ids])), ids.length),
    /** Removes an account's entries, `limit` at most; answers how many. */
    removeAllOwn: (userId: string, limit: number): number => remove(eq(activities.userId, userId), limit),
    /** Removes everyone's entries from before `time`, `limit` at most; answers how many. */
    removeBefore: (time: number, limit: number): number => remove(lt(activities.createdAt, time), limit),
  }
}

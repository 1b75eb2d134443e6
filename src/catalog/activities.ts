import { and, count, desc, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { type Db, prepareInsert } from './db.ts'
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
  types?: readonly string[] | undefined
}

/** Each account's history. */
export function activityQueries(db: Db) {
  function remove(which: SQL | undefined, limit: number): number {
    const some = db.select({ id: activities.id }).from(activities).where(which).limit(limit)
    return db.delete(activities).where(inArray(activities.id, some)).returning({ id: activities.id }).all()
      .length
  }
  const newest = (userId: string, limit: number, before?: ActivityRow, type?: string) =>
    db
      .select()
      .from(activities)
      .where(
        and(
          eq(activities.userId, userId),
          before && sql`(${activities.createdAt}, ${activities.id}) < (${before.createdAt}, ${before.id})`,
          type === undefined ? undefined : eq(activities.type, type),
        ),
      )
      .orderBy(desc(activities.createdAt), desc(activities.id))
      .limit(limit)
      .all()
  return {
    insert: prepareInsert(db, activities),
    /** An entry, if it is the account's. */
    own: (userId: string, id: string): ActivityRow | undefined =>
      db
        .select()
        .from(activities)
        .where(and(eq(activities.userId, userId), eq(activities.id, id)))
        .get(),
    /** An account's latest entries, newest first: all, or those before one, or of some types. */
    newest: (userId: string, limit: number, { before, types }: HistoryPart = {}): ActivityRow[] => {
      if (!types) return newest(userId, limit, before)
      // One by one, each by its index: to find few among very many, all would be read.
      const found = types.flatMap((type) => newest(userId, limit, before, type))
      return found.toSorted(newestFirst).slice(0, limit)
    },
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
    /** Removes those of the entries that are the account's; answers how many. Found by id, not among all of its own. */
    removeOwn: (userId: string, ids: readonly string[]): number =>
      remove(and(sql`+${activities.userId} = ${userId}`, inArray(activities.id, [...ids])), ids.length),
    /** Removes an account's entries, `limit` at most; answers how many. */
    removeAllOwn: (userId: string, limit: number): number => remove(eq(activities.userId, userId), limit),
    /** Removes everyone's entries from before `time`, `limit` at most; answers how many. */
    removeBefore: (time: number, limit: number): number => remove(lt(activities.createdAt, time), limit),
  }
}

const newestFirst = (a: ActivityRow, b: ActivityRow) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)

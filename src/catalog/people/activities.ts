import { and, count, desc, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { activities } from '../schema/schema.ts'

export type ActivityRow = typeof activities.$inferSelect

/** Number of entries of one type, and the time of the latest. */
interface ActivityTally {
  type: string
  count: number
  latest: number
}

/** Part of an account's history to return. */
interface HistoryPart {
  before?: ActivityRow | undefined
  types?: readonly string[] | undefined
}

/** Queries of histories. */
function activityLookups(engine: Engine) {
  const { db, prepare, body } = engine
  const rows = rowsOf(engine, activities)
  const newest = (userId: string, limit: number, before?: ActivityRow, type?: string) =>
    rows
      .select(
        and(
          eq(activities.userId, userId),
          before && sql`(${activities.createdAt}, ${activities.id}) < (${before.createdAt}, ${before.id})`,
          type === undefined ? undefined : eq(activities.type, type),
        ),
        { order: [desc(activities.createdAt), desc(activities.id)], limit },
      )
      .all()
  return {
    /** Returns an entry if it belongs to the account. */
    own: (userId: string, id: string) =>
      rows.select(and(eq(activities.userId, userId), eq(activities.id, id))).get(),
    /**
     * Returns an account's latest entries, newest first: all, or those before one entry, or of some types.
     */
    newest: (userId: string, limit: number, { before, types }: HistoryPart = {}): Query<ActivityRow[]> =>
      types
        ? body(function* () {
            const found: ActivityRow[] = []
            // One query per type, each on its index: a single query would read every entry to find a few.
            for (const type of types) found.push(...(yield* newest(userId, limit, before, type)))
            return found.toSorted(newestFirst).slice(0, limit)
          })
        : newest(userId, limit, before),
    /** Counts an account's entries of some types since `from`, by type. */
    tally: (userId: string, types: readonly string[], from: number): Query<ActivityTally[]> =>
      prepare(
        db
          .select({
            type: activities.type,
            count: count(),
            latest: sql<number>`max(${activities.createdAt})`,
          })
          .from(activities)
          .where(
            and(
              eq(activities.userId, userId),
              gte(activities.createdAt, from),
              inArray(activities.type, [...types]),
            ),
          )
          .groupBy(activities.type),
      ).all(),
  }
}

/** Changes of histories. */
function activityChanges(engine: Engine) {
  const { dialect } = engine
  const rows = rowsOf(engine, activities)
  return {
    insert: prepareInsert(engine, activities).row,
    /**
     * Removes the given entries that belong to the account and returns how many. Looks them up by id, not in
     * the whole history.
     */
    removeOwn: (userId: string, ids: readonly string[]): Query<number> =>
      rows.removeSome(
        and(sql`${dialect.withoutIndex(activities.userId)} = ${userId}`, inArray(activities.id, [...ids])),
        ids.length,
      ),
    /** Removes up to `limit` entries of an account and returns how many. */
    removeAllOwn: (userId: string, limit: number): Query<number> =>
      rows.removeSome(eq(activities.userId, userId), limit),
    /** Removes up to `limit` entries of all accounts from before `time` and returns how many. */
    removeBefore: (time: number, limit: number): Query<number> =>
      rows.removeSome(lt(activities.createdAt, time), limit),
  }
}

/** Queries of the accounts' histories. */
export const activityQueries = (engine: Engine) => ({
  ...activityLookups(engine),
  ...activityChanges(engine),
})

const newestFirst = (a: ActivityRow, b: ActivityRow) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)

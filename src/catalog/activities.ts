import { desc, eq } from 'drizzle-orm'
import type { Db } from './db.ts'
import { activities } from './schema.ts'

export type ActivityRow = typeof activities.$inferSelect

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
  }
}

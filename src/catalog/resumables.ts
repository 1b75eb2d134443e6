import { and, asc, count, eq, isNull, lte } from 'drizzle-orm'
import type { Db } from './db.ts'
import { resumables } from './schema.ts'

export type ResumableRow = typeof resumables.$inferSelect

/** Queries of the catalog's resumable uploads. */
export function resumableQueries(db: Db) {
  const unfinished = (id: string) => and(eq(resumables.id, id), isNull(resumables.fileId))
  return {
    byId: (id: string): ResumableRow | undefined =>
      db.select().from(resumables).where(eq(resumables.id, id)).get(),
    unfinishedIds: (): string[] =>
      db
        .select({ id: resumables.id })
        .from(resumables)
        .where(isNull(resumables.fileId))
        .all()
        .map(({ id }) => id),
    countUnfinished: (userId: string): number =>
      db
        .select({ count: count() })
        .from(resumables)
        .where(and(eq(resumables.userId, userId), isNull(resumables.fileId)))
        .get()?.count ?? 0,
    /** Returns up to `limit` uploads that had expired at `now`. */
    expired: (now: number, limit: number): ResumableRow[] =>
      db
        .select()
        .from(resumables)
        .where(lte(resumables.expiresAt, now))
        .orderBy(asc(resumables.expiresAt))
        .limit(limit)
        .all(),
    insert: (row: ResumableRow): void => {
      db.insert(resumables).values(row).run()
    },
    /** Records the progress of an unfinished upload. */
    advance: (id: string, progress: Pick<ResumableRow, 'received' | 'expiresAt'>): void => {
      db.update(resumables).set(progress).where(unfinished(id)).run()
    },
    /** Records the file that an upload became. */
    finish: (id: string, became: { fileId: string; expiresAt: number }): void => {
      db.update(resumables)
        .set({ ...became, received: resumables.length })
        .where(unfinished(id))
        .run()
    },
    remove: (id: string): void => {
      db.delete(resumables).where(eq(resumables.id, id)).run()
    },
    removeAll: (): void => {
      db.delete(resumables).run()
    },
  }
}

import { and, asc, count, eq, isNull, lte } from 'drizzle-orm'
import { type Engine, prepareInsert } from './engine.ts'
import type { Query } from './query.ts'
import { resumables } from './schema.ts'

export type ResumableRow = typeof resumables.$inferSelect

/** Queries of the catalog's resumable uploads. */
export function resumableQueries(engine: Engine) {
  const { db, prepare } = engine
  const unfinished = (id: string) => and(eq(resumables.id, id), isNull(resumables.fileId))
  return {
    byId: (id: string): Query<ResumableRow | undefined> =>
      prepare(db.select().from(resumables).where(eq(resumables.id, id))).get(),
    unfinishedIds: (): Query<string[]> =>
      prepare(db.select({ id: resumables.id }).from(resumables).where(isNull(resumables.fileId)))
        .all()
        .into((rows) => rows.map(({ id }) => id)),
    countUnfinished: (userId: string): Query<number> =>
      prepare(
        db
          .select({ count: count() })
          .from(resumables)
          .where(and(eq(resumables.userId, userId), isNull(resumables.fileId))),
      )
        .get()
        .into((row) => row?.count ?? 0),
    /** Returns up to `limit` uploads that had expired at `now`. */
    expired: (now: number, limit: number): Query<ResumableRow[]> =>
      prepare(
        db
          .select()
          .from(resumables)
          .where(lte(resumables.expiresAt, now))
          .orderBy(asc(resumables.expiresAt))
          .limit(limit),
      ).all(),
    insert: prepareInsert(engine, resumables).row,
    /** Records the progress of an unfinished upload. */
    advance: (id: string, progress: Pick<ResumableRow, 'received' | 'expiresAt'>): Query<void> =>
      prepare(db.update(resumables).set(progress).where(unfinished(id))).run(),
    /** Records the file that an upload became. */
    finish: (id: string, became: { fileId: string; expiresAt: number }): Query<void> =>
      prepare(
        db
          .update(resumables)
          .set({ ...became, received: resumables.length })
          .where(unfinished(id)),
      ).run(),
    remove: (id: string): Query<void> => prepare(db.delete(resumables).where(eq(resumables.id, id))).run(),
    removeAll: (): Query<void> => prepare(db.delete(resumables)).run(),
  }
}

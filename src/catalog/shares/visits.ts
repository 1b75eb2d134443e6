import { and, desc, eq, gt, lt, or, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { shareDownloads, shareVisits } from '../schema/schema.ts'

export type ShareVisitRow = typeof shareVisits.$inferSelect
export type ShareDownloadRow = typeof shareDownloads.$inferSelect

/** Queries of visits. */
function visitLookups(engine: Engine) {
  const { db, prepare } = engine
  const rows = rowsOf(engine, shareVisits)
  const known = prepare(
    db
      .select({ id: shareVisits.id })
      .from(shareVisits)
      .where(
        and(
          eq(shareVisits.shareId, sql.placeholder('shareId')),
          eq(shareVisits.visitor, sql.placeholder('visitor')),
          eq(shareVisits.what, sql.placeholder('what')),
          sql`coalesce(${shareVisits.name}, '') = ${sql.placeholder('name')}`,
          gt(shareVisits.createdAt, sql.placeholder('time')),
        ),
      )
      .limit(1),
  )
  return {
    byId: (id: string) => rows.select(eq(shareVisits.id, id)).get(),
    /** True when a visitor has opened a share, or begun to download what has the name, after `time`. */
    isKnown: (
      {
        shareId,
        visitor,
        what,
        name = '',
      }: Pick<ShareVisitRow, 'shareId' | 'visitor' | 'what'> & { name?: string },
      time: number,
    ): Query<boolean> => known.get({ shareId, visitor, what, name, time }).into((row) => row !== undefined),
    /** Returns the latest visits of a share, newest first, or those older than one. */
    newest: (shareId: string, limit: number, before?: ShareVisitRow): Query<ShareVisitRow[]> => {
      const isOlder =
        before &&
        or(
          lt(shareVisits.createdAt, before.createdAt),
          and(eq(shareVisits.createdAt, before.createdAt), lt(shareVisits.id, before.id)),
        )
      return rows
        .select(and(eq(shareVisits.shareId, shareId), isOlder), {
          order: [desc(shareVisits.createdAt), desc(shareVisits.id)],
          limit,
        })
        .all()
    },
    /** Returns the latest uploads of a visitor, newest first. */
    uploadsOf: (shareId: string, visitor: string, limit: number) =>
      rows
        .select(
          and(
            eq(shareVisits.shareId, shareId),
            eq(shareVisits.visitor, visitor),
            eq(shareVisits.what, 'uploaded'),
          ),
          { order: [desc(shareVisits.createdAt), desc(shareVisits.id)], limit },
        )
        .all(),
  }
}

/** Changes of visits. */
function visitChanges(engine: Engine) {
  const rows = rowsOf(engine, shareVisits)
  return {
    insert: prepareInsert(engine, shareVisits).row,
    removeOf: (shareId: string, limit: number) => rows.removeSome(eq(shareVisits.shareId, shareId), limit),
    removeBefore: (time: number, limit: number) => rows.removeSome(lt(shareVisits.createdAt, time), limit),
  }
}

/** Queries of the visits of shares. */
export const shareVisitQueries = (engine: Engine) => ({ ...visitLookups(engine), ...visitChanges(engine) })

/** Names a download: of an item of a share, by a visitor. */
export type ShareDownloadName = Pick<ShareDownloadRow, 'shareId' | 'visitor' | 'item'>

/** Queries of the downloads from shares that are under way, or were counted. */
export function shareDownloadQueries(engine: Engine) {
  const { db, prepare } = engine
  const rows = rowsOf(engine, shareDownloads)
  const isNamed = and(
    eq(shareDownloads.shareId, sql.placeholder('shareId')),
    eq(shareDownloads.visitor, sql.placeholder('visitor')),
    eq(shareDownloads.item, sql.placeholder('item')),
  )
  const find = rows.select(isNamed)
  const remove = rows.remove(isNamed)
  const put = prepareInsert(engine, shareDownloads, {
    target: [shareDownloads.shareId, shareDownloads.visitor, shareDownloads.item],
    set: {
      size: sql`excluded.size`,
      ranges: sql`excluded.ranges`,
      isFinished: sql`excluded.is_finished`,
      sentAt: sql`excluded.created_at`,
    },
  })
  return {
    find: (name: ShareDownloadName): Query<ShareDownloadRow | undefined> => find.get({ ...name }),
    /** Returns how many unfinished downloads of a share were sent bytes after `time`, and the earliest time of them. */
    unfinished: (shareId: string, time: number) =>
      prepare(
        db
          .select({
            count: sql<number>`count(*)`,
            earliest: sql<number>`coalesce(min(${shareDownloads.sentAt}), 0)`,
          })
          .from(shareDownloads)
          .where(
            and(
              eq(shareDownloads.shareId, shareId),
              eq(shareDownloads.isFinished, false),
              gt(shareDownloads.sentAt, time),
            ),
          ),
      )
        .get()
        .into((row) => row ?? { count: 0, earliest: 0 }),
    /** True while a visitor has an unfinished download of a share. */
    isUnderWay: (shareId: string, visitor: string) =>
      rows.has(
        and(
          eq(shareDownloads.shareId, shareId),
          eq(shareDownloads.visitor, visitor),
          eq(shareDownloads.isFinished, false),
        ),
      ),
    /** Inserts a download, or replaces it. */
    put: put.row,
    remove: (name: ShareDownloadName): Query<void> => remove.run({ ...name }),
    removeBefore: (time: number, limit: number) => rows.removeSome(lt(shareDownloads.sentAt, time), limit),
  }
}

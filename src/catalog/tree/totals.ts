import { desc, gt, gte, sql } from 'drizzle-orm'
import type { Engine } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { fileDays, fileTotals, folderSizes, folderTotal } from '../schema/schema.ts'
import type { FileRow } from './files.ts'

/** Number of files and of their bytes together. */
interface FileTotal {
  count: number
  size: number
}

const count = sql<number>`sum(${fileTotals.count})`
const size = sql<number>`sum(${fileTotals.size})`

export type TotalQueries = ReturnType<typeof totalQueries>

/** Queries of totals that triggers maintain, so reading them takes constant time. */
export function totalQueries(engine: Engine) {
  const { db, dialect, prepare } = engine
  const folderTotalRows = rowsOf(engine, folderTotal)
  const folderSizeRows = rowsOf(engine, folderSizes)
  const byVisibility = prepare(
    db
      .select({ visibility: fileTotals.visibility, count, size })
      .from(fileTotals)
      .groupBy(fileTotals.visibility),
  )
  const folders = folderTotalRows.select()
  const inFolders = folderSizeRows.select(
    sql`${folderSizes.folderId} IN (${dialect.elementsOf(sql.placeholder('ids'))})`,
  )
  const limit = sql.placeholder('limit')
  const below = prepare(
    db.select({ id: sql<string>`id`, count: sql<number>`count` }).from(sql`(
      WITH RECURSIVE below(id) AS (
        SELECT id FROM folders WHERE id IN (${dialect.elementsOf(sql.placeholder('ids'))})
        UNION ALL SELECT folders.id FROM folders JOIN below ON folders.parent_id = below.id AND folders.id <> below.id
        ${dialect.upTo(limit)}
      )
      SELECT id, coalesce((SELECT count FROM folder_sizes WHERE folder_sizes.folder_id = below.id), 0) AS count
        FROM below LIMIT ${limit}) AS counts`),
  )
  return {
    /** Returns some folders and those below them, up to `limit`, with the number of files directly in each. */
    below: (ids: readonly string[], limit: number): Query<{ id: string; count: number }[]> =>
      below.all({ ids: JSON.stringify(ids), limit }),
    /** Returns the number and size of files by media type, the largest type first. */
    types: (): Query<({ mimeType: string } & FileTotal)[]> =>
      prepare(
        db
          .select({ mimeType: fileTotals.mimeType, size, count })
          .from(fileTotals)
          .groupBy(fileTotals.mimeType)
          .having(gt(count, 0))
          .orderBy(desc(size), fileTotals.mimeType),
      ).all(),
    byVisibility: (): Query<Record<FileRow['visibility'], FileTotal>> =>
      byVisibility.all().into((rows) => {
        const of = (visibility: FileRow['visibility']): FileTotal => {
          const found = rows.find((row) => row.visibility === visibility)
          return { count: found?.count ?? 0, size: found?.size ?? 0 }
        }
        return { public: of('public'), private: of('private') }
      }),
    /** Returns the stored files that were added on each day from `day` on (`YYYY-MM-DD`). */
    addedSince: (day: string): Query<({ date: string } & FileTotal)[]> =>
      prepare(
        db
          .select({ date: fileDays.day, count: fileDays.count, size: fileDays.size })
          .from(fileDays)
          .where(gte(fileDays.day, day)),
      ).all(),
    /** Returns the number and size of the files directly in each of some folders; nothing for one without files. */
    inFolders: (ids: readonly string[]): Query<({ folderId: string } & FileTotal)[]> =>
      inFolders.all({ ids: JSON.stringify(ids) }),
    /** Returns the number of folders, the root included. */
    folders: (): Query<number> => folders.get().into((row) => row?.count ?? 0),
  }
}

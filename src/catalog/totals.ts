import { desc, gt, gte, sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import type { FileRow } from './files.ts'
import { fileDays, fileTotals, folderTotal } from './schema.ts'

/** Number of files and of their bytes together. */
interface FileTotal {
  count: number
  size: number
}

const count = sql<number>`sum(${fileTotals.count})`
const size = sql<number>`sum(${fileTotals.size})`

export type TotalQueries = ReturnType<typeof totalQueries>

/** Queries of totals that triggers maintain, so reading them takes constant time. */
export function totalQueries(db: Db) {
  return {
    /** Returns the number and size of files by media type, the largest type first. */
    types: (): ({ mimeType: string } & FileTotal)[] =>
      db
        .select({ mimeType: fileTotals.mimeType, size, count })
        .from(fileTotals)
        .groupBy(fileTotals.mimeType)
        .having(gt(count, 0))
        .orderBy(desc(size), fileTotals.mimeType)
        .all(),
    byVisibility: (): Record<FileRow['visibility'], FileTotal> => {
      const rows = db
        .select({ visibility: fileTotals.visibility, count, size })
        .from(fileTotals)
        .groupBy(fileTotals.visibility)
        .all()
      const of = (visibility: FileRow['visibility']): FileTotal => {
        const found = rows.find((row) => row.visibility === visibility)
        return { count: found?.count ?? 0, size: found?.size ?? 0 }
      }
      return { public: of('public'), private: of('private') }
    },
    /** Returns the stored files that were added on each day from `day` on (`YYYY-MM-DD`). */
    addedSince: (day: string): ({ date: string } & FileTotal)[] =>
      db
        .select({ date: fileDays.day, count: fileDays.count, size: fileDays.size })
        .from(fileDays)
        .where(gte(fileDays.day, day))
        .all(),
    /** Returns the number of folders, the root included. */
    folders: (): number => db.select().from(folderTotal).get()?.count ?? 0,
  }
}

import { and, eq, ne, sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import type { FileRow } from './files.ts'
import { files } from './schema.ts'

/** Visibility to set on every file in a folder and below it. */
export interface BulkChange {
  folderId: string
  visibility: FileRow['visibility']
  updatedAt: number
}

/** Queries of changes to everything below a folder. */
export const bulkQueries = (db: Db) => ({
  setVisibilityBelow: (change: BulkChange): number => setVisibilityBelow(db, change),
  /** Returns true if a folder has more than `count` folders or more than `count` files below it. */
  hasMoreBelow: (folderId: string, count: number): boolean => {
    const below = sql`
      WITH RECURSIVE below(id) AS (
        VALUES (${folderId})
        UNION SELECT folders.id FROM folders JOIN below ON folders.parent_id = below.id LIMIT ${count + 1}
      )`
    const [found] = db.all<{ folders: number; files: number }>(sql`${below}
      SELECT (SELECT count(*) FROM below) AS folders, (SELECT count(*) FROM (
        SELECT 1 FROM files JOIN below ON files.folder_id = below.id LIMIT ${count + 1})) AS files`)
    return found !== undefined && (found.folders > count || found.files > count)
  },
})

/**
 * Makes the change inside the caller's transaction and returns how many files changed. It goes folder by
 * folder, because one statement for all would hold a list of their rows in memory.
 */
export function setVisibilityBelow(db: Db, { folderId, visibility, updatedAt }: BulkChange): number {
  const below = db.all<{ id: string }>(sql`
    WITH RECURSIVE below(id) AS (
      VALUES (${folderId})
      UNION SELECT folders.id FROM folders JOIN below ON folders.parent_id = below.id
    )
    SELECT id FROM below`)
  const change = db
    .update(files)
    .set({ visibility, updatedAt })
    .where(and(eq(files.folderId, sql.placeholder('folderId')), ne(files.visibility, visibility)))
    .prepare()
  // The statement's own count includes rows changed by triggers.
  const countChanges = () => db.all<{ count: number }>(sql`SELECT changes() AS count`)[0]?.count ?? 0
  let changed = 0
  for (const { id } of below) {
    change.run({ folderId: id })
    changed += countChanges()
  }
  return changed
}

import { and, eq, ne, sql } from 'drizzle-orm'
import type { Engine } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { files } from '../schema/schema.ts'
import type { FileRow } from './files.ts'
import { purgesOf } from './purges.ts'

/** Visibility to set on every file in a folder and below it. */
export interface BulkChange {
  folderId: string
  visibility: FileRow['visibility']
  updatedAt: number
}

/** Queries of changes to everything below a folder. */
export function bulkQueries(engine: Engine) {
  const { db, dialect, notes, prepare, body } = engine
  const rows = rowsOf(engine, files)
  const owed = purgesOf(engine)
  const [folderId, limit] = [sql.placeholder('folderId'), sql.placeholder('limit')]
  const below = prepare(
    db.select({ id: sql<string>`id` }).from(sql`(
      WITH RECURSIVE below(id) AS (
        SELECT id FROM folders WHERE id = ${folderId}
        UNION SELECT folders.id FROM folders JOIN below ON folders.parent_id = below.id
      )
      SELECT id FROM below) AS ids`),
  )
  const countBelow = prepare(
    db.select({ folders: sql<number>`folders`, files: sql<number>`files` }).from(sql`(
      WITH RECURSIVE below(id) AS (
        SELECT id FROM folders WHERE id = ${folderId}
        UNION SELECT folders.id FROM folders JOIN below ON folders.parent_id = below.id
        ${dialect.upTo(limit)}
      )
      SELECT (SELECT count(*) FROM (SELECT 1 FROM below LIMIT ${limit}) AS found) AS folders,
        (SELECT count(*) FROM (
          SELECT 1 FROM files JOIN below ON files.folder_id = below.id LIMIT ${limit}) AS found) AS files
      ) AS counts`),
  )
  const change = rows.update(
    {
      visibility: sql`${sql.placeholder('visibility')}`,
      updatedAt: sql`${sql.placeholder('updatedAt')}`,
    },
    and(eq(files.folderId, folderId), ne(files.visibility, sql.placeholder('visibility'))),
  )
  return {
    /**
     * Makes the change inside the caller's transaction and returns how many files changed. It goes folder by
     * folder, because one statement for all would hold a list of their rows in memory.
     */
    setVisibilityBelow: ({ folderId, visibility, updatedAt }: BulkChange): Query<number> =>
      body(function* () {
        let changed = 0
        // Rules of a site that become public change what all of it is served with.
        if (visibility === 'private' || engine.owes === 'folders') yield* owed.ofFolder(folderId)
        for (const { id } of yield* below.all({ folderId }))
          changed += yield* change.change({ folderId: id, visibility, updatedAt })
        notes.note({ of: 'files below', id: folderId })
        return changed
      }),
    /** Returns true if a folder has more than `count` folders or more than `count` files below it. */
    hasMoreBelow: (folderId: string, count: number): Query<boolean> =>
      countBelow
        .get({ folderId, limit: count + 1 })
        .into((found) => found !== undefined && (found.folders > count || found.files > count)),
  }
}

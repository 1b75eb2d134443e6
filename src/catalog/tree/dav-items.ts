import { and, eq, notExists, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { davItems, files, folders, trashedFiles, trashedFolders } from '../schema/schema.ts'

export type DavItemRow = typeof davItems.$inferSelect

/** Queries of what WebDAV clients keep with files and folders. */
export function davItemQueries(engine: Engine) {
  const { db, dialect } = engine
  const rows = rowsOf(engine, davItems)
  const among = rows.select(sql`${davItems.itemId} IN (${dialect.elementsOf(sql.placeholder('ids'))})`)
  const isNotIn = (table: typeof files | typeof folders | typeof trashedFiles | typeof trashedFolders) =>
    notExists(db.select({ one: sql`1` }).from(table).where(eq(table.id, davItems.itemId)))
  const isOrphan = and(...[files, folders, trashedFiles, trashedFolders].map(isNotIn))
  return {
    of: (ids: readonly string[]): Query<DavItemRow[]> => among.all({ ids: JSON.stringify(ids) }),
    put: prepareInsert(engine, davItems, {
      target: [davItems.itemId],
      set: {
        modifiedAt: sql`excluded.modified_at`,
        sha256: sql`excluded.sha256`,
        properties: sql`excluded.properties`,
      },
    }).row,
    /** Removes up to `limit` rows of items that are gone for good, and returns how many. */
    removeOrphans: (limit: number) => rows.removeSome(isOrphan, limit),
  }
}

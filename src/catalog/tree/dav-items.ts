import { sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { davItems } from '../schema/schema.ts'
import { isGone } from './trash.ts'

export type DavItemRow = typeof davItems.$inferSelect

/** Queries of what WebDAV clients keep with files and folders. */
export function davItemQueries(engine: Engine) {
  const { dialect } = engine
  const rows = rowsOf(engine, davItems)
  const among = rows.select(sql`${davItems.itemId} IN (${dialect.elementsOf(sql.placeholder('ids'))})`)
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
    removeOrphans: (limit: number) => rows.removeSome(isGone(engine, davItems.itemId), limit),
  }
}

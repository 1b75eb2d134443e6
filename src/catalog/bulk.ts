import { sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import type { FileRow } from './files.ts'

/** Every file in a folder and below it gets one visibility. */
export interface BulkChange {
  folderId: string
  visibility: FileRow['visibility']
  updatedAt: number
}

/** Makes the change; part of the transaction it is called in. */
export function setVisibilityBelow(db: Db, { folderId, visibility, updatedAt }: BulkChange): void {
  db.run(sql`
    WITH RECURSIVE below(id) AS (
      VALUES (${folderId})
      UNION SELECT folders.id FROM folders JOIN below ON folders.parent_id = below.id
    )
    UPDATE files SET visibility = ${visibility}, updated_at = ${updatedAt}
    WHERE visibility <> ${visibility} AND folder_id IN below`)
}

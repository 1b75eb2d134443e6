import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Holdfast } from './holdfast.ts'
import { KIND } from './kind.ts'

/** Padding of names, so that lists soon fill the buffers of a connection. */
const LONG = 'x'.repeat(200)

/** Adds rows of `count` files without bytes in a new folder. As many uploads would take minutes. */
export function plantFiles({ dataPath }: Pick<Holdfast, 'dataPath'>, folder: string, count: number): void {
  if (KIND === 'embedded') mkdirSync(join(dataPath, 'uploads', folder))
  using database = new Database(join(dataPath, 'db', 'holdfast.sqlite'), { strict: true })
  database.run('PRAGMA busy_timeout = 5000')
  database
    .query(
      `INSERT INTO folders (id, parent_id, name, created_at, updated_at)
       SELECT $folder, id, $folder, 0, 0 FROM folders WHERE parent_id IS NULL`,
    )
    .run({ folder })
  database
    .query(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $count)
       INSERT INTO files (id, folder_id, name, mime_type, size, crc32, sha256, visibility, created_at, updated_at)
       SELECT $folder || i, $folder, printf('%09d', i) || $long, 'text/plain', 1, 0, $long, 'private', i, i FROM n`,
    )
    .run({ folder, count, long: LONG })
}

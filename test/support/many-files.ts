import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { insertFiles } from './file-rows.ts'
import type { Holdfast } from './holdfast.ts'
import { KIND } from './kind.ts'
import { openRows } from './rows.ts'

/** Padding of names, so that lists soon fill the buffers of a connection. */
const LONG = 'x'.repeat(200)

/** Returns the names of the files that `plantFiles` adds. */
export const namesOfPlanted = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${String(n + 1).padStart(9, '0')}${LONG}`)

/** Adds rows of `count` files without bytes in a new folder. As many uploads would take minutes. */
export function plantFiles({ dataPath }: Pick<Holdfast, 'dataPath'>, folder: string, count: number): void {
  if (KIND === 'embedded') mkdirSync(join(dataPath, 'uploads', folder))
  using database = openRows({ dataPath })
  database.run(
    `INSERT INTO folders (id, parent_id, name, created_at, updated_at)
     SELECT '${folder}', id, '${folder}', 0, 0 FROM folders WHERE parent_id IS NULL`,
  )
  const columns = {
    id: `'${folder}' || i`,
    folder_id: `'${folder}'`,
    name: `substr(CAST(1000000000 + i AS TEXT), 2) || '${LONG}'`,
    sha256: `'${LONG}'`,
  }
  database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     ${insertFiles({ ...columns, created_at: 'i', updated_at: 'i' }, 'n')}`,
  )
}

/** Adds rows of `count` folders in one folder, which exists. */
export function plantFolders(
  { dataPath }: Pick<Holdfast, 'dataPath'>,
  folderId: string,
  count: number,
): void {
  using database = openRows({ dataPath })
  database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO folders (id, parent_id, name, created_at, updated_at)
     SELECT '${folderId} folder ' || i, '${folderId}', 'folder ' || i, 0, 0 FROM n`,
  )
}

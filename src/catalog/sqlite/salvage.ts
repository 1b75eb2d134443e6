import type { Database } from 'bun:sqlite'
import { errorCode } from '../../platform/errors.ts'

type Row = Record<string, string | number | bigint | Uint8Array | null>

/** Tables about stored files, and aggregates of them. */
const OF_FILES = [
  'files',
  'folders',
  'intents',
  'resumables',
  'integrity',
  'held_integrity',
  'file_totals',
  'file_days',
  'folder_sizes',
  'folder_total',
  'version_total',
  'uploader_totals',
  'trash',
  'trashed_folders',
  'trashed_files',
  'blobs',
]

/** Copies everything except rows about stored files to a new database of the same version. */
export function copyAllButFiles(source: Database, target: Database): void {
  const tables = target
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => name)
  copyTables(
    source,
    target,
    tables.filter((name) => !OF_FILES.includes(name) && !name.startsWith('sqlite_')),
  )
}

/**
 * Copies the readable part of the tree to a new database of the same version. Rows on damaged pages are left
 * out, and so are the contents of folders whose row is lost.
 */
export function copyTree(source: Database, target: Database): void {
  copyTables(source, target, ['instance', 'folders', 'files'])
  const removeOrphans = target.query(
    `DELETE FROM folders WHERE ${IS_GARBLED}
      OR parent_id IS NOT NULL AND parent_id NOT IN (SELECT id FROM folders)`,
  )
  target.run('PRAGMA foreign_keys = OFF')
  while (removeOrphans.run().changes > 0);
  target.run(`DELETE FROM files WHERE ${IS_GARBLED} OR visibility NOT IN ('public', 'private')
    OR mime_type NOT GLOB '?*/?*' OR mime_type GLOB '*[^ -~]*'
    OR folder_id NOT IN (SELECT id FROM folders)`)
  target.run('PRAGMA foreign_keys = ON')
}

/** Condition for rows of a readable page whose bytes are garbled. */
const IS_GARBLED = `(length(id) <> 36 OR id GLOB '*[^0-9a-f-]*'
  OR typeof(created_at) <> 'integer' OR typeof(updated_at) <> 'integer')`

function copyTables(source: Database, target: Database, tables: readonly string[]): void {
  // A row may be inserted before the row it refers to.
  target.run('PRAGMA foreign_keys = OFF')
  target.transaction(() => {
    for (const table of tables) copyRows(source, target, table)
  })()
  target.run('PRAGMA foreign_keys = ON')
}

function copyRows(source: Database, target: Database, table: string): void {
  const columns = target
    .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => `"${name}"`)
    .join(', ')
  const places = columns.replaceAll(/"\w+"/g, '?')
  // A damaged row may hold values that the columns do not accept.
  const insert = target.query(`INSERT OR IGNORE INTO "${table}" (${columns}) VALUES (${places})`)
  const next = source.query<Row & { position: number }, [number]>(
    `SELECT rowid AS position, ${columns} FROM "${table}" WHERE rowid > ? ORDER BY rowid LIMIT 1`,
  )
  for (const { position: _, ...row } of readable((after) => next.get(after)))
    insert.run(...Object.values(row))
}

/**
 * Yields every readable row in order. An unreadable page holds rows of neighbouring positions, so the first
 * position behind it is searched for.
 *
 * @param read Reads the row at the first position after another; `null` when there is none.
 */
function* readable<Found extends { position: number }>(
  read: (after: number) => Found | null,
): Generator<Found> {
  const tryAfter = (position: number): Found | null | undefined => {
    try {
      return read(position)
    } catch (error) {
      if (errorCode(error)?.startsWith('SQLITE_')) return undefined
      throw error
    }
  }
  for (let position = 0; ; ) {
    const found = tryAfter(position)
    if (found === null) return
    if (found) {
      yield found
      position = found.position
      continue
    }
    const behind = firstWhere((candidate) => tryAfter(candidate) !== undefined, position)
    if (behind === undefined) return
    position = behind
  }
}

/** Returns the first number after `from` that satisfies `holds`, by doubling and then halving the step. */
function firstWhere(holds: (candidate: number) => boolean, from: number): number | undefined {
  let step = 1
  while (!holds(from + step)) {
    step *= 2
    if (from + step > Number.MAX_SAFE_INTEGER) return undefined
  }
  let [low, high] = [from + step / 2, from + step]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle
  }
  return high
}

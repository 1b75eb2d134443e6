import { Database } from 'bun:sqlite'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Registered } from './fixture.ts'
import type { Holdfast } from './holdfast.ts'

/** Uploads enough files for many database pages, every third folder private. */
export async function uploadMany({ sendUpload }: Pick<Registered<Holdfast>, 'sendUpload'>): Promise<void> {
  for (const [index, visibility] of ['public', 'private', 'public'].entries()) {
    const names = Array.from(
      { length: 100 },
      (_, n) => `${visibility} ${index} ${n} ${'long name '.repeat(8)}`,
    )
    const files = Object.fromEntries(names.map((name) => [name, `content of ${name}`]))
    const response = await sendUpload(files, { folder: `folder ${index}`, visibility })
    if (response.status !== 200) throw new Error(await response.text())
  }
}

/** Overwrites a few database pages with rows of files, as a failing disk might. */
export function damage(path: string): void {
  const pages = pagesOf(path, 'files')
  const bytes = readFileSync(path)
  for (const page of [pages[2], pages[5], pages.at(-1)]) {
    if (page === undefined) throw new Error('There are too few pages')
    bytes.fill(0xa5, (page - 1) * 4096, page * 4096)
  }
  writeFileSync(path, bytes)
}

/** Returns the numbers of a table's leaf pages, found by their first byte. */
function pagesOf(path: string, table: string): number[] {
  using database = new Database(path)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  const root = database
    .query<{ rootpage: number }, [string]>('SELECT rootpage FROM sqlite_schema WHERE name = ?')
    .get(table)?.rootpage
  const bytes = readFileSync(path)
  const at = ((root ?? 0) - 1) * 4096
  const cells = bytes.readUInt16BE(at + 3)
  return Array.from({ length: cells }, (_, n) => bytes.readUInt32BE(at + bytes.readUInt16BE(at + 12 + 2 * n)))
}

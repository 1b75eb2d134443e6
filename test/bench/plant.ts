import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { insertFiles } from '../support/file-rows.ts'
import { pattern, writePattern } from './workspace.ts'

/** Files with bytes for a folder of the root, with the names `0.bin`, `1.bin` and so on. */
export interface Grove {
  folder: string
  files: number
  /** Bytes of each file. */
  size: number
}

/** Opens the catalog of a data folder for fast inserts. No server may have it open. */
export function openForPlanting(dataPath: string): Database {
  const sqlite = new Database(join(dataPath, 'db', 'holdfast.sqlite'), { strict: true })
  sqlite.run('PRAGMA synchronous = OFF')
  // The statement journal, which each row's triggers write, stays in memory; it fits even for a million rows.
  sqlite.run('PRAGMA temp_store = MEMORY')
  sqlite.run('PRAGMA cache_size = -1000000')
  return sqlite
}

export function rootOf(sqlite: Database): string {
  const root = sqlite.query<{ id: string }, []>('SELECT id FROM folders WHERE parent_id IS NULL').get()
  if (!root) throw new Error('The data folder has no root folder')
  return root.id
}

const TYPE = 'application/octet-stream'

/** Prepares the insert of a public file: id, folder, name, type, size, CRC-32, SHA-256, and the two times. */
export const queryOfNewFile = (sqlite: Database) =>
  sqlite.query(
    insertFiles({
      ...{ id: '?1', folder_id: '?2', name: '?3', mime_type: '?4', size: '?5', crc32: '?6', sha256: '?7' },
      ...{ created_at: '?8', updated_at: '?9', visibility: "'public'" },
    }),
  )

/** Adds a folder of files to a data folder. No server may have it open. */
export function plantGrove(dataPath: string, { folder, files, size }: Grove, now: number): void {
  using sqlite = openForPlanting(dataPath)
  const path = join(dataPath, 'uploads', folder)
  mkdirSync(path)
  const { sum, sha256 } = checksums(size)
  const addFile = queryOfNewFile(sqlite)
  sqlite.transaction(() => {
    const folderId = Bun.randomUUIDv7()
    sqlite
      .query('INSERT INTO folders (id, parent_id, name, created_at, updated_at) VALUES (?, ?, ?, ?, ?)')
      .run(folderId, rootOf(sqlite), folder, now, now)
    for (let index = 0; index < files; index += 1) {
      const name = `${index}.bin`
      writePattern(join(path, name), size)
      addFile.run(Bun.randomUUIDv7(), folderId, name, TYPE, size, sum, sha256, now, now)
    }
  })()
}

function checksums(size: number): { sum: number; sha256: string } {
  const hasher = new Bun.CryptoHasher('sha256')
  let sum = 0
  for (const block of pattern(size)) {
    hasher.update(block)
    sum = crc32(block, sum)
  }
  return { sum, sha256: hasher.digest('hex') }
}

import { Database } from 'bun:sqlite'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

/** Files with bytes, to be put into a folder of the root. */
export interface Grove {
  folder: string
  files: number
  /** Bytes of each. */
  size: number
}

/** Opens the catalog of a data folder that no server has open, to be filled fast. */
export function openForPlanting(dataPath: string): Database {
  const sqlite = new Database(join(dataPath, 'db', 'holdfast.sqlite'), { strict: true })
  sqlite.run('PRAGMA synchronous = OFF')
  return sqlite
}

export function rootOf(sqlite: Database): string {
  const root = sqlite.query<{ id: string }, []>('SELECT id FROM folders WHERE parent_id IS NULL').get()
  if (!root) throw new Error('The data folder has no root folder')
  return root.id
}

/** Puts a folder of files into a data folder that no server has open. */
export function plantGrove(dataPath: string, { folder, files, size }: Grove, now: number): void {
  using sqlite = openForPlanting(dataPath)
  const path = join(dataPath, 'uploads', folder)
  mkdirSync(path)
  const content = Buffer.alloc(size, 'What is in an archive is not compressed. ')
  const sum = crc32(content)
  const sha256 = new Bun.CryptoHasher('sha256').update(content).digest('hex')
  const insert = sqlite.query(
    `INSERT INTO files VALUES (?, ?, ?, 'text/plain', ?, ?, ?, 'public', NULL, ?, ?)`,
  )
  sqlite.transaction(() => {
    const folderId = Bun.randomUUIDv7()
    sqlite.query('INSERT INTO folders VALUES (?, ?, ?, ?, ?)').run(folderId, rootOf(sqlite), folder, now, now)
    for (let index = 0; index < files; index += 1) {
      const name = `file-${index}.txt`
      writeFileSync(join(path, name), content)
      insert.run(Bun.randomUUIDv7(), folderId, name, size, sum, sha256, now, now)
    }
  })()
}

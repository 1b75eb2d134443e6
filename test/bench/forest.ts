import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openForPlanting, queryOfNewFile, rootOf } from './plant.ts'

/** Tree of 200 times 100 folders with 50 files each: 1,000,000 files in 20,000 folders, below one. */
export const FOREST = { top: 200, inner: 100, filesInFolder: 50 }
export const FILE_COUNT = FOREST.top * FOREST.inner * FOREST.filesInFolder

export const folderName = (index: number) => `folder-${String(index).padStart(3, '0')}`
export const fileName = (index: number) => `file-${String(index).padStart(2, '0')}.txt`

const MINUTE_MS = 60_000
const TYPES = ['text/plain', 'image/png', 'image/jpeg', 'video/mp4', 'application/pdf']

/**
 * Fills the catalog of a data folder, which no server may have open, with a million rows below the folder `forest`,
 * and its volume with their directories. Only the first file has bytes, because no measurement reads the others.
 */
export function plantForest(dataPath: string, now: number): void {
  using sqlite = openForPlanting(dataPath)
  const root = rootOf(sqlite)
  const addFolder = sqlite.query(
    'INSERT INTO folders (id, parent_id, name, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
  )
  const addFile = queryOfNewFile(sqlite)
  const folder = (parentId: string, name: string): string => {
    const id = Bun.randomUUIDv7()
    addFolder.run(id, parentId, name, now, now)
    return id
  }
  const sha256 = '0'.repeat(64)
  let count = 0
  const file = (folderId: string, name: string) => {
    const at = now - count * MINUTE_MS
    const type = TYPES[count % TYPES.length] ?? ''
    addFile.run(Bun.randomUUIDv7(), folderId, name, type, (count * 7919) % 100_000, 0, sha256, at, at)
    count += 1
  }
  const uploads = join(dataPath, 'uploads')
  sqlite.transaction(() => {
    const forest = folder(root, 'forest')
    for (let top = 0; top < FOREST.top; top += 1) {
      const topId = folder(forest, folderName(top))
      for (let inner = 0; inner < FOREST.inner; inner += 1) {
        const innerId = folder(topId, folderName(inner))
        mkdirSync(join(uploads, 'forest', folderName(top), folderName(inner)), { recursive: true })
        for (let index = 0; index < FOREST.filesInFolder; index += 1) file(innerId, fileName(index))
      }
    }
  })()
  writeFileSync(join(uploads, 'forest', folderName(0), folderName(0), fileName(0)), '')
}

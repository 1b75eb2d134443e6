import type { ReadableCatalog } from '../../catalog/catalog.ts'
import type { TrashedFile } from '../../catalog/tree/trash.ts'
import type { Pace } from '../../volume/stored-file.ts'
import type { Volume } from '../../volume/volume.ts'
import { heldPath } from '../held.ts'
import { contentProblem, type FileProblem } from './verify.ts'

/** Rows in memory at once. */
const PAGE_ROWS = 1000

interface VerifyTrash {
  catalog: Pick<ReadableCatalog, 'trash' | 'read'>
  volume: Volume
  /** Reads every file and compares its SHA-256; else only sizes are compared. */
  deep: boolean
}

/** Disagreement about the trash; the key is a path in the data folder. */
type TrashDifference = { key: string } & (
  | { problem: FileProblem; file: TrashedFile; path: string | undefined }
  | { problem: 'not in the catalog' }
)

/**
 * Compares `trash/` with the catalog, as `verify` does with the tree. Beside known items, only the folders of
 * unknown ones are named.
 */
export async function* verifyTrash({ catalog, volume, deep }: VerifyTrash): AsyncGenerator<TrashDifference> {
  for (let last = ''; ; ) {
    const page = await catalog.trash.filesAfter(last, PAGE_ROWS)
    for (const file of page) {
      const path = await catalog.read(() => heldPath(catalog, file))
      const problem = await trashedProblem(volume, { file, path, isRead: deep })
      if (problem && (await catalog.trash.file(file.id)))
        yield { key: `trash/${path ?? file.id}`, problem, file, path }
    }
    if (page.length < PAGE_ROWS) break
    last = page.at(-1)?.id ?? ''
  }
  for (const entry of volume.trash.entries())
    if (!(await catalog.trash.hasEntry(entry))) yield { key: `trash/${entry}`, problem: 'not in the catalog' }
}

/** Returns the problem with the bytes of a file in the trash; `path` is its place below `trash/`. */
export async function trashedProblem(
  volume: Volume,
  { file, path, isRead, pace }: { file: TrashedFile; path: string | undefined; isRead: boolean; pace?: Pace },
): Promise<FileProblem | undefined> {
  const opened = path === undefined ? undefined : volume.trash.openFile(path)
  return opened ? contentProblem(opened, file, { isRead, pace }) : 'bytes are missing'
}

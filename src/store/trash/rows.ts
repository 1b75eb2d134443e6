import type { Catalog, ReadableCatalog } from '../../catalog/catalog.ts'
import type { Work } from '../../catalog/engine/query.ts'
import type { TrashedFile, TrashRow } from '../../catalog/tree/trash.ts'
import { refuseConflict } from '../../platform/errors.ts'
import { isTooLong, joinKey, nameProblem } from '../../platform/names.ts'

/** Rows of a transaction, so that no other waits long. */
const SLICE_ROWS = 256

/**
 * Moves the rows of a folder that left the tree, and of everything below, to the trash. Deepest first, because a
 * row refers to the folder above it. Continues after an interruption.
 */
export async function moveRowsToTrash(catalog: Catalog, trashId: string): Promise<void> {
  let at: string | undefined = trashId
  while (at !== undefined) {
    const start: string = at
    at = await catalog.transactToFree(() => sliceToTrash(catalog, trashId, start))
  }
}

/**
 * Takes a folder out of the tree inside the caller's transaction, which has inserted its item. The first slice of rows
 * goes along, and so a small folder whole; `moveRowsToTrash` moves the rest.
 */
export function* leaveTree(catalog: Catalog, trashId: string): Work<void> {
  yield* catalog.folders.detach(trashId)
  yield* sliceToTrash(catalog, trashId, trashId)
}

/** Moves one slice, and returns the folder to continue at. */
function* sliceToTrash(catalog: Catalog, trashId: string, start: string): Work<string | undefined> {
  // A folder that was restored meanwhile is in the tree again.
  if (!(yield* catalog.trash.byId(trashId))) return undefined
  let at = start
  for (let left = SLICE_ROWS; left > 0; left--) {
    left -= yield* filesToTrash(catalog, { trashId, folderId: at, limit: left })
    if (left <= 0) break
    const [child] = yield* catalog.folders.inFolderAfter(at, '', 1)
    if (child) {
      at = child.id
      continue
    }
    const row = yield* catalog.folders.byId(at)
    if (!row) return undefined
    const parentId = row.parentId ?? trashId
    yield* catalog.trash.insertFolder({ ...row, parentId, trashId })
    yield* catalog.folders.remove(at)
    if (at === trashId) return undefined
    at = parentId
  }
  return at
}

interface InFolder {
  trashId: string
  folderId: string
  limit: number
}

function* filesToTrash(catalog: Catalog, { trashId, folderId, limit }: InFolder): Work<number> {
  const files = yield* catalog.files.someInFolder(folderId, limit)
  if (files.length === 0) return 0
  yield* catalog.trash.insertFiles(files.map((file) => ({ ...file, trashId })))
  yield* catalog.files.removeAll(files.map(({ id }) => id))
  yield* catalog.trash.add(trashId, { count: files.length, size: sizeOf(files) })
  return files.length
}

/**
 * Moves the rows of a large folder in the trash, and of everything below, to a folder outside the tree. Parents first.
 * `moveRowsToTrash` undoes an unfinished one. `returnTree` moves those of a small one.
 */
export async function moveRowsFromTrash(catalog: Catalog, trashId: string): Promise<void> {
  const isWhole = (await catalog.trash.folder(trashId)) !== undefined
  if (isWhole && (await catalog.trash.hasAtMost(trashId, SLICE_ROWS))) return
  let at: string | undefined = trashId
  while (at !== undefined) {
    const start: string = at
    at = await catalog.transactToFree(() => sliceFromTrash(catalog, trashId, start))
  }
}

/**
 * Moves the rows of a folder to a folder outside the tree, inside the caller's transaction.
 *
 * @returns False when `moveRowsFromTrash` has moved them already.
 */
export function* returnTree(catalog: Catalog, trashId: string): Work<boolean> {
  if (!(yield* catalog.trash.folder(trashId))) return false
  let at: string | undefined = trashId
  while (at !== undefined) at = yield* sliceFromTrash(catalog, trashId, at)
  return true
}

function* sliceFromTrash(catalog: Catalog, trashId: string, start: string): Work<string | undefined> {
  // Another server may remove it since this one was paused.
  const item = yield* catalog.trash.byId(trashId)
  if (!item || item.purging) return undefined
  const top = yield* catalog.trash.folder(trashId)
  if (top) {
    yield* catalog.folders.insertDetached(top)
    yield* catalog.trash.removeFolder(trashId)
  }
  let at = start
  for (let left = SLICE_ROWS; left > 0; left--) {
    left -= yield* filesFromTrash(catalog, { trashId, folderId: at, limit: left })
    if (left <= 0) break
    const [child] = yield* catalog.trash.foldersIn(trashId, at, '', 1)
    if (child) {
      assertNames([child])
      const { trashId: _, ...row } = child
      yield* catalog.folders.insert([row])
      yield* catalog.trash.removeFolder(child.id)
      at = child.id
      continue
    }
    if (at === trashId) return undefined
    at = (yield* catalog.folders.byId(at))?.parentId ?? trashId
  }
  return at
}

function* filesFromTrash(catalog: Catalog, { trashId, folderId, limit }: InFolder): Work<number> {
  const files = yield* catalog.trash.filesIn(trashId, folderId, '', limit)
  if (files.length === 0) return 0
  assertNames(files)
  yield* catalog.files.insert(files.map(({ trashId: _, ...file }) => file))
  yield* catalog.trash.removeFiles(files.map(({ id }) => id))
  yield* catalog.trash.add(trashId, { count: -files.length, size: -sizeOf(files) })
  return files.length
}

/** Returns the bytes of files together. */
export const sizeOf = (files: readonly { size: number }[]) =>
  files.reduce((size, file) => size + file.size, 0)

/** Returns the name of an item below `trash/` on the volume. */
export const heldName = ({ entry, name }: Pick<TrashRow, 'entry' | 'name'>) => `${entry}/${name}`

/** Finds the path of a file below `trash/`; `undefined` when the rows above it are missing. */
export function* heldPath(
  { trash }: Pick<ReadableCatalog, 'trash'>,
  file: TrashedFile,
): Work<string | undefined> {
  const item = yield* trash.byId(file.trashId)
  if (!item) return undefined
  if (item.kind === 'file') return heldName(item)
  let path = file.name
  for (let id = file.folderId; id !== item.id; ) {
    const folder = yield* trash.folder(id)
    // In a damaged catalog, folders may be inside each other.
    if (!folder || isTooLong(path)) return undefined
    path = joinKey(folder.name, path)
    id = folder.parentId
  }
  return joinKey(heldName(item), path)
}

/**
 * Asserts that rows of the trash have valid names: one such as `../x` in a tampered catalog leads out of `trash/`.
 *
 * @throws {Refusal} `conflict`.
 */
export function assertNames(rows: readonly { name: string }[]): void {
  for (const { name } of rows) {
    const problem = nameProblem(name)
    if (problem !== undefined)
      throw refuseConflict(`The name ${JSON.stringify(name)} in the trash ${problem}`)
  }
}

import type { Catalog, ReadableCatalog } from '../../catalog/catalog.ts'
import { done, type Steps, type Work } from '../../catalog/engine/query.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { TrashedFile, TrashRow } from '../../catalog/tree/trash.ts'
import { refuseConflict } from '../../platform/errors.ts'
import { isTooLong, joinKey, nameProblem } from '../../platform/names.ts'

/** Rows of a transaction, so that no other waits long. */
const SLICE_ROWS = 256

/**
 * Place at which the next slice continues: after a name in a folder. PostgreSQL would walk over all rows before it, which
 * stay until no transaction may see them.
 */
interface Place {
  folderId: string
  /** Undefined when all files of the folder were moved. */
  after: string | undefined
}

const startOf = (folderId: string): Place => ({ folderId, after: '' })

/**
 * Moves the rows of a folder that left the tree, and of everything below, to the trash. Deepest first, because a
 * row refers to the folder above it. Continues after an interruption.
 */
export async function moveRowsToTrash(catalog: Catalog, trashId: string): Promise<void> {
  let at: Place | undefined = startOf(trashId)
  while (at !== undefined) {
    const start: Place = at
    at = await catalog.transactToFree(() => sliceToTrash(catalog, trashId, start))
  }
}

/**
 * Takes a folder out of the tree inside the caller's transaction, which has inserted its item. The first slice of rows
 * goes along, and so a small folder whole; `moveRowsToTrash` moves the rest.
 *
 * @param meanwhile Takes what stays in the tree out of the folder, once its name is free.
 */
export function* leaveTree(
  catalog: Catalog,
  trashId: string,
  meanwhile: () => Steps<void> = () => done(undefined),
): Work<void> {
  yield* catalog.folders.detach(trashId)
  yield* meanwhile()
  yield* sliceToTrash(catalog, trashId, startOf(trashId))
}

/** Moves one slice, and returns the place to continue at. */
function* sliceToTrash(catalog: Catalog, trashId: string, start: Place): Work<Place | undefined> {
  // A folder that was restored meanwhile is in the tree again.
  if (!(yield* catalog.trash.byId(trashId))) return undefined
  let at = start
  for (let left = SLICE_ROWS; left > 0; left--) {
    const { folderId } = at
    const [child] = yield* catalog.folders.inFolderAfter(folderId, '', 1)
    if (child) {
      at = startOf(child.id)
      continue
    }
    const moved = yield* filesToTrash(catalog, { trashId, ...at, limit: left })
    left -= moved.length
    at = { folderId, after: moved.at(-1)?.name ?? at.after }
    if (left <= 0) break
    const row = yield* catalog.folders.byId(folderId)
    if (!row) return undefined
    const parentId = row.parentId ?? trashId
    yield* catalog.trash.insertFolder({ ...row, parentId, trashId })
    yield* catalog.folders.remove(folderId)
    if (folderId === trashId) return undefined
    at = startOf(parentId)
  }
  return at
}

interface InFolder extends Place {
  trashId: string
  limit: number
}

function* filesToTrash(
  catalog: Catalog,
  { trashId, folderId, after = '', limit }: InFolder,
): Work<readonly FileRow[]> {
  const files = yield* catalog.files.inFolderAfter(folderId, after, limit)
  if (files.length === 0) return files
  yield* catalog.trash.insertFiles(files.map((file) => ({ ...file, trashId })))
  yield* catalog.files.removeAll(files.map(({ id }) => id))
  yield* catalog.trash.add(trashId, { count: files.length, size: sizeOf(files) })
  return files
}

/**
 * Moves the rows of a large folder in the trash, and of everything below, to a folder outside the tree. Parents first.
 * `moveRowsToTrash` undoes an unfinished one. `returnTree` moves those of a small one.
 */
export async function moveRowsFromTrash(catalog: Catalog, trashId: string): Promise<void> {
  const isWhole = (await catalog.trash.folder(trashId)) !== undefined
  if (isWhole && (await catalog.trash.hasAtMost(trashId, SLICE_ROWS))) return
  let at: Place | undefined = startOf(trashId)
  while (at !== undefined) {
    const start: Place = at
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
  let at: Place | undefined = startOf(trashId)
  while (at !== undefined) at = yield* sliceFromTrash(catalog, trashId, at)
  return true
}

function* sliceFromTrash(catalog: Catalog, trashId: string, start: Place): Work<Place | undefined> {
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
    const moved = yield* filesFromTrash(catalog, { trashId, ...at, limit: left })
    left -= moved.length
    const { folderId } = at
    at = { folderId, after: moved.at(-1)?.name }
    if (left <= 0) break
    const [child] = yield* catalog.trash.foldersIn(trashId, folderId, '', 1)
    if (child) {
      assertNames([child])
      const { trashId: _, ...row } = child
      yield* catalog.folders.insert([row])
      yield* catalog.trash.removeFolder(child.id)
      at = startOf(child.id)
      continue
    }
    if (folderId === trashId) return undefined
    at = { folderId: (yield* catalog.folders.byId(folderId))?.parentId ?? trashId, after: undefined }
  }
  return at
}

function* filesFromTrash(
  catalog: Catalog,
  { trashId, folderId, after, limit }: InFolder,
): Work<readonly TrashedFile[]> {
  const files = after === undefined ? [] : yield* catalog.trash.filesIn(trashId, folderId, after, limit)
  if (files.length === 0) return files
  assertNames(files)
  yield* catalog.files.insert(files.map(({ trashId: _, ...file }) => file))
  yield* catalog.trash.removeFiles(files.map(({ id }) => id))
  yield* catalog.trash.add(trashId, { count: -files.length, size: -sizeOf(files) })
  return files
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

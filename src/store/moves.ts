import { done, type Steps, type Work } from '../catalog/engine/query.ts'
import type { Copied } from '../catalog/publication.ts'
import type { FileColumns, FileRow } from '../catalog/tree/files.ts'
import type { FolderRow } from '../catalog/tree/folders.ts'
import { refuseInvalid } from '../platform/errors.ts'
import { isAtOrBelow } from '../platform/names.ts'
import { mediaType } from './content.ts'
import {
  assertRightAbove,
  assertVisibility,
  type Destination,
  findTarget,
  type Located,
  leavesGrant,
  locateFile,
  locateFolder,
  locateMovable,
  type Target,
  type TreeDeps,
} from './tree.ts'

/** Columns of a file that its users may change: its name, and what a copy has from its original. */
export type FileChanges = Pick<FileColumns, 'name' | keyof Copied>

/** New name of a folder, and visibility of every file below it. */
export interface FolderChanges {
  name: string
  visibility?: FileRow['visibility'] | undefined
}

/** Move or rename of a file or folder. */
export interface Move<Row> extends Located<FileRow | FolderRow> {
  what: 'file' | 'folder'
  target: Target
  /** Name in the target. */
  name: string
  /** Further columns of a file to change. */
  also?: FileColumns
  /**
   * Ends the transaction: makes further changes, then reads the row and its key, because another change may commit
   * right after it.
   */
  finish: () => Work<Located<Row>>
}

/** Move, or the whole change of a file or folder that keeps its place. */
export type PlannedMove<Row> = Move<Row> | { stay: () => Steps<Located<Row>> }

/**
 * Plans a change of a file's name, visibility or both. A visibility that is not requested is not written, because a
 * bulk change may commit between the read and the write.
 */
export function* planFileChange(
  deps: TreeDeps,
  id: string,
  changes: FileChanges,
): Work<PlannedMove<FileRow>> {
  const { catalog, clock } = deps
  const { row, key, folder } = yield* locateFile(deps, id)
  yield* assertVisibility(deps, row.folderId, changes.visibility)
  const { name = row.name, ...others } = changes
  const finish = () => locateFile(deps, id)
  if (name !== row.name) return { what: 'file', row, key, target: folder, name, also: others, finish }
  return {
    stay: function* () {
      yield* catalog.files.update(id, { ...others, updatedAt: clock.now() })
      return yield* finish()
    },
  }
}

/** Plans the move of a file to another folder, another name, or both. */
export function* planFileMove(
  deps: TreeDeps,
  id: string,
  destination: Destination,
  newName?: string,
): Work<PlannedMove<FileRow>> {
  yield* locateFile(deps, id)
  const target = yield* findTarget(deps, destination)
  const { row, key } = yield* locateMovable(deps, id, target)
  const name = newName ?? row.name
  if (target.folderId === row.folderId && name === row.name) return { stay: () => done({ row, key }) }
  return { what: 'file', row, key, target, name, finish: () => locateFile(deps, id) }
}

/** Plans a change of a folder's name, and of the visibility of every file below it. */
export function* planFolderChange(
  deps: TreeDeps,
  id: string,
  { name, visibility }: FolderChanges,
): Work<PlannedMove<FolderRow>> {
  const { catalog, clock } = deps
  const { row, key } = yield* locateFolder(deps, id)
  if (row.parentId === null) throw refuseInvalid('The root folder cannot be renamed')
  yield* assertRightAbove(deps, row, 'write')
  yield* assertVisibility(deps, id, visibility)
  const target = yield* findTarget(deps, { folderId: row.parentId })
  function* finish(): Work<Located<FolderRow>> {
    if (visibility !== undefined)
      yield* catalog.bulk.setVisibilityBelow({ folderId: id, visibility, updatedAt: clock.now() })
    return yield* locateFolder(deps, id)
  }
  return row.name === name ? { stay: finish } : { what: 'folder', row, key, target, name, finish }
}

/** Plans the move of a folder, with everything below it, to another, to another name, or both. */
export function* planFolderMove(
  deps: TreeDeps,
  id: string,
  destination: Destination,
  newName?: string,
): Work<PlannedMove<FolderRow>> {
  const { row, key } = yield* locateFolder(deps, id)
  if (row.parentId === null) throw refuseInvalid('The root folder cannot be moved')
  const target = yield* findTarget(deps, destination)
  if (isAtOrBelow(target.key, key)) throw refuseInvalid('A folder cannot be moved into itself')
  yield* assertRightAbove(deps, row, 'write')
  if (yield* leavesGrant(deps, row.parentId, target)) yield* assertRightAbove(deps, row, 'delete')
  const name = newName ?? row.name
  if (target.folderId === row.parentId && name === row.name) return { stay: () => done({ row, key }) }
  return { what: 'folder', row, key, target, name, finish: () => locateFolder(deps, id) }
}

/**
 * Moves the row inside the caller's transaction.
 *
 * @param rename Moves the name on disk, where there is one.
 */
export function* moveRow<Row>(
  { catalog, clock }: TreeDeps,
  { what, row, target, name, also, finish }: Move<Row>,
  rename: () => void = () => {},
): Work<Located<Row>> {
  const { id } = row
  const updatedAt = clock.now()
  yield* catalog.folders.insert(target.missing.map(({ row }) => row))
  rename()
  if (what === 'folder') yield* catalog.folders.update(id, { parentId: target.folderId, name, updatedAt })
  else {
    const place = { folderId: target.folderId, name, mimeType: mediaType(name) }
    const from = 'folderId' in row ? row.folderId : undefined
    yield* catalog.files.update(id, { ...place, updatedAt, ...also }, from)
  }
  return yield* finish()
}

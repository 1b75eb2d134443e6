import type { Steps, Work } from '../../catalog/engine/query.ts'
import type { Right } from '../../catalog/engine/reach.ts'
import type { FolderRow } from '../../catalog/tree/folders.ts'
import type { TrashRow } from '../../catalog/tree/trash.ts'
import { placeOfTrashed } from '../../catalog/tree/within.ts'
import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { isAtOrBelow } from '../../platform/names.ts'
import {
  assertRight,
  assertRightAbove,
  findTarget,
  keyReached,
  type Located,
  locateFile,
  locateFolder,
  refuseRight,
  requireFolder,
  type Target,
  type TreeDeps,
} from '../tree.ts'
import { heldName, leaveTree } from './rows.ts'

/** Item before it has its place on disk. */
type NewItem = Omit<TrashRow, 'entry'>

/** Item on its way to the trash, and how its rows leave the tree. */
export interface Leaving {
  item: NewItem
  leave: () => Steps<void>
}

/** Finds a file that goes to the trash. @throws {Refusal} `not-found`. */
export function* leavingFile(deps: TreeDeps, id: string, userId: string): Work<Leaving> {
  const { catalog, clock } = deps
  const { row, key } = yield* locateFile(deps, id)
  const { name, folderId, size } = row
  yield* assertRight(deps, folderId, 'delete')
  const item = { ...newItem(id, userId, clock.now()), name, key, parentId: folderId, count: 1, size }
  return {
    item: { ...item, kind: 'file' },
    leave: function* () {
      // Read again, because a bulk change of visibility may have committed since.
      const now = yield* catalog.files.byId(id)
      if (now) yield* catalog.trash.insertFiles([{ ...now, trashId: id }])
      yield* catalog.files.remove(id)
    },
  }
}

/** Finds a folder that goes to the trash. @throws {Refusal} `invalid` for the root, `not-found`. */
export function* leavingFolder(deps: TreeDeps, id: string, userId: string | null): Work<Leaving> {
  const { catalog, clock } = deps
  const { row, key } = yield* locateFolder(deps, id)
  const { name, parentId } = row
  if (parentId === null) throw refuseInvalid('The root folder cannot be deleted')
  yield* assertRightAbove(deps, row, 'delete')
  const item = { ...newItem(id, userId, clock.now()), name, key, parentId, count: 0, size: 0 }
  return { item: { ...item, kind: 'folder' }, leave: () => leaveTree(catalog, id) }
}

const newItem = (id: string, deletedBy: string | null, deletedAt: number) => ({
  id,
  deletedBy,
  deletedAt,
  purging: false,
  replacedBy: null,
})

/** Item that returned to the tree. */
export interface Restored {
  id: string
  kind: TrashRow['kind']
  name: string
  key: string
}

export const notInTrash = () => new Refusal('not-in-trash')

/** Item on its way back to the tree. */
export interface Returning {
  item: TrashRow
  target: Target
  /** Name in the target. */
  name: string
}

/** @throws {Refusal} `not-found` for an item outside the reach, `right-missing` in the folder where it was. */
export function* assertRightOver(deps: TreeDeps, item: TrashRow, ...rights: readonly Right[]): Work<void> {
  if (deps.reach.isEverything) return
  const place = yield* placeOfTrashed(deps.catalog.trash, item)
  const isInside = (yield* keyReached(deps, place?.folderId)) !== undefined
  const folderId = isInside ? place?.folderId : item.replacedBy
  if (folderId == null || (yield* keyReached(deps, folderId)) === undefined) throw notInTrash()
  for (const right of rights) {
    // A replaced folder returns to the one above.
    if (!isInside && right === 'write') throw refuseRight(right, 'the folder above')
    yield* assertRight(deps, folderId, right)
  }
}

/**
 * Finds the folder that an item returns to.
 *
 * @throws {Refusal} `not-found`, `right-missing`, `conflict` when a file is in the place of a folder.
 */
export function* findPlace(deps: TreeDeps, item: TrashRow): Work<Target> {
  const { parentId, key } = item
  yield* assertRightOver(deps, item, 'write')
  const isThere = (yield* keyReached(deps, parentId)) !== undefined
  return yield* findTarget(deps, isThere ? { folderId: parentId } : { folder: key.split('/').slice(0, -1) })
}

/**
 * Returns an item to the tree inside the caller's transaction.
 *
 * @param rename Moves its name on disk, where there is one.
 */
export function* returnRows(
  { catalog }: Pick<TreeDeps, 'catalog'>,
  { item, target, name }: Returning,
  rename: () => void = () => {},
): Work<void> {
  const now = yield* catalog.trash.byId(item.id)
  if (!now || now.purging) throw notInTrash()
  yield* catalog.folders.insert(target.missing.map(({ row }) => row))
  if (item.kind === 'folder') yield* catalog.folders.update(item.id, { parentId: target.folderId, name })
  else {
    const row = yield* catalog.trash.file(item.id)
    if (!row) throw notInTrash()
    const { trashId: _, ...file } = row
    yield* catalog.files.insert([{ ...file, folderId: target.folderId, name }])
    yield* catalog.trash.removeFiles([item.id])
  }
  yield* catalog.trash.remove(item.id)
  // Last, so that it need not be undone when a row is refused.
  rename()
}

/** Request to put a folder in the place of another. */
export interface Swap {
  /** Folder that takes the place. */
  id: string
  /** Folder that goes to the trash. */
  replaces: string
  /** Account that replaces it. */
  userId: string
  /** Rest of the transaction. */
  alongside: (folder: FolderRow, key: string) => Steps<void>
}

/** Folder below another, with its key. */
interface Placed extends Located<FolderRow> {
  parentId: string
}

/** Both folders before the exchange. */
export interface Sides {
  old: Placed
  /** Key of the other folder, or its name below `trash/`. */
  from: string
}

/**
 * Finds both folders.
 *
 * @throws {Refusal} `not-found`, `right-missing`, `invalid` for the root or when the replaced folder is in the other one.
 */
export function* findSides(deps: TreeDeps, { id, replaces }: Swap, item: TrashRow | undefined): Work<Sides> {
  const old = yield* requirePlaced(deps, replaces)
  yield* assertRight(deps, replaces, 'write')
  yield* assertRight(deps, replaces, 'delete')
  if (item) {
    // An earlier version of the folder belongs to its place.
    if (item.replacedBy !== replaces) yield* assertRightOver(deps, item, 'write', 'delete')
    return { old, from: heldName(item) }
  }
  const { row, key } = yield* requirePlaced(deps, id)
  yield* assertRightAbove(deps, row, 'write')
  yield* assertRightAbove(deps, row, 'delete')
  if (isAtOrBelow(old.key, key)) throw refuseInvalid('A folder cannot replace itself, nor one that is in it')
  return { old, from: key }
}

function* requirePlaced(deps: TreeDeps, id: string): Work<Placed> {
  const { row, key } = yield* locateFolder(deps, id)
  if (row.parentId === null) throw refuseInvalid('The root folder cannot be replaced, nor replace another')
  return { row, parentId: row.parentId, key }
}

/** Returns the item of the trash that a replaced folder becomes. */
export const itemOf = (
  { row: { name }, key, parentId }: Placed,
  { id, replaces, userId }: Swap,
  { now, entry }: { now: number; entry: string },
): TrashRow => ({
  ...newItem(replaces, userId, now),
  ...{ kind: 'folder', name, key, parentId, count: 0, size: 0, entry, replacedBy: id },
})

interface Exchange {
  swap: Swap
  old: Placed
  /** Item of the trash that the old folder becomes. */
  trashed: TrashRow
  /** True when the other folder comes from the trash, with its rows outside the tree. */
  isTrash: boolean
}

/** Exchanges the rows of both folders inside the caller's transaction. */
export function* swapRows(
  deps: TreeDeps,
  { swap, old: { row, parentId, key }, trashed, isTrash }: Exchange,
): Work<Located<FolderRow>> {
  const { catalog, clock } = deps
  const { id, alongside } = swap
  if (isTrash) {
    const item = yield* catalog.trash.byId(id)
    if (!item || item.purging) throw notInTrash()
    yield* catalog.trash.remove(id)
  }
  yield* followBelow(deps, row.id, id)
  yield* catalog.trash.follow(row.id, id)
  yield* catalog.trash.insert(trashed)
  yield* leaveTree(catalog, trashed.id, () =>
    catalog.folders.update(id, { parentId, name: row.name, updatedAt: clock.now() }),
  )
  yield* catalog.shares.follow(row.id, id)
  yield* catalog.grants.follow(row.id, id)
  yield* catalog.favorites.follow(row.id, id)
  yield* catalog.sites.follow(row.id, id)
  const folder = yield* requireFolder(deps, id)
  yield* alongside(folder, key)
  return { row: folder, key }
}

/** Lets shares and sites of what is below a folder use what has the same path below another one, if that has it. */
function* followBelow({ catalog }: TreeDeps, from: string, to: string): Work<void> {
  for (const item of yield* catalog.shares.itemsBelow(from)) {
    const [name = '', ...above] = item.path.split('/').slice(1).reverse()
    const parent = yield* folderBelow(catalog, to, above.reverse())
    if (parent === undefined) continue
    const { byName } = item.kind === 'file' ? catalog.files : catalog.folders
    const next = yield* byName(parent, name)
    if (next) yield* catalog.shares.follow(item.id, next.id)
  }
  const folderIds = new Set((yield* catalog.sites.all()).map(({ folderId }) => folderId))
  if (folderIds.size === 0) return
  const keys = yield* catalog.folders.keysOf([from, ...folderIds])
  const top = keys.get(from) ?? ''
  for (const folderId of folderIds) {
    const key = keys.get(folderId)
    if (key === undefined || !key.startsWith(`${top}/`)) continue
    const next = yield* folderBelow(catalog, to, key.slice(top.length + 1).split('/'))
    if (next !== undefined) yield* catalog.sites.follow(folderId, next)
  }
}

/** Returns the id of the folder at a path below another one; `undefined` for none. */
function* folderBelow(
  { folders }: Pick<TreeDeps['catalog'], 'folders'>,
  top: string,
  path: readonly string[],
): Work<string | undefined> {
  let at: string | undefined = top
  for (const name of path) at = at && (yield* folders.byName(at, name))?.id
  return at
}

import type { Steps, Work } from '../../catalog/engine/query.ts'
import type { FolderRow } from '../../catalog/tree/folders.ts'
import type { TrashRow } from '../../catalog/tree/trash.ts'
import { refuseConflict, refuseInvalid } from '../../platform/errors.ts'
import type { FileIdentity } from '../../volume/directory.ts'
import type { Volume } from '../../volume/volume.ts'
import { heldName } from '../held.ts'
import { leaveTree } from '../trash-rows.ts'
import { type Located, locateFolder, requireFolder, type TreeDeps } from '../tree.ts'
import { announce, change, type StorageDeps } from './change.ts'
import type { SwapPlan } from './plan.ts'
import { notInTrash, returnSmallFolder } from './trash-restore.ts'

type Stores = Pick<StorageDeps, 'catalog' | 'volume'>

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
 * Puts a folder in the place of another, which goes to the trash: one turn of the event loop renames both
 * directories and commits their rows, so each request finds one of them whole.
 *
 * @param item Item of the trash that takes the place, when its rows are outside the tree already.
 * @throws {Refusal} `not_found`, `invalid` for the root or when one is in the other, or for too long a key,
 *   `conflict` when a directory is missing, `disk_refused`, `unavailable`.
 */
export function swapFolders(
  deps: StorageDeps,
  swap: Swap,
  item: TrashRow | undefined,
): Promise<Located<FolderRow>> {
  return deps.lock.exclusive(async () => {
    const sides = await deps.catalog.read(() => findSides(deps, swap, item))
    const { key } = sides.old
    const keys = item ? [key] : [key, sides.from]
    return change(deps, { failure: `"${key}" could not be replaced`, keys }, async () => {
      const { plan, trashed } = await planSwap(deps, { swap, sides, item })
      await admit(deps, plan)
      const commit = () => carryOut(deps, { swap, sides, plan, trashed })
      const { value, finished } = await announce(deps, { plan, commit })
      await finished
      return value
    })
  })
}

/**
 * Finds both folders.
 *
 * @throws {Refusal} `not_found`, `invalid` for the root or when one is in the other.
 */
export function* findSides(deps: TreeDeps, { id, replaces }: Swap, item: TrashRow | undefined): Work<Sides> {
  const old = yield* requirePlaced(deps, replaces)
  if (item) return { old, from: heldName(item) }
  const { key } = yield* requirePlaced(deps, id)
  if (`${key}/`.startsWith(`${old.key}/`) || old.key.startsWith(`${key}/`))
    throw refuseInvalid('A folder cannot replace itself, nor one that is in it or around it')
  return { old, from: key }
}

function* requirePlaced(deps: TreeDeps, id: string): Work<Placed> {
  const { row, key } = yield* locateFolder(deps, id)
  if (row.parentId === null) throw refuseInvalid('The root folder cannot be replaced, nor replace another')
  return { row, parentId: row.parentId, key }
}

interface Planned {
  plan: SwapPlan
  /** Item of the trash that the old folder becomes. */
  trashed: TrashRow
}

async function planSwap(
  { volume, clock }: StorageDeps,
  { swap, sides: { old, from }, item }: { swap: Swap; sides: Sides; item: TrashRow | undefined },
): Promise<Planned> {
  const { id, replaces } = swap
  const { key } = old
  const trashed = itemOf(old, swap, { now: clock.now(), entry: volume.trash.newEntry(clock.now()) })
  const identity = await volume.identify(key, 'directory')
  const arriving = item ? volume.trash.identify(from) : await volume.identify(from, 'directory')
  if (!identity || !arriving) throw refuseConflict(`"${identity ? from : key}" is missing on disk`)
  const plan: SwapPlan = {
    kind: 'swap',
    key,
    old: { id: replaces, held: heldName(trashed), identity },
    next: { id, from, isTrash: item !== undefined, identity: arriving },
  }
  return { plan, trashed }
}

/** Returns the item of the trash that a replaced folder becomes. */
export const itemOf = (
  { row, key, parentId }: Placed,
  { replaces, userId }: Swap,
  { now, entry }: { now: number; entry: string },
): TrashRow => ({
  id: replaces,
  kind: 'folder',
  name: row.name,
  key,
  parentId,
  deletedAt: now,
  deletedBy: userId,
  count: 0,
  size: 0,
  purging: false,
  entry,
})

async function admit(
  { keyLimit }: StorageDeps,
  { key, next: { id, from, isTrash } }: SwapPlan,
): Promise<void> {
  if (isTrash) await keyLimit.admitReturn({ id, key })
  else await keyLimit.admitMove({ what: 'folder', id, from: { key: from }, to: { key } })
}

function carryOut(
  deps: StorageDeps,
  { swap, sides: { old }, plan, trashed }: Planned & { swap: Swap; sides: Sides },
): Promise<Located<FolderRow>> {
  const { catalog, volume } = deps
  return catalog.transact(function* () {
    volume.assertPresent()
    const { key, next } = plan
    if (next.isTrash) yield* returnSmallFolder(deps, { id: next.id, key })
    const folder = yield* swapRows(deps, { swap, old, trashed, isTrash: plan.next.isTrash })
    // Last, so that nothing needs to be renamed back when a row is refused.
    exchange(volume, plan)
    return folder
  })
}

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
  yield* catalog.trash.insert(trashed)
  yield* leaveTree(catalog, trashed.id)
  yield* catalog.folders.update(id, { parentId, name: row.name, updatedAt: clock.now() })
  const folder = yield* requireFolder(deps, id)
  yield* alongside(folder, key)
  return { row: folder, key }
}

/** Renames both directories. When the second refuses, the first returns in the same turn. */
function exchange(volume: Volume, plan: SwapPlan): void {
  const { key, old } = plan
  if (!volume.trash.take(key, old.held, old.identity))
    throw refuseConflict(`"${key}" changed on disk meanwhile`)
  try {
    arrive(volume, plan)
  } catch (error) {
    volume.trash.put(old.held, key)
    throw error
  }
}

function arrive(volume: Volume, { key, next: { from, isTrash } }: SwapPlan): void {
  if (isTrash) volume.trash.put(from, key)
  else volume.renameDirectory(from, key)
}

/**
 * Puts both directories where their rows are: after a commit the new one at the key and the old one in the trash,
 * else as they were before. Directories that are neither stay. Idempotent.
 */
export async function settleSwap({ catalog, volume }: Stores, plan: SwapPlan): Promise<void> {
  const { key, old, next } = plan
  if ((await catalog.folders.keyOf(next.id)) === key) await redo(volume, plan)
  else await undo(volume, plan)
  await volume.syncParents(key)
  if (next.isTrash) await volume.trash.finish(next.from)
  else await volume.syncParents(next.from)
  await volume.trash.finish(old.held)
}

async function redo(volume: Volume, plan: SwapPlan): Promise<void> {
  const { key, old } = plan
  volume.trash.take(key, old.held, old.identity)
  const waits = isSame(await sourceOf(volume, plan), plan.next.identity)
  if (waits && !(await volume.identify(key))) arrive(volume, plan)
}

async function undo(volume: Volume, plan: SwapPlan): Promise<void> {
  const { key, old, next } = plan
  const { from, isTrash, identity } = next
  if (isSame(await volume.identify(key), identity) && !(await sourceOf(volume, plan))) {
    if (isTrash) volume.trash.take(key, from, identity)
    else volume.renameDirectory(key, from)
  }
  const isHeld = isSame(volume.trash.identify(old.held), old.identity)
  if (isHeld && !(await volume.identify(key))) volume.trash.put(old.held, key)
}

const sourceOf = async (volume: Volume, { next: { from, isTrash } }: SwapPlan) =>
  isTrash ? volume.trash.identify(from) : volume.identify(from)

const isSame = (found: FileIdentity | undefined, { inode }: FileIdentity) => found?.inode === inode

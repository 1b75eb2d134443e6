import type { FolderRow } from '../../catalog/tree/folders.ts'
import type { TrashRow } from '../../catalog/tree/trash.ts'
import { refuseConflict } from '../../platform/errors.ts'
import type { FileIdentity } from '../../volume/directory.ts'
import type { Volume } from '../../volume/volume.ts'
import { findSides, itemOf, type Sides, type Swap, swapRows } from '../trash/items.ts'
import { heldName } from '../trash/rows.ts'
import type { Located } from '../tree.ts'
import { announce, change, type FolderDeps } from './change.ts'
import type { SwapPlan } from './plan.ts'
import { returnSmallFolder } from './trash.ts'

type Stores = Pick<FolderDeps, 'catalog' | 'volume'>

/**
 * Puts a folder in the place of another, which goes to the trash: one turn of the event loop renames both
 * directories and commits their rows, so each request finds one of them whole. A folder that replaces the one around it
 * goes to the trash with that one, and from there to its place.
 *
 * @param item Item of the trash that takes the place, when its rows are outside the tree already.
 * @throws {Refusal} `not-found`, `invalid` for the root, when the replaced folder is in the other, or for too long a key,
 *   `conflict` when a directory is missing, `disk-refused`, `unavailable`.
 */
export function swapFolders(
  deps: FolderDeps,
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

interface Planned {
  plan: SwapPlan
  /** Item of the trash that the old folder becomes. */
  trashed: TrashRow
}

async function planSwap(
  { volume, clock }: FolderDeps,
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

async function admit(
  { keyLimit }: FolderDeps,
  { key, next: { id, from, isTrash } }: SwapPlan,
): Promise<void> {
  if (isTrash) await keyLimit.admitReturn({ id, key })
  else await keyLimit.admitMove({ what: 'folder', id, from: { key: from }, to: { key } })
}

function carryOut(
  deps: FolderDeps,
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

/** Returns the name below `trash/` that the next folder leaves: one inside the old folder has gone there with it. */
function heldFrom({ key, old, next: { from, isTrash } }: SwapPlan): string | undefined {
  if (isTrash) return from
  return from.startsWith(`${key}/`) ? `${old.held}${from.slice(key.length)}` : undefined
}

function arrive(volume: Volume, plan: SwapPlan): void {
  const held = heldFrom(plan)
  if (held !== undefined) volume.trash.put(held, plan.key)
  else volume.renameDirectory(plan.next.from, plan.key)
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
  else {
    const held = heldFrom(plan)
    if (held !== undefined) await volume.trash.syncParent(held)
    await volume.syncParents(next.from)
  }
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
  const { from, identity } = next
  if (isSame(await volume.identify(key), identity) && !(await sourceOf(volume, plan))) {
    const held = heldFrom(plan)
    if (held !== undefined) volume.trash.take(key, held, identity)
    else volume.renameDirectory(key, from)
  }
  const isHeld = isSame(volume.trash.identify(old.held), old.identity)
  if (isHeld && !(await volume.identify(key))) volume.trash.put(old.held, key)
}

async function sourceOf(volume: Volume, plan: SwapPlan): Promise<FileIdentity | undefined> {
  const held = heldFrom(plan)
  return held === undefined ? volume.identify(plan.next.from) : volume.trash.identify(held)
}

const isSame = (found: FileIdentity | undefined, { inode }: FileIdentity) => found?.inode === inode

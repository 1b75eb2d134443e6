import type { Work } from '../../catalog/engine/query.ts'
import type { TrashRow } from '../../catalog/tree/trash.ts'
import { refusalOfDisk, refuseConflict } from '../../platform/errors.ts'
import { joinKey } from '../../platform/names.ts'
import { byDirectory } from '../../volume/directory.ts'
import type { Volume } from '../../volume/volume.ts'
import { findPlace, type Leaving, type Restored, type Returning, returnRows } from '../trash/items.ts'
import { assertNames, heldName, moveRowsToTrash, returnTree, sizeOf } from '../trash/rows.ts'
import type { TrashSteps } from '../trash/trash.ts'
import { findKey, type Target, unknownFolders } from '../tree.ts'
import { announce, change, type FolderDeps } from './change.ts'
import type { TrashPlan } from './plan.ts'
import { assertAllFree, findFreeName } from './publish.ts'

/**
 * Moves a file or folder to the trash by one transaction and one `rename(2)` in the same turn. Its name is free from then
 * on.
 *
 * @throws {Refusal} `invalid` for the root, `not-found`, `conflict` when its bytes are missing, `disk-refused`,
 *   `unavailable`.
 */
export const put: TrashSteps<FolderDeps>['put'] = (deps, find) =>
  deps.lock.exclusive(async () => putAway(deps, await deps.catalog.read(find)))

async function putAway(deps: FolderDeps, { item, leave }: Leaving): Promise<TrashRow> {
  const { catalog, volume, clock } = deps
  const { id, key, name, kind } = item
  return change(deps, { failure: `"${key}" could not be moved to the trash`, keys: [key] }, async () => {
    const identity = await volume.identify(key, kind === 'file' ? 'file' : 'directory')
    if (!identity) throw refuseConflict(`"${key}" is missing on disk: delete it for good`)
    const row = { ...item, entry: volume.trash.newEntry(clock.now()) }
    const held = heldName(row)
    const plan: TrashPlan = { kind: 'trash', what: kind, id, key, held, identity, folders: [] }
    const commit = function* (): Work<void> {
      volume.assertPresent()
      if (!volume.trash.take(key, held, identity)) throw refuseConflict(`"${name}" changed on disk meanwhile`)
      yield* catalog.trash.insert(row)
      yield* leave()
    }
    const { finished } = await announce(deps, {
      plan,
      frees: true,
      commit: (transact) => transact(commit),
    })
    await finished
    return row
  })
}

interface Return extends Returning {
  plan: TrashPlan
}

/**
 * Returns a file from the trash, or a folder that is small or whose rows are outside the tree already, by one transaction and one
 * change of its name on disk. It goes into its folder, or into a new one at the key of that one; when its name is
 * taken, it is numbered.
 *
 * @throws {Refusal} `not-found`, `conflict` when it is missing on disk or a file is in the place of a folder,
 *   `invalid` for too long a key, `disk-refused`, `unavailable`.
 */
export function giveBack(deps: FolderDeps, item: TrashRow): Promise<Restored> {
  return deps.lock.exclusive(async () => {
    const { catalog } = deps
    const target = await catalog.read(() => findPlace(deps, item))
    const name = await findFreeName(deps, target, item)
    const key = joinKey(target.key, name)
    return change(deps, { failure: `"${key}" could not be restored`, keys: [key] }, async () => {
      const plan = planReturn(deps, item, { key, target })
      await admit(deps, { item, target, plan, name })
      const commit = () => carryOut(deps, { item, target, plan, name })
      const { finished } = await announce(deps, { plan, commit })
      await finished
      return { id: item.id, kind: item.kind, name, key }
    })
  })
}

function planReturn(
  { volume }: FolderDeps,
  item: TrashRow,
  { key, target }: { key: string; target: Target },
): TrashPlan {
  const held = heldName(item)
  const identity = volume.trash.identify(held)
  if (!identity) throw refuseConflict(`"${item.name}" is missing in the folder "trash" on disk`)
  const folders = target.missing.map(({ key }) => key)
  return { kind: 'trash', what: item.kind, id: item.id, key, held, identity, folders }
}

async function admit(deps: FolderDeps, { item, target, plan }: Return): Promise<void> {
  const { id, key, folders } = plan
  deps.keyLimit.admit({ folders, files: [{ key }] })
  if (item.kind === 'folder') await deps.keyLimit.admitReturn({ id, key })
  // The name was free just now, under this lock.
  await assertAllFree(deps, { missing: target.missing, files: [] })
}

async function carryOut(deps: FolderDeps, { item, target, plan, name }: Return): Promise<void> {
  const { catalog, volume } = deps
  for (const [key, { folders }] of byDirectory(plan.folders, []))
    await volume.add(key, { folders, files: [] })
  await catalog.transact(function* () {
    volume.assertPresent()
    if (item.kind === 'folder') yield* returnSmallFolder(deps, plan)
    yield* returnRows(deps, { item, target, name }, () => volume.trash.put(plan.held, plan.key))
  })
}

/** Moves the rows of a folder that are in the trash still, inside the caller's transaction. @throws {Refusal} `invalid`. */
export function* returnSmallFolder(
  { catalog, keyLimit }: FolderDeps,
  { id, key }: { id: string; key: string },
): Work<void> {
  if (yield* returnTree(catalog, id)) yield* keyLimit.admitSmallReturn({ id, key })
}

type PurgeDeps = Pick<FolderDeps, 'catalog' | 'volume' | 'versionBytes'>

/** Files whose bytes and rows are removed per slice. */
const SLICE_FILES = 32

/**
 * Removes an item of the trash for good: bytes first, so that a row refers to each until then. Entries that the
 * catalog does not know stay in the folder `trash`. Continues after an interruption.
 *
 * @throws {Refusal} `disk-refused`, `unavailable`.
 */
export async function purgeItem(deps: PurgeDeps, item: TrashRow): Promise<void> {
  deps.volume.assertPresent()
  try {
    await purge(deps, item)
  } catch (error) {
    throw refusalOfDisk(error, `"${item.name}" could not be removed from the trash`) ?? error
  }
}

async function purge(deps: PurgeDeps, item: TrashRow): Promise<void> {
  const { catalog, volume, versionBytes } = deps
  const held = heldName(item)
  if (item.kind === 'file') {
    await volume.trash.remove(held)
    await volume.trash.finish(held)
  } else {
    // A crash may have left rows of it outside the trash.
    await moveRowsToTrash(catalog, item.id)
    await purgeFolder(deps, { item, folderId: item.id, below: '' })
    await volume.trash.finish(held)
  }
  const versions = await catalog.transactToFree(function* () {
    yield* catalog.trash.removeFiles([item.id])
    yield* catalog.trash.remove(item.id)
    return yield* catalog.versions.removeOfFiles([item.id])
  })
  await versionBytes.remove(versions.map(({ id }) => id))
}

interface Below {
  item: TrashRow
  folderId: string
  /** Path from the folder of the item to this one. */
  below: string
}

async function purgeFolder(deps: PurgeDeps, { item, folderId, below }: Below): Promise<void> {
  const { catalog, volume, versionBytes } = deps
  const held = heldName(item)
  for (;;) {
    const [child] = await catalog.trash.foldersIn(item.id, folderId, '', 1)
    if (!child) break
    assertNames([child])
    await purgeFolder(deps, { item, folderId: child.id, below: joinKey(below, child.name) })
  }
  for (;;) {
    const files = await catalog.trash.filesIn(item.id, folderId, '', SLICE_FILES)
    if (files.length === 0) break
    assertNames(files)
    await volume.trash.removeFiles(
      held,
      below,
      files.map(({ name }) => name),
    )
    const versions = await catalog.transactToFree(function* () {
      const ids = files.map(({ id }) => id)
      yield* catalog.trash.removeFiles(ids)
      yield* catalog.trash.add(item.id, { count: -files.length, size: -sizeOf(files) })
      return yield* catalog.versions.removeOfFiles(ids)
    })
    await versionBytes.remove(versions.map(({ id }) => id))
  }
  await volume.trash.removeFolder(held, below)
  await catalog.transactToFree(function* () {
    yield* catalog.trash.removeFolder(folderId)
    yield* catalog.grants.removeIn([folderId])
  })
}

type Stores = Pick<FolderDeps, 'catalog' | 'volume'>

/**
 * Puts the bytes of a deleted or restored file or folder where its row is: at its key, or in the trash. Bytes of an
 * item in neither stay. Idempotent.
 */
export async function settleTrash({ catalog, volume }: Stores, plan: TrashPlan): Promise<void> {
  const { id, key, held, folders } = plan
  const [right, item] = await catalog.read(function* () {
    return [yield* keyNow(catalog, plan), yield* catalog.trash.byId(id)]
  })
  if (right !== undefined) await putBack(volume, right, plan)
  else if (item) await keepInTrash(volume, plan)
  await volume.syncParents(...new Set([key, right ?? key]))
  await volume.trash.finish(held)
  if (right !== undefined) return
  for (const folder of (await unknownFolders({ catalog }, folders)).reverse())
    await volume.removeEmptyDirectory(folder)
}

function* keyNow(catalog: Stores['catalog'], { what, id }: TrashPlan): Work<string | undefined> {
  if (what === 'folder') return yield* catalog.folders.keyOf(id)
  const row = yield* catalog.files.byId(id)
  return row && (yield* findKey(catalog, row))
}

/** Moves an entry of the tree to the trash; a file on its way back may have both names. */
async function keepInTrash(volume: Volume, { what, key, held, identity }: TrashPlan): Promise<void> {
  const isHeld = volume.trash.take(key, held, identity)
  if (isHeld && what === 'file') await volume.removeFile(key, identity)
}

/** Moves an entry of the trash to its key; a file may have both names already. */
async function putBack(volume: Volume, key: string, { held, identity }: TrashPlan): Promise<void> {
  if (volume.trash.identify(held)?.inode !== identity.inode) return
  const standing = await volume.identify(key)
  if (standing?.inode === identity.inode) await volume.trash.remove(held)
  else volume.trash.put(held, key)
}

import type { Work } from '../../catalog/engine/query.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import { Refusal, refuseConflict, refuseInvalid } from '../../platform/errors.ts'
import { joinKey } from '../../platform/names.ts'
import { NoDirectory } from '../../volume/directory.ts'
import type { Alongside } from '../operations.ts'
import { assertRightAbove, findRemovable, locateFolder } from '../tree.ts'
import { announce, change, type FolderDeps } from './change.ts'
import type { DeletePlan, DiscardPlan } from './plan.ts'
import { removeRows } from './versions.ts'

/**
 * Deletes a file: its name leaves the tree in the turn of the commit that removes its row, then its bytes are
 * purged. A refusal of the disk changes nothing. An unknown entry in its place stays.
 *
 * @returns The removed row, or `undefined` when there is no such file.
 * @throws {Refusal} `disk-refused`, `unavailable`, `no-space`.
 */
export function removeFile(deps: FolderDeps, id: string): Promise<FileRow | undefined> {
  return deps.lock.exclusive(async () => {
    const { catalog } = deps
    const file = await catalog.read(() => findRemovable(deps, id))
    if (!file) return undefined
    const { row, key } = file
    await change(deps, { failure: `The file "${key}" could not be deleted`, keys: [key] }, () =>
      remove(deps, id, key),
    )
    return row
  })
}

async function remove(deps: FolderDeps, id: string, key: string): Promise<void> {
  const { catalog, volume, versionBytes, random } = deps
  const identity = await volume.identify(key, 'file')
  if (!identity) {
    const versions = await catalog.transactToFree(function* () {
      volume.assertPresent()
      return yield* removeRows(deps, [id])
    })
    return versionBytes.remove(versions)
  }
  const aside = volume.aside.newName(random.bytes)
  const plan: DeletePlan = { kind: 'delete', id, key, aside, identity }
  const commit = function* (): Work<string[]> {
    volume.assertPresent()
    volume.aside.take(key, aside, identity)
    return yield* removeRows(deps, [id])
  }
  const removed = await announce(deps, { plan, frees: true, commit: (transact) => transact(commit) })
  await removed.finished
  await versionBytes.remove(removed.value)
}

type DiscardDeps = Pick<FolderDeps, 'catalog' | 'volume' | 'versionBytes' | 'lock'>

/** Files whose bytes and rows are removed per slice. */
const SLICE_FILES = 32

/**
 * Deletes a folder with everything below it. It leaves the tree at once, by one row and one `rename(2)` into
 * staging, so its name is free. Its bytes and rows are purged in slices afterwards. Entries that the catalog
 * does not know are moved back to their place.
 *
 * @throws {Refusal} `invalid` for the root, `not-found`, `disk-refused`, `unavailable`.
 */
export async function discardFolder(deps: FolderDeps, id: string, alongside: Alongside): Promise<undefined> {
  const { finished } = await deps.lock.exclusive(() => detach(deps, id, alongside))
  await finished
}

async function detach(
  deps: FolderDeps,
  id: string,
  alongside: Alongside,
): Promise<{ finished: Promise<unknown> }> {
  const { catalog, volume, random } = deps
  const { row: folder, key } = await catalog.read(function* () {
    const located = yield* locateFolder(deps, id)
    if (located.row.parentId === null) throw refuseInvalid('The root folder cannot be deleted')
    yield* assertRightAbove(deps, located.row, 'delete')
    return located
  })
  return change(deps, { failure: `The folder "${key}" could not be deleted`, keys: [key] }, async () => {
    const birth = await volume.birthOf(key)
    const aside = volume.aside.newName(random.bytes)
    const at = birth === undefined ? { key: null } : { key, birth, aside }
    const plan: DiscardPlan = { kind: 'discard', folderId: id, ...at }
    const commit = function* (): Work<void> {
      volume.assertPresent()
      if (birth !== undefined) volume.aside.take(key, aside, { inode: inodeOf(birth) })
      yield* alongside(folder, key)
      yield* catalog.folders.detach(id)
    }
    return announce(deps, { plan, frees: true, commit: (transact) => transact(commit) })
  })
}

/** Returns the inode from the identity of a directory. */
const inodeOf = (birth: string) => birth.split(' ')[0] ?? ''

/** True when the folder has left the tree; otherwise its directory is moved back. */
export async function isCommitted(
  { catalog }: Pick<DiscardDeps, 'catalog'>,
  { folderId }: DiscardPlan,
): Promise<boolean> {
  const row = await catalog.folders.byId(folderId)
  return row === undefined || row.parentId === row.id
}

/** Purges a folder that left the tree, or moves one back that did not. Idempotent. */
export async function finishDiscard(deps: DiscardDeps, plan: DiscardPlan): Promise<void> {
  const { volume } = deps
  const { folderId } = plan
  if (!(await isCommitted(deps, plan))) return returnFolder(deps, plan)
  if (plan.key === null) return purge(deps, { folderId, below: '' })
  const { key, birth, aside } = plan
  // A power cut may lose its rename although its row survives.
  if ((await volume.birthOf(key)) === birth) volume.aside.take(key, aside, { inode: inodeOf(birth) })
  await volume.syncParents(key)
  await purge(deps, { folderId, aside, below: '' })
  if (volume.aside.identify(aside)) await deps.lock.exclusive(() => returnStrangers(deps, key, aside))
}

/** Moves the directory of a folder that is still in the tree back to its place. */
async function returnFolder({ catalog, volume }: DiscardDeps, plan: DiscardPlan): Promise<void> {
  const key = await catalog.folders.keyOf(plan.folderId)
  if (key === undefined || plan.key === null || !volume.aside.identify(plan.aside)) return
  volume.aside.put(plan.aside, key)
  await volume.syncParents(key)
}

/** Moves entries that the catalog does not know back to their place, unless it was taken since. */
async function returnStrangers({ catalog, volume }: DiscardDeps, key: string, aside: string): Promise<void> {
  try {
    if ((await catalog.folders.idAt(key.split('/'))) !== undefined)
      throw refuseConflict('Its name was taken since')
    volume.aside.put(aside, key)
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof NoDirectory)) throw error
    throw new Error(`Files that Holdfast does not know were in it: move "tmp/${aside}" away`, {
      cause: error,
    })
  }
  await volume.syncParents(key)
}

interface Purged {
  folderId: string
  /** Name that the directory is set aside under; missing when only rows are left. */
  aside?: string | undefined
  /** Path from the directory set aside to the folder. */
  below: string
}

type PurgeDeps = Pick<DiscardDeps, 'catalog'> & Partial<Pick<DiscardDeps, 'volume' | 'versionBytes'>>

/**
 * Removes bytes and rows of a folder and of everything below: bytes first, so that a row refers to each until
 * then.
 *
 * @param deps Without `volume` and `versionBytes` for the catalog of a backup, whose bytes are elsewhere.
 */
export async function purge(deps: PurgeDeps, { folderId, aside, below }: Purged): Promise<void> {
  const { catalog, volume, versionBytes } = deps
  let failure: { error: unknown } | undefined
  for (const { id, name } of await catalog.folders.inFolder(folderId)) {
    await purge(deps, { folderId: id, aside, below: joinKey(below, name) }).catch((error) => {
      failure ??= { error }
    })
  }
  let slice = await catalog.files.inFolderAfter(folderId, '', SLICE_FILES)
  while (slice.length > 0) {
    const files = slice
    const names = files.map(({ name }) => name)
    if (aside !== undefined) await volume?.aside.removeFiles(aside, below, names)
    const ids = files.map(({ id }) => id)
    const versions = await catalog.transactToFree(() => removeRows(deps, ids))
    await versionBytes?.remove(versions)
    slice = await catalog.files.inFolderAfter(folderId, '', SLICE_FILES)
  }
  if (failure) throw failure.error
  if (aside !== undefined) await volume?.aside.removeFolder(aside, below)
  await catalog.transactToFree(function* () {
    yield* catalog.folders.remove(folderId)
    yield* catalog.grants.removeIn([folderId])
  })
}

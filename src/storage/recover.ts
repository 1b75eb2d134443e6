import type { FileRow } from '../catalog/files.ts'
import type { FolderRow } from '../catalog/folders.ts'
import { Refusal } from '../errors.ts'
import { joinKey } from '../volume/names.ts'
import type { Volume } from '../volume/open.ts'
import type { FileIdentity } from '../volume/staging.ts'
import {
  byDirectory,
  type DiscardPlan,
  type MovePlan,
  type Plan,
  type RemovePlan,
  readPlan,
  type UploadPlan,
} from './plan.ts'
import type { StorageDeps } from './storage.ts'

type Stores = Pick<StorageDeps, 'catalog' | 'volume'>

/** Files whose bytes and rows are removed at once. */
const SLICE_FILES = 32

/**
 * Finishes or undoes what an earlier process announced and did not complete. Safe to repeat: a crash in
 * the middle is recovered by the next start in the same way. Deletes of folders are left to
 * `finishDiscards`: they may take long, and nobody can see what is left of them.
 *
 * @returns How many intents were left over.
 */
export async function recoverIntents(stores: Stores): Promise<number> {
  const intents = stores.catalog.intents.all()
  for (const { id, plan: stored } of intents) {
    const plan = readPlan(stored)
    if (plan.kind === 'discard') continue
    await settle(stores, plan)
    await stores.catalog.transactToFree(() => stores.catalog.intents.remove(id))
  }
  return intents.length
}

function settle(stores: Stores, plan: Exclude<Plan, DiscardPlan>): Promise<void> {
  switch (plan.kind) {
    case 'upload':
      return undoUpload(stores.volume, { ...plan, folders: unknownFolders(stores, plan.folders) })
    case 'remove':
      return finishRemove(stores.volume, plan)
    case 'move':
      return settleMove(stores, plan)
  }
}

/** A delete of a folder that is announced by the intent `id`. */
export interface AnnouncedDiscard {
  id: string
  plan: DiscardPlan
}

/** The deletes of folders that are announced and not completed. */
export function leftDiscards(stores: Stores): AnnouncedDiscard[] {
  const left: AnnouncedDiscard[] = []
  for (const { id, plan: stored } of stores.catalog.intents.all()) {
    const plan = readPlan(stored)
    if (plan.kind === 'discard') left.push({ id, plan })
  }
  return left
}

/** Where a discarded folder's directory is, unless it is gone and another one is there. */
const ownKey = async (volume: Volume, { key, birth }: DiscardPlan) =>
  key !== null && birth !== undefined && (await volume.birthOf(key)) !== birth ? null : key

/** Those of the keys that are no folder's: one that was refused at first may have been made since. */
const unknownFolders = ({ catalog }: Pick<Stores, 'catalog'>, keys: readonly string[]) =>
  keys.filter((key) => catalog.folders.idAt(key.split('/')) === undefined)

/** Takes back what an upload put on the volume: only its own files, and only folders that are empty. */
export async function undoUpload(volume: Volume, { files, folders }: UploadPlan): Promise<void> {
  const directories = [...byDirectory(folders, files)].reverse()
  for (const [key, added] of directories) await volume.takeBack(key, added)
  // Only now, when most of them are gone again.
  for (const [key] of directories) await volume.sync(key)
}

/** Removes the bytes of files whose rows are gone. */
export async function finishRemove(volume: Volume, { files }: RemovePlan): Promise<void> {
  for (const { key, identity } of files) await volume.removeFile(key, identity)
}

/**
 * Leaves a moved file or folder with one name: the new one if its row says so, else the old one, and then
 * without the folders that were made for it.
 */
export async function settleMove(stores: Stores, plan: MovePlan): Promise<void> {
  const { what, from, to, identity } = plan
  const moved = hasMoved(stores, plan)
  const [right, wrong] = moved ? [to.key, from.key] : [from.key, to.key]
  if (identity && what === 'file') await leaveOneName(stores.volume, { right, wrong, identity })
  if (identity && what === 'folder') await putBack(stores.volume, { right, wrong, identity })
  if (moved) return
  for (const key of unknownFolders(stores, plan.folders ?? []).reverse())
    await stores.volume.removeEmptyDirectory(key)
}

interface Names {
  right: string
  wrong: string
  identity: FileIdentity
}

/** Leaves a file at the right one of its two names. If it has only the wrong one, it gets the right one first. */
async function leaveOneName(volume: Volume, { right, wrong, identity }: Names): Promise<void> {
  if (!(await volume.identify(right))) await relink(volume, { right, wrong, identity })
  const standing = await volume.identify(right, 'file')
  if (standing?.inode === identity.inode) await volume.removeFile(wrong, identity)
}

async function relink(volume: Volume, { right, wrong, identity }: Names): Promise<void> {
  const misplaced = await volume.identify(wrong, 'file')
  if (misplaced?.inode !== identity.inode) return
  try {
    await volume.linkFile(wrong, right)
  } catch (error) {
    // There is no folder for it any more: it stays where it is.
    if (!(error instanceof Refusal)) throw error
  }
}

function hasMoved({ catalog }: Pick<Stores, 'catalog'>, { what, id, to }: MovePlan): boolean {
  const row = what === 'file' ? catalog.files.byId(id) : catalog.folders.byId(id)
  return row !== undefined && row.name === to.name && parentIdOf(row) === to.parentId
}

/** The id of the folder that a file or folder is in; `null` for the root. */
export const parentIdOf = (row: FileRow | FolderRow) => ('folderId' in row ? row.folderId : row.parentId)

/** Leaves a directory at the right one of its two names. */
async function putBack(volume: Volume, { right, wrong, identity }: Names): Promise<void> {
  const misplaced = (await volume.identify(right)) ? undefined : await volume.identify(wrong)
  if (misplaced?.inode === identity.inode) volume.renameDirectory(wrong, right)
  await volume.syncParents(right, wrong)
}

/** Completes the delete of a folder, and then forgets that it was announced. */
export async function settleDiscard(stores: Stores, { id, plan }: AnnouncedDiscard): Promise<void> {
  await finishDiscard(stores, { ...plan, key: await ownKey(stores.volume, plan) })
  await stores.catalog.transactToFree(() => stores.catalog.intents.remove(id))
}

/** Removes what is left of a folder that was taken out of the tree: bytes first, so that a row tells of each. */
export async function finishDiscard(stores: Stores, { folderId, key }: DiscardPlan): Promise<void> {
  const { catalog, volume } = stores
  for (const { id, name } of catalog.folders.inFolder(folderId)) {
    await finishDiscard(stores, {
      kind: 'discard',
      folderId: id,
      key: key === null ? null : joinKey(key, name),
    })
  }
  let slice = catalog.files.someInFolder(folderId, SLICE_FILES)
  while (slice.length > 0) {
    const files = slice
    const names = files.map(({ name }) => name)
    if (key !== null) await volume.removeFiles(key, names)
    await catalog.transactToFree(() => {
      for (const { id } of files) catalog.files.remove(id)
    })
    slice = catalog.files.someInFolder(folderId, SLICE_FILES)
  }
  if (key !== null) await volume.removeEmptyDirectory(key)
  await catalog.transactToFree(() => catalog.folders.remove(folderId))
}

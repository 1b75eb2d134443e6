import { joinKey } from '../volume/names.ts'
import type { Volume } from '../volume/open.ts'
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
const SLICE_FILES = 256

/**
 * Finishes or undoes what an earlier process announced and did not complete. Safe to repeat: a crash in
 * the middle is recovered by the next start in the same way.
 *
 * @returns How many intents were left over.
 */
export async function recoverIntents(stores: Stores): Promise<number> {
  const intents = stores.catalog.intents.all()
  for (const { id, plan } of intents) {
    await settle(stores, readPlan(plan))
    await stores.catalog.transact(() => stores.catalog.intents.remove(id))
  }
  return intents.length
}

function settle(stores: Stores, plan: Plan): Promise<void> {
  switch (plan.kind) {
    case 'upload':
      return undoUpload(stores.volume, plan)
    case 'remove':
      return finishRemove(stores.volume, plan)
    case 'move':
      return settleMove(stores, plan)
    case 'discard':
      return finishDiscard(stores, plan)
  }
}

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

/** Leaves a moved file or folder with one name: the new one if its row says so, else the old one. */
export async function settleMove({ catalog, volume }: Stores, plan: MovePlan): Promise<void> {
  const { what, id, from, to, identity } = plan
  if (!identity) return
  if (what === 'file') {
    const file = catalog.files.byId(id)
    const moved = file?.folderId === to.parentId && file.name === to.name
    return volume.removeFile(moved ? from.key : to.key, identity)
  }
  const folder = catalog.folders.byId(id)
  const moved = folder?.parentId === to.parentId && folder.name === to.name
  const [right, wrong] = moved ? [to, from] : [from, to]
  const misplaced = (await volume.identify(right.key)) ? undefined : await volume.identify(wrong.key)
  if (misplaced?.inode === identity.inode) volume.renameDirectory(wrong.key, right.key)
  await volume.syncParents(from.key, to.key)
}

/** Removes what is left of a folder that was taken out of the tree: bytes first, so that a row tells of each. */
export async function finishDiscard(stores: Stores, { folderId, key }: DiscardPlan): Promise<void> {
  const { catalog, volume } = stores
  for (const { id, name } of catalog.folders.inFolder(folderId)) {
    await finishDiscard(stores, { kind: 'discard', folderId: id, key: joinKey(key, name) })
  }
  let slice = catalog.files.someInFolder(folderId, SLICE_FILES)
  while (slice.length > 0) {
    const files = slice
    await volume.removeFiles(
      key,
      files.map(({ name }) => name),
    )
    await catalog.transact(() => {
      for (const { id } of files) catalog.files.remove(id)
    })
    slice = catalog.files.someInFolder(folderId, SLICE_FILES)
  }
  await volume.removeEmptyDirectory(key)
  await catalog.transact(() => catalog.folders.remove(folderId))
}

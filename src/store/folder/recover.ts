import { refuseConflict } from '../../platform/errors.ts'
import { byDirectory, type FileIdentity } from '../../volume/directory.ts'
import type { Volume } from '../../volume/volume.ts'
import { findKey, parentIdOf, unknownFolders } from '../tree.ts'
import type { FolderDeps } from './change.ts'
import type { DeletePlan, DiscardPlan, MovePlan, Plan, ReplacePlan, UploadPlan } from './plan.ts'
import { settleSwap } from './swap.ts'
import { settleTrash } from './trash.ts'

type Stores = Pick<FolderDeps, 'catalog' | 'volume'>

/**
 * Rolls an operation forward if its row was committed, else back. The current row decides, so what was
 * deleted or moved since does not return. Idempotent.
 */
export async function recover(stores: Stores, plan: Exclude<Plan, DiscardPlan>): Promise<void> {
  switch (plan.kind) {
    case 'upload':
      return undoUpload(stores.volume, { ...plan, folders: await unknownFolders(stores, plan.folders) })
    case 'delete':
      return recoverDelete(stores, plan)
    case 'move':
      return recoverMove(stores, plan)
    case 'replace':
      return recoverReplace(stores.volume, plan)
    case 'trash':
      return settleTrash(stores, plan)
    case 'swap':
      return settleSwap(stores, plan)
  }
}

/** Rolls back an upload on the volume: only its own files, and only empty folders. */
async function undoUpload(volume: Volume, { files, folders }: UploadPlan): Promise<void> {
  const directories = [...byDirectory(folders, files)].reverse()
  for (const [key, added] of directories) await volume.takeBack(key, added)
  // Most of the directories are gone again by now.
  for (const [key] of directories) await volume.sync(key)
}

/** Retains a file at its key if its row exists, and removes all its names if not. */
async function recoverDelete(stores: Stores, plan: DeletePlan): Promise<void> {
  await recoverNames(stores, { ...plan, names: [plan.key] })
}

/**
 * Removes all names of a moved file or folder except its key, and the folders created for a move that was
 * rolled back.
 */
async function recoverMove(stores: Stores, plan: MovePlan): Promise<void> {
  const { what, id, from, to, identity, aside } = plan
  const names = [from.key, to.key]
  if (identity && what === 'file') await recoverNames(stores, { id, identity, aside, names })
  if (identity && what === 'folder') await putBack(stores, { id, identity, names })
  if (await hasMoved(stores, plan)) return
  for (const key of (await unknownFolders(stores, plan.folders ?? [])).reverse())
    await stores.volume.removeEmptyDirectory(key)
}

/**
 * Leaves the new bytes of a committed replacement at the key, and the old ones of any other. Bytes at the key that
 * are neither stay: an operator put them there.
 */
async function recoverReplace(volume: Volume, plan: ReplacePlan): Promise<void> {
  const { versions } = volume
  const { key, version, isCommitted, isKept, from } = plan
  if (isCommitted) versions.redo(plan)
  else versions.undo(plan)
  await volume.syncParents(key)
  if (isCommitted && from !== undefined) await volume.removeFile(from, plan.new)
  if (isCommitted && isKept) await versions.removeNew(version)
  else await versions.remove([version])
}

/** Names that a file may have on the volume. */
interface Names {
  id: string
  identity: FileIdentity
  names: readonly string[]
  aside?: string | undefined
}

/** Removes all names of a file except its key, which needs a row in the tree. */
async function recoverNames({ catalog, volume }: Stores, known: Names): Promise<void> {
  const { id, identity, names, aside } = known
  const row = await catalog.files.byId(id)
  const right = row && (await catalog.read(() => findKey(catalog, row)))
  if (right !== undefined) await giveName(volume, right, known)
  const wrong = names.filter((key) => key !== right)
  await volume.syncParents(...names)
  for (const key of wrong) await volume.removeFile(key, identity)
  if (isAside(volume, aside, identity)) await volume.aside.remove(aside)
}

/**
 * Links a file to its key if it has only other names. @throws when the key was taken: the bytes stay aside
 * then.
 */
async function giveName(volume: Volume, right: string, { identity, names, aside }: Names): Promise<void> {
  const standing = await volume.identify(right)
  if (standing?.inode === identity.inode) return
  if (isAside(volume, aside, identity)) {
    if (standing) throw refuseTaken(right)
    return volume.aside.put(aside, right)
  }
  for (const wrong of names) {
    const misplaced = await volume.identify(wrong, 'file')
    if (misplaced?.inode !== identity.inode) continue
    if (standing) throw refuseTaken(right)
    return volume.linkFile(wrong, right)
  }
}

const refuseTaken = (key: string) => refuseConflict(`Something else is at "${key}" on the volume`)

const isAside = (volume: Volume, aside: string | undefined, { inode }: FileIdentity): aside is string =>
  aside !== undefined && volume.aside.identify(aside)?.inode === inode

async function hasMoved({ catalog }: Pick<Stores, 'catalog'>, { what, id, to }: MovePlan): Promise<boolean> {
  const row = what === 'file' ? await catalog.files.byId(id) : await catalog.folders.byId(id)
  return row !== undefined && row.name === to.name && parentIdOf(row) === to.parentId
}

/** Moves a directory to the key of its row if it is at the other of its two keys. */
async function putBack({ catalog, volume }: Stores, { id, identity, names }: Names): Promise<void> {
  const right = await catalog.folders.keyOf(id)
  const wrong = names.find((key) => key !== right)
  if (
    right !== undefined &&
    wrong !== undefined &&
    names.includes(right) &&
    !(await volume.identify(right))
  ) {
    const misplaced = await volume.identify(wrong)
    if (misplaced?.inode === identity.inode) volume.renameDirectory(wrong, right)
  }
  await volume.syncParents(...names)
}

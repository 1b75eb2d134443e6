import type { Work } from '../../catalog/engine/query.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { FolderRow } from '../../catalog/tree/folders.ts'
import type { TrashRow } from '../../catalog/tree/trash.ts'
import { refuseConflict, refuseNotFound } from '../../platform/errors.ts'
import { joinKey } from '../../platform/names.ts'
import { byDirectory } from '../../volume/directory.ts'
import { findFreeName } from '../free-name.ts'
import { heldName } from '../held.ts'
import { returnTree } from '../trash-rows.ts'
import { findTarget, type Target, type TreeDeps } from '../tree.ts'
import { announce, change, type StorageDeps } from './change.ts'
import type { TrashPlan } from './plan.ts'
import { assertAllFree } from './publish.ts'

/** Item that returned to the tree. */
export interface Restored {
  id: string
  kind: TrashRow['kind']
  name: string
  key: string
}

export const notInTrash = () => refuseNotFound('Not in the trash')

interface Return {
  item: TrashRow
  target: Target
  plan: TrashPlan
  /** Name in the target. */
  name: string
}

/**
 * Returns a file from the trash, or a folder that is small or whose rows are outside the tree already, by one transaction and one
 * change of its name on disk. It goes into its folder, or into a new one at the key of that one; when its name is
 * taken, it is numbered.
 *
 * @throws {Refusal} `not_found`, `conflict` when it is missing on disk or a file is in the place of a folder,
 *   `invalid` for too long a key, `disk_refused`, `unavailable`.
 */
export function giveBack(deps: StorageDeps, item: TrashRow): Promise<Restored> {
  return deps.lock.exclusive(async () => {
    const { catalog } = deps
    const target = await catalog.read(() => findPlace(deps, item))
    const isNew = target.missing.some(({ row }) => row.id === target.folderId)
    const name = isNew ? item.name : await findFreeName(deps, target, item)
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

/** Finds the folder that an item returns to. @throws {Refusal} `conflict` when a file is in the place of a folder. */
export function* findPlace(deps: TreeDeps, { parentId, key }: TrashRow): Work<Target> {
  const isThere = (yield* deps.catalog.folders.keyOf(parentId)) !== undefined
  return yield* findTarget(deps, isThere ? { folderId: parentId } : { folder: key.split('/').slice(0, -1) })
}

function planReturn(
  { volume }: StorageDeps,
  item: TrashRow,
  { key, target }: { key: string; target: Target },
): TrashPlan {
  const held = heldName(item)
  const identity = volume.trash.identify(held)
  if (!identity) throw refuseConflict(`"${item.name}" is missing in the folder "trash" on disk`)
  const folders = target.missing.map(({ key }) => key)
  return { kind: 'trash', what: item.kind, id: item.id, key, held, identity, folders }
}

async function admit(deps: StorageDeps, { item, target, plan, name }: Return): Promise<void> {
  const { id, key, folders } = plan
  deps.keyLimit.admit({ folders, files: [{ key }] })
  if (item.kind === 'folder') await deps.keyLimit.admitReturn({ id, key })
  await assertAllFree(deps, { missing: target.missing, files: [{ ...target, name }] })
}

async function carryOut(deps: StorageDeps, { item, target, plan, name }: Return): Promise<void> {
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
  { catalog, keyLimit }: StorageDeps,
  { id, key }: { id: string; key: string },
): Work<void> {
  if (yield* returnTree(catalog, id)) yield* keyLimit.admitSmallReturn({ id, key })
}

/**
 * Returns an item to the tree inside the caller's transaction.
 *
 * @param rename Moves its name on disk, where there is one.
 */
export function* returnRows(
  deps: TreeDeps,
  { item, target, name }: Omit<Return, 'plan'>,
  rename: () => void = () => {},
): Work<void> {
  const { catalog } = deps
  const now = yield* catalog.trash.byId(item.id)
  if (!now || now.purging) throw notInTrash()
  yield* catalog.folders.insert(target.missing.map(({ row }) => row))
  if (item.kind === 'folder') yield* attachFolder(deps, item.id, { parentId: target.folderId, name })
  else yield* insertFile(deps, item.id, { folderId: target.folderId, name })
  yield* catalog.trash.remove(item.id)
  // Last, so that it need not be undone when a row is refused.
  rename()
}

function* attachFolder(
  { catalog }: TreeDeps,
  id: string,
  place: Required<Pick<FolderRow, 'parentId' | 'name'>>,
): Work<void> {
  yield* catalog.folders.update(id, place)
}

function* insertFile(
  { catalog }: TreeDeps,
  id: string,
  place: Pick<FileRow, 'folderId' | 'name'>,
): Work<void> {
  const row = yield* catalog.trash.file(id)
  if (!row) throw notInTrash()
  const { trashId: _, ...file } = row
  yield* catalog.files.insert([{ ...file, ...place }])
  yield* catalog.trash.removeFiles([id])
}

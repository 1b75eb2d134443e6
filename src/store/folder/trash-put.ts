import type { Steps, Work } from '../../catalog/engine/query.ts'
import type { TrashRow } from '../../catalog/tree/trash.ts'
import { refuseConflict, refuseInvalid } from '../../platform/errors.ts'
import { heldName } from '../held.ts'
import { leaveTree } from '../trash-rows.ts'
import { locateFile, locateFolder, type TreeDeps } from '../tree.ts'
import { announce, change, type StorageDeps } from './change.ts'
import type { TrashPlan } from './plan.ts'

/** Item before it has its place on disk. */
type NewItem = Omit<TrashRow, 'entry'>

/** Item on its way to the trash, and how its rows leave the tree. */
export interface Leaving {
  item: NewItem
  leave: () => Steps<void>
}

/**
 * Moves a file to the trash by one transaction and one `rename(2)` in the same turn. Its name is free from then on.
 *
 * @param userId Account that deletes it.
 * @throws {Refusal} `not_found`, `conflict` when its bytes are missing, `disk_refused`, `unavailable`.
 */
export const putFile = (deps: StorageDeps, id: string, userId: string): Promise<TrashRow> =>
  deps.lock.exclusive(async () => put(deps, await deps.catalog.read(() => leavingFile(deps, id, userId))))

/**
 * Moves a folder with everything below it to the trash, by one `rename(2)` and the rows of `leaveTree`.
 *
 * @throws {Refusal} `invalid` for the root, `not_found`, `conflict` when its directory is missing, `disk_refused`,
 *   `unavailable`.
 */
export const putFolder = (deps: StorageDeps, id: string, userId: string): Promise<TrashRow> =>
  deps.lock.exclusive(async () => put(deps, await deps.catalog.read(() => leavingFolder(deps, id, userId))))

/** Finds a file that goes to the trash. @throws {Refusal} `not_found`. */
export function* leavingFile(deps: TreeDeps, id: string, userId: string): Work<Leaving> {
  const { catalog, clock } = deps
  const { row, key } = yield* locateFile(deps, id)
  const { name, folderId, size } = row
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

/** Finds a folder that goes to the trash. @throws {Refusal} `invalid` for the root, `not_found`. */
export function* leavingFolder(deps: TreeDeps, id: string, userId: string | null): Work<Leaving> {
  const { catalog, clock } = deps
  const { row, key } = yield* locateFolder(deps, id)
  const { name, parentId } = row
  if (parentId === null) throw refuseInvalid('The root folder cannot be deleted')
  const item = { ...newItem(id, userId, clock.now()), name, key, parentId, count: 0, size: 0 }
  return { item: { ...item, kind: 'folder' }, leave: () => leaveTree(catalog, id) }
}

const newItem = (id: string, deletedBy: string | null, deletedAt: number) => ({
  id,
  deletedBy,
  deletedAt,
  purging: false,
})

async function put(deps: StorageDeps, { item, leave }: Leaving): Promise<TrashRow> {
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

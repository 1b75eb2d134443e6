import type { Steps, Work } from '../../catalog/query.ts'
import type { TrashRow } from '../../catalog/trash.ts'
import { refuseConflict, refuseInvalid } from '../../platform/errors.ts'
import { announce, change } from '../change.ts'
import type { StorageDeps } from '../parts.ts'
import type { TrashPlan } from '../plan.ts'
import { locateFile, locateFolder } from '../target.ts'
import { heldName } from './held.ts'

/** Item before it has its place on disk. */
type NewItem = Omit<TrashRow, 'entry'>

/**
 * Moves a file to the trash by one transaction and one `rename(2)` in the same turn. Its name is free from then on.
 *
 * @param userId Account that deletes it.
 * @throws {Refusal} `not_found`, `conflict` when its bytes are missing, `disk_refused`, `unavailable`.
 */
export function putFile(deps: StorageDeps, id: string, userId: string): Promise<TrashRow> {
  return deps.lock.exclusive(async () => {
    const { catalog, clock } = deps
    const { row, key } = await catalog.read(() => locateFile(deps, id))
    const { name, folderId, size } = row
    const item = { ...newItem(id, userId, clock.now()), name, key, parentId: folderId, count: 1, size }
    return put(deps, { ...item, kind: 'file' }, function* () {
      // Read again, because a bulk change of visibility may have committed since.
      const now = yield* catalog.files.byId(id)
      if (now) yield* catalog.trash.insertFile({ ...now, trashId: id })
      yield* catalog.files.remove(id)
    })
  })
}

/**
 * Moves a folder with everything below it to the trash, by one row and one `rename(2)`. `moveRowsToTrash` moves the
 * rows below it afterwards.
 *
 * @throws {Refusal} `invalid` for the root, `not_found`, `conflict` when its directory is missing, `disk_refused`,
 *   `unavailable`.
 */
export function putFolder(deps: StorageDeps, id: string, userId: string): Promise<TrashRow> {
  return deps.lock.exclusive(async () => {
    const { catalog, clock } = deps
    const { row, key } = await catalog.read(() => locateFolder(deps, id))
    const { name, parentId } = row
    if (parentId === null) throw refuseInvalid('The root folder cannot be deleted')
    const item = { ...newItem(id, userId, clock.now()), name, key, parentId, count: 0, size: 0 }
    return put(deps, { ...item, kind: 'folder' }, () => catalog.folders.detach(id))
  })
}

const newItem = (id: string, deletedBy: string, deletedAt: number) => ({
  id,
  deletedBy,
  deletedAt,
  purging: false,
})

async function put(deps: StorageDeps, item: NewItem, leave: () => Steps<void>): Promise<TrashRow> {
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

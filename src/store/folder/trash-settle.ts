import type { Work } from '../../catalog/engine/query.ts'
import type { Volume } from '../../volume/volume.ts'
import { findKey, unknownFolders } from '../tree.ts'
import type { StorageDeps } from './change.ts'
import type { TrashPlan } from './plan.ts'

type Stores = Pick<StorageDeps, 'catalog' | 'volume'>

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

import type { FolderRow } from '../catalog/folders.ts'
import { refuseInvalid, refuseNotFound } from '../errors.ts'
import type { DiscardPlan } from './plan.ts'
import { finishDiscard } from './recover.ts'
import type { StorageDeps } from './storage.ts'

/**
 * Deletes a folder with everything below it. It leaves the tree at once, by one row; from then on none of
 * it can be found. Its bytes and rows are removed in slices, so that other requests go on. What the catalog
 * does not know stays where it is.
 *
 * @throws {Refusal} `not_found`, `invalid` for the root.
 */
export async function discardFolder(
  deps: StorageDeps,
  id: string,
  alongside: (folder: FolderRow, key: string) => void,
): Promise<void> {
  const { plan, intentId } = await deps.lock.exclusive(() => detach(deps, id, alongside))
  try {
    await finishDiscard(deps, plan)
    await deps.catalog.transactToFree(() => deps.catalog.intents.remove(intentId))
  } catch (error) {
    deps.log.error('A deleted folder could not be removed completely; the next start goes on', error)
  }
}

async function detach(deps: StorageDeps, id: string, alongside: (folder: FolderRow, key: string) => void) {
  const { catalog, volume, random, clock } = deps
  const folder = catalog.folders.byId(id)
  const key = catalog.folders.keyOf(id)
  if (!folder || key === undefined) throw refuseNotFound('Folder not found')
  if (folder.parentId === null) throw refuseInvalid('The root folder cannot be deleted')
  const birth = await volume.birthOf(key)
  const plan: DiscardPlan = { kind: 'discard', folderId: id, ...(birth ? { key, birth } : { key: null }) }
  const intentId = random.id()
  await catalog.transactToFree(() => {
    catalog.intents.insert({ id: intentId, plan, createdAt: clock.now() })
    alongside(folder, key)
    catalog.folders.detach(id)
  })
  return { plan, intentId }
}

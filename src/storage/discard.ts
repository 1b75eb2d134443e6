import type { FolderRow } from '../catalog/folders.ts'
import { refuseConflict, refuseInvalid, refuseNotFound } from '../errors.ts'
import type { DiscardPlan } from './plan.ts'
import { type AnnouncedDiscard, leftDiscards, settleDiscard } from './recover.ts'
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
  const discard = await deps.lock.exclusive(async () => {
    const detached = await detach(deps, id, alongside)
    deps.discarding.add(detached.plan)
    return detached
  })
  await finish(deps, discard)
}

/** Goes on with the deletes of folders that an earlier process began. */
export async function finishDiscards(deps: StorageDeps): Promise<void> {
  const left = await leftDiscards(deps)
  for (const { plan } of left) deps.discarding.add(plan)
  for (const discard of left) await finish(deps, discard)
}

async function finish(deps: StorageDeps, discard: AnnouncedDiscard): Promise<void> {
  try {
    await settleDiscard(deps, discard)
  } catch (error) {
    deps.log.error('A deleted folder could not be removed completely; the next start goes on', error)
  } finally {
    deps.discarding.delete(discard.plan)
  }
}

/**
 * Refuses to move a directory while one below it is being removed: its bytes are found by their key.
 *
 * @throws {Refusal} `conflict`.
 */
export function assertNothingDiscarded({ discarding }: StorageDeps, key: string): void {
  for (const plan of discarding) {
    if (plan.key?.startsWith(`${key}/`))
      throw refuseConflict('A folder in it is still being deleted: try again soon')
  }
}

async function detach(
  deps: StorageDeps,
  id: string,
  alongside: (folder: FolderRow, key: string) => void,
): Promise<AnnouncedDiscard> {
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
  return { id: intentId, plan }
}

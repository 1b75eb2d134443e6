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
  const { ended } = await deps.lock.exclusive(async () => {
    const detached = await detach(deps, id, alongside)
    return { ended: finish(deps, detached) }
  })
  await ended
}

/** A delete of a folder that is under way, or waits to be tried again. */
export interface Discarding {
  plan: DiscardPlan
  /** Whether the last attempt succeeds. */
  ended: Promise<boolean>
  /** Why the last attempt failed, if it has. */
  failure: string | undefined
}

/** Goes on with the deletes of folders that an earlier process began, or that failed, one after the other. */
export async function finishDiscards(deps: StorageDeps): Promise<void> {
  let before = Promise.resolve(true)
  for (const discard of leftDiscards(deps)) {
    const known = deps.discarding.get(discard.id)
    if (!known || known.failure !== undefined) before = finish(deps, discard, before)
  }
  await before
}

/** Removes what is left of a folder that left the tree, after `before`; resolves with whether that succeeded. */
function finish(
  deps: StorageDeps,
  discard: AnnouncedDiscard,
  before: Promise<boolean> = Promise.resolve(true),
): Promise<boolean> {
  const { discarding, log } = deps
  const { id, plan } = discard
  const inside = [...discarding.values()].flatMap((other) =>
    isBelow(plan.key, other.plan) ? [other.ended] : [],
  )
  const lastFailure = discarding.get(id)?.failure
  const attempt = async () => {
    await before
    try {
      await settle(deps, discard, inside)
      discarding.delete(id)
      return true
    } catch (error) {
      const failure = String(error)
      if (failure !== lastFailure)
        log.error('A deleted folder could not be removed completely; that is tried again each minute', error)
      discarding.set(id, { plan, ended, failure })
      return false
    }
  }
  const ended = attempt()
  discarding.set(id, { plan, ended, failure: undefined })
  return ended
}

const isBelow = (key: string | null, other: DiscardPlan): boolean =>
  key !== null && other.key?.startsWith(`${key}/`) === true

async function settle(
  deps: StorageDeps,
  discard: AnnouncedDiscard,
  inside: readonly Promise<boolean>[],
): Promise<void> {
  // A folder that left the tree before the one it was in is removed first: its directory would keep the other's.
  if ((await Promise.all(inside)).includes(false)) throw new Error('A folder in it could not be removed')
  await settleDiscard(deps, discard)
}

/**
 * Refuses to move a directory while one below it is being removed: its bytes are found by their key.
 *
 * @throws {Refusal} `conflict`.
 */
export function assertNothingDiscarded({ discarding }: StorageDeps, key: string): void {
  for (const { plan, failure } of discarding.values()) {
    if (!isBelow(key, plan)) continue
    throw refuseConflict(
      failure === undefined
        ? 'A folder in it is still being deleted: try again soon'
        : 'A deleted folder in it could not be removed from the disk yet: the log of the server says why',
    )
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

import { isRefused, messageFor } from '../../platform/errors.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { TrashRow } from '../rows.ts'
import type { Core, TreeCore } from '../store.ts'

/** Item that could not be removed. */
interface Failed {
  id: string
  message: string
}

/** Items per step of a removal of all. */
const STEP_ITEMS = 100

/** Yields the items of the trash that were deleted until `time`, the oldest first, without those that failed. */
export async function* itemsUntil(
  { store }: Pick<TreeCore, 'store'>,
  time: number,
  failed: readonly Failed[],
): AsyncGenerator<TrashRow> {
  for (;;) {
    const stay = new Set(failed.map(({ id }) => id))
    const items = await store.trash.until(time, STEP_ITEMS + stay.size)
    const next = items.filter(({ id }) => !stay.has(id))
    if (next.length === 0) return
    yield* next
  }
}

/**
 * Removes items that a request has just put in the trash when the setting keeps nothing. Failures are logged, because
 * the request itself succeeded.
 */
export async function purgeUnlessKept(
  deps: Purging,
  items: readonly Pick<TrashRow, 'id' | 'name'>[],
): Promise<void> {
  if (deps.store.settings.current().trashDays > 0) return
  for (const item of items) await tryPurge(deps, item, [])
}

/** Removes the items that were in the trash for as long as the setting says. Failures are logged. */
export async function purgeExpired(deps: Purging & Pick<TreeCore, 'store'>): Promise<void> {
  const { store, clock } = deps
  const until = clock.now() - store.settings.current().trashDays * DAY_MS
  const failed: Failed[] = []
  for await (const item of itemsUntil(deps, until, failed)) {
    store.assertPresent()
    await tryPurge(deps, item, failed)
  }
}

type Purging = Pick<Core, 'store' | 'clock' | 'log'>

/** Removes an item for good, or logs the failure and adds it to `failed`. */
async function tryPurge(
  { store, log }: Purging,
  { id, name }: Pick<TrashRow, 'id' | 'name'>,
  failed: Failed[],
): Promise<void> {
  try {
    await store.purgeTrash(id)
  } catch (error) {
    failed.push({ id, message: messageFor(error) })
    // Another request or the job was faster.
    if (isRefused(error, 404)) return
    log.error(`${JSON.stringify(name)} could not be removed from the trash`, error)
  }
}

/**
 * Makes room while the volume has too little space: versions first, then items of the trash, each the oldest first.
 * Ends at the first failure: a disk that refuses removals must not cost every version and item, because none of them
 * can be restored once its removal began.
 */
export async function makeRoom({ store, clock, log }: Purging & Pick<TreeCore, 'store'>): Promise<void> {
  let versions = 0
  while (store.isShort()) {
    const outcome = await store.removeOldestVersion()
    if (outcome === 'refused') return
    if (outcome === 'none') break
    versions += 1
  }
  if (versions > 0)
    log.info(`Space runs short: the oldest versions of files are removed, ${versions} in number`)
  for await (const { id, name } of itemsUntil({ store }, clock.now(), [])) {
    if (!store.isShort()) return
    log.info(`Space runs short: ${JSON.stringify(name)} is removed from the trash`)
    await store.purgeTrash(id)
  }
}

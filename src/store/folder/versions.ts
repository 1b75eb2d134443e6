import type { Steps, Work } from '../../catalog/engine/query.ts'
import { refuseForNow, refuseNotFound } from '../../platform/errors.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { StorageDeps } from './change.ts'

type Stores = Pick<StorageDeps, 'catalog' | 'volume'>

/** Versions removed per slice. */
const SLICE = 100

/**
 * Removes the rows of files with those of their versions, inside the caller's transaction.
 *
 * @returns The ids of the versions, whose bytes `VersionBytes` removes after the commit.
 */
export function* removeRows(
  { catalog }: Pick<Stores, 'catalog'>,
  fileIds: readonly string[],
): Work<string[]> {
  const versions = yield* catalog.versions.removeOfFiles(fileIds)
  yield* catalog.files.removeAll(fileIds)
  return versions.map(({ id }) => id)
}

/** Removes a version. @throws {Refusal} `not_found`, `unavailable` while its replacement is not finished. */
export async function removeVersion(deps: StorageDeps, id: string): Promise<void> {
  const { catalog, volume, versionBytes, unfinished } = deps
  volume.assertPresent()
  await catalog.transactToFree(function* () {
    if (!(yield* catalog.versions.byId(id))) throw refuseNotFound('Version not found')
    // New bytes may still wait under its name.
    if (unfinished.versionNames().includes(id))
      throw refuseForNow('The replacement of its file is not finished yet, try again soon', undefined)
    yield* catalog.versions.remove([id])
  })
  await versionBytes.remove([id])
}

/** Returns the time before which a version must have been replaced to be past its days. */
export function pruneBefore({ clock, versionDays }: Pick<StorageDeps, 'clock' | 'versionDays'>): number {
  const days = versionDays()
  // A setting of 0 keeps none, whatever the clock said when they were replaced.
  return days === 0 ? Number.MAX_SAFE_INTEGER : clock.now() - days * DAY_MS
}

/** Removes versions past their days. */
export async function pruneVersions(deps: StorageDeps): Promise<void> {
  if (!deps.volume.isPresent()) return
  const before = pruneBefore(deps)
  while ((await removeOldest(deps, { before, limit: SLICE })) === SLICE);
}

/** Removes the oldest version, unless the disk refuses to remove bytes of versions. */
export async function removeOldestVersion(deps: StorageDeps): Promise<'removed' | 'none' | 'refused'> {
  const { volume, versionBytes } = deps
  volume.assertPresent()
  if (versionBytes.summary()) return 'refused'
  const count = await removeOldest(deps, { before: Number.MAX_SAFE_INTEGER, limit: 1 })
  if (count === 0) return 'none'
  return versionBytes.summary() ? 'refused' : 'removed'
}

/**
 * Removes up to `limit` of the oldest versions that were replaced before a time, and returns how many. Those whose
 * replacement is not finished stay, because new bytes may wait under their names.
 */
async function removeOldest(
  deps: StorageDeps,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const { catalog, versionBytes, unfinished } = deps
  const needed = unfinished.versionNames()
  const oldest = await catalog.versions.replacedBefore(before, limit + needed.length)
  const ids = oldest.flatMap(({ id }) => (needed.includes(id) ? [] : [id])).slice(0, limit)
  if (ids.length === 0) return 0
  await catalog.transactToFree((): Steps<void> => catalog.versions.remove(ids))
  await versionBytes.remove(ids)
  return ids.length
}

/** Name of the fact that every name in `versions/` came from this catalog. */
export const OWNS_VERSIONS = 'ownsVersions'

/**
 * Removes bytes that no version and no unfinished operation has: a crash came before their removal. A rebuilt
 * catalog leaves what an earlier one put there.
 *
 * @param onError Called when the disk refuses that, which must not keep a start from serving the rest.
 * @returns The number of names left.
 */
export async function clearVersions(
  { catalog, volume }: Stores,
  unfinished: readonly string[],
  onError: (error: unknown) => void,
): Promise<number> {
  const kept = new Set(unfinished)
  const strays: string[] = []
  for (const name of volume.versions.names())
    if (!kept.has(name) && !(await catalog.versions.byId(name))) strays.push(name)
  const isOwner = (await catalog.instance.get(OWNS_VERSIONS)) === 'true'
  if (!isOwner && strays.length > 0) return strays.length
  if (!isOwner) await catalog.transact(() => catalog.instance.set(OWNS_VERSIONS, 'true'))
  await volume.versions.remove(strays).catch(onError)
  return 0
}

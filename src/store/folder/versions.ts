import { type Steps, UnknownOutcome, type Work } from '../../catalog/engine/query.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import { refuseConflict, refuseForNow } from '../../platform/errors.ts'
import { assertVisibility, type Located, locateFile } from '../tree.ts'
import { changeRow, findMoved, pruneBefore, type Replacement, requireRemovable } from '../upload.ts'
import { change, type FolderDeps } from './change.ts'
import type { ReplacePlan } from './plan.ts'
import { onDisk } from './publish.ts'

type Stores = Pick<FolderDeps, 'catalog' | 'volume'>

/**
 * Replaces the bytes of a file, which keeps its id, key and time of creation. Both states are linked
 * into `versions/` first; then one turn of the event loop renames the new bytes to the key and commits the row.
 * Readers under way have the old bytes to their end.
 *
 * @throws {Refusal} `not-found`, `conflict` when something unknown is at the key, what `admit` throws.
 */
export function replaceFile(
  deps: FolderDeps,
  id: string,
  replacement: Replacement,
): Promise<Located<FileRow>> {
  const { catalog, volume } = deps
  return deps.lock.exclusive(async () => {
    const {
      row: file,
      key,
      from,
    } = await catalog.read(function* () {
      const located = yield* locateFile(deps, id)
      yield* assertVisibility(deps, located.row.folderId, replacement.visibility)
      const { movedId } = replacement
      const from = movedId === undefined ? undefined : (yield* findMoved(deps, movedId, id)).key
      return { ...located, from }
    })
    const keys = from === undefined ? [key] : [key, from]
    return change(deps, { failure: `The file "${key}" could not be replaced`, keys }, async () => {
      const old = await volume.identify(key)
      if (old && !(await volume.identify(key, 'file')))
        throw refuseConflict(`Something that Holdfast does not know is at "${key}" on the volume`)
      replacement.admit(old)
      const { staged } = replacement
      const next = staged ? onDisk(staged).identity : await volume.identify(from ?? '', 'file')
      if (!next) throw refuseConflict(`"${from}" is missing on disk`)
      const plan: ReplacePlan = {
        kind: 'replace',
        id,
        key,
        version: deps.random.id(),
        old: old ?? null,
        new: next,
        ...(from !== undefined && { from }),
        isCommitted: false,
        isKept: false,
      }
      return { row: await replace(deps, file, { plan, replacement }), key }
    })
  })
}

async function replace(
  deps: FolderDeps,
  file: FileRow,
  { plan, replacement }: { plan: ReplacePlan; replacement: Replacement },
): Promise<FileRow> {
  const { catalog, volume, random, unfinished } = deps
  const intentId = random.id()
  const isKept = plan.old !== null && deps.versionDays() > 0
  const committed = { ...plan, isCommitted: true, isKept }
  await unfinished.announce(intentId, plan)
  let row: FileRow
  try {
    await volume.versions.prepare(plan, replacement.staged && onDisk(replacement.staged).path)
    row = await catalog.transact(function* () {
      volume.assertPresent()
      volume.versions.swap(plan)
      yield* catalog.intents.update(intentId, committed)
      return yield* changeRow(deps, file.id, { ...replacement, version: isKept ? plan.version : undefined })
    })
  } catch (error) {
    if (error instanceof UnknownOutcome) throw error
    await unfinished.rollBack(intentId, plan)
    throw error
  }
  await unfinished.finish(intentId, committed)
  return row
}

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

/** Removes a version. @throws {Refusal} `not-found`, `unavailable` while its replacement is not finished. */
export async function removeVersion(deps: FolderDeps, id: string): Promise<void> {
  const { catalog, volume, versionBytes, unfinished } = deps
  volume.assertPresent()
  await catalog.transactToFree(function* () {
    yield* requireRemovable(deps, id)
    // New bytes may still wait under its name.
    if (unfinished.versionNames().includes(id))
      throw refuseForNow('The replacement of its file is not finished yet, try again soon', undefined)
    yield* catalog.versions.remove([id])
  })
  await versionBytes.remove([id])
}

/** Removes versions past their days. */
export async function pruneVersions(deps: FolderDeps): Promise<void> {
  if (!deps.volume.isPresent()) return
  const before = pruneBefore(deps)
  while ((await removeOldest(deps, { before, limit: SLICE })) === SLICE);
}

/** Removes the oldest version, unless the disk refuses to remove bytes of versions. */
export async function removeOldestVersion(deps: FolderDeps): Promise<'removed' | 'none' | 'refused'> {
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
  deps: FolderDeps,
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

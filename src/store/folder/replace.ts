import type { Steps, Work } from '../../catalog/engine/query.ts'
import { UnknownOutcome } from '../../catalog/engine/unknown-outcome.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { VersionRow } from '../../catalog/tree/versions.ts'
import { refuseConflict } from '../../platform/errors.ts'
import type { FileState } from '../opened.ts'
import { type Located, locateFile, requireFile, type TreeDeps } from '../tree.ts'
import { change, type StorageDeps } from './change.ts'
import type { ReplacePlan } from './plan.ts'
import { blobOf, onDisk, type StagedFile } from './publish.ts'

/** New bytes of a file. */
export interface Replacement {
  staged: StagedFile
  /** Account that sent them. */
  uploadedBy: string
  /**
   * Evaluates preconditions against the present bytes, before anything changes. No other change of the file comes
   * between this and the replacement.
   *
   * @param present Undefined when the bytes are missing on disk.
   */
  admit: (present: FileState | undefined) => void
  /** New visibility, which takes effect with the new bytes; `undefined` leaves it. */
  visibility?: FileRow['visibility'] | undefined
  /** Rest of the transaction. */
  alongside: (file: FileRow) => Steps<void>
}

/**
 * Replaces the bytes of a file, which keeps its id, key and time of creation. Both states are linked
 * into `versions/` first; then one turn of the event loop renames the new bytes to the key and commits the row.
 * Readers under way have the old bytes to their end.
 *
 * @throws {Refusal} `not_found`, `conflict` when something unknown is at the key, what `admit` throws.
 */
export function replaceFile(
  deps: StorageDeps,
  id: string,
  replacement: Replacement,
): Promise<Located<FileRow>> {
  const { catalog, volume } = deps
  return deps.lock.exclusive(async () => {
    const { row: file, key } = await catalog.read(() => locateFile(deps, id))
    return change(deps, { failure: `The file "${key}" could not be replaced`, keys: [key] }, async () => {
      const old = await volume.identify(key)
      if (old && !(await volume.identify(key, 'file')))
        throw refuseConflict(`Something that Holdfast does not know is at "${key}" on the volume`)
      replacement.admit(old)
      const plan: ReplacePlan = {
        kind: 'replace',
        id,
        key,
        version: deps.random.id(),
        old: old ?? null,
        new: onDisk(replacement.staged).identity,
        isCommitted: false,
        isKept: false,
      }
      return { row: await replace(deps, file, { plan, replacement }), key }
    })
  })
}

async function replace(
  deps: StorageDeps,
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
    await volume.versions.prepare(plan, onDisk(replacement.staged).path)
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

/**
 * Changes the row of a file to its new bytes, and adds the version with the old ones. The time of change grows
 * strictly, so each state has its own.
 *
 * @param version Id of the version; `undefined` when the old bytes do not stay.
 */
export function* changeRow(
  deps: TreeDeps,
  id: string,
  { staged, uploadedBy, visibility, alongside, version }: Replacement & { version: string | undefined },
): Work<FileRow> {
  const { catalog, clock } = deps
  const file = yield* requireFile(deps, id)
  const { size, crc32, sha256 } = staged
  const updatedAt = Math.max(clock.now(), file.updatedAt + 1)
  const columns = {
    size,
    crc32,
    sha256,
    uploadedBy,
    blobId: blobOf(staged),
    updatedAt,
    visibility: visibility ?? file.visibility,
  }
  const isFreed = version === undefined && file.uploadedBy === uploadedBy
  yield* catalog.quotas.claim({ userId: uploadedBy, bytes: isFreed ? size - file.size : size })
  if (version !== undefined) yield* catalog.versions.insert(versionOf(file, version, updatedAt))
  yield* catalog.files.update(id, columns)
  yield* catalog.integrity.clear(id)
  yield* alongside(file)
  return { ...file, ...columns }
}

const versionOf = (file: FileRow, id: string, replacedAt: number): VersionRow => ({
  id,
  fileId: file.id,
  size: file.size,
  crc32: file.crc32,
  sha256: file.sha256,
  mimeType: file.mimeType,
  uploadedBy: file.uploadedBy,
  blobId: file.blobId,
  writtenAt: file.updatedAt,
  replacedAt,
})

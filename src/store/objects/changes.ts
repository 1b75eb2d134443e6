import { blobTime } from '../../blobs/blobs.ts'
import type { Work } from '../../catalog/engine/query.ts'
import { refuseGivenUp } from '../../catalog/publication.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { TrashRow } from '../../catalog/tree/trash.ts'
import { joinKey } from '../../platform/names.ts'
import { MARKER } from '../../volume/layout.ts'
import { blobOf, type FileRef, type FileState } from '../content.ts'
import { type Move, moveRow, type PlannedMove } from '../moves.ts'
import type { Alongside, Operations } from '../operations.ts'
import { leavingFolder } from '../trash/items.ts'
import {
  assertFitsBelow,
  assertNameFree,
  assertVisibility,
  FolderPlan,
  findRemovable,
  type Located,
  locateFile,
  locateFolder,
} from '../tree.ts'
import { changeRow, pruneBefore, type Replacement, requireRemovable } from '../upload.ts'
import { assertFits, type ObjectDeps, release } from './deps.ts'

/**
 * Moves or renames a file or folder by one row: no blob has its name.
 *
 * @throws {Refusal} `invalid` for too long a key, `conflict`, and as `plan`.
 */
export const move = <Row>(
  deps: ObjectDeps,
  plan: () => Work<PlannedMove<Row>>,
  what: 'file' | 'folder',
): Promise<Located<Row>> =>
  deps.catalog.transact(
    function* () {
      const planned = yield* plan()
      if ('stay' in planned) return yield* planned.stay()
      yield* admit(deps, planned)
      return yield* moveRow(deps, planned)
    },
    { stopsUploads: what === 'folder' },
  )

function* admit(deps: ObjectDeps, { what, row, key, target, name }: Move<unknown>): Work<void> {
  const to = joinKey(target.key, name)
  const isLonger = Buffer.byteLength(to) > Buffer.byteLength(key)
  assertFits(target.missing.map(({ key }) => key))
  if (what === 'file' || isLonger || to === MARKER) assertFits([to])
  if (what === 'folder' && isLonger) yield* assertFitsBelow(deps.catalog, { id: row.id, key: to })
  if (target.missing.length === 0) yield* assertNameFree(deps, target.folderId, name)
}

/**
 * Runs the rest of a transaction in which folders exist.
 *
 * @throws {Refusal} `invalid` for too long a key, `conflict` when a file is in the way, what `alongside` throws.
 */
export const makeFolders: Operations<ObjectDeps>['makeFolders'] = (deps, folders, alongside) =>
  deps.catalog.transact(function* () {
    const plan = new FolderPlan(deps)
    for (const folder of folders) yield* plan.add(folder)
    const { missing } = plan
    assertFits(missing.map(({ key }) => key))
    if (missing.length > 0) yield* deps.catalog.folders.insert(missing.map(({ row }) => row))
    return yield* alongside(plan)
  })

/** Returns the state of a file's bytes, which its row describes; `undefined` when it has no blob. */
export const stateOfBlob = ({ blobId, size }: Pick<FileRef, 'blobId' | 'size'>): FileState | undefined =>
  blobId === null ? undefined : { size, mtimeMs: blobTime(blobId) }

/**
 * Replaces the bytes of a file by another blob, in one transaction. The old one stays as a version, or is removed
 * later: readers under way have it to its end.
 *
 * @throws {Refusal} `not-found`, `unavailable`, what `admit` throws.
 */
export const replaceFile = (
  deps: ObjectDeps,
  id: string,
  replacement: Replacement,
): Promise<Located<FileRow>> => {
  const { catalog, random, versionDays } = deps
  return catalog.transact(function* () {
    const { row, key } = yield* locateFile(deps, id)
    yield* assertVisibility(deps, row.folderId, replacement.visibility)
    replacement.admit(stateOfBlob(row))
    const { staged } = replacement
    const blobId = staged ? blobOf(staged) : null
    if (staged && (blobId === null || !(yield* catalog.blobs.keep(blobId, staged.size))))
      throw refuseGivenUp()
    const isKept = row.blobId !== null && versionDays() > 0
    if (!isKept) yield* release(deps, [row])
    const version = isKept ? random.id() : undefined
    return { row: yield* changeRow(deps, id, { ...replacement, version }), key }
  })
}

/** Versions removed per slice. */
const SLICE = 100

/** Deletes a file with its versions. @returns The removed row, or `undefined` when there is no such file. */
export const removeFile = (deps: ObjectDeps, id: string): Promise<FileRow | undefined> => {
  const { catalog } = deps
  return catalog.transactToFree(function* () {
    const file = (yield* findRemovable(deps, id))?.row
    if (!file) return undefined
    const versions = yield* catalog.versions.removeOfFiles([id])
    yield* catalog.files.remove(id)
    yield* release(deps, [file, ...versions])
    return file
  })
}

/**
 * Takes a folder out of the tree. Its rows are purged by way of the trash, as an item that cannot be restored, so an
 * interrupted deletion goes on.
 *
 * @throws {Refusal} `invalid` for the root, `not-found`.
 */
export const discardFolder = (deps: ObjectDeps, id: string, alongside: Alongside): Promise<TrashRow> => {
  const { catalog } = deps
  return catalog.transactToFree(
    function* () {
      const { item, leave } = yield* leavingFolder(deps, id, null)
      const { row, key } = yield* locateFolder(deps, id)
      const purged = { ...item, entry: id, purging: true }
      yield* alongside(row, key)
      yield* catalog.trash.insert(purged)
      yield* leave()
      return purged
    },
    { stopsUploads: true },
  )
}

/** Removes a version. @throws {Refusal} `not-found`. */
export const removeVersion = (deps: ObjectDeps, id: string): Promise<void> => {
  const { catalog } = deps
  return catalog.transactToFree(function* () {
    const version = yield* requireRemovable(deps, id)
    yield* catalog.versions.remove([id])
    yield* release(deps, [version])
  })
}

/** Removes versions past their days. */
export async function pruneVersions(deps: ObjectDeps): Promise<void> {
  const { catalog } = deps
  const before = pruneBefore(deps)
  for (let removed = SLICE; removed === SLICE; ) {
    removed = (await catalog.versions.replacedBefore(before, SLICE)).length
    if (removed === 0) return
    await catalog.transactToFree(function* () {
      const oldest = yield* catalog.versions.replacedBefore(before, SLICE)
      yield* catalog.versions.remove(oldest.map(({ id }) => id))
      yield* release(deps, oldest)
    })
  }
}

import type { FileRow } from '../../catalog/tree/files.ts'
import type { TrashRow } from '../../catalog/tree/trash.ts'
import { refuseNotFound } from '../../platform/errors.ts'
import type { Alongside } from '../folder/discard.ts'
import { leavingFolder } from '../folder/trash-put.ts'
import { pruneBefore } from '../folder/versions.ts'
import { findKey, locateFolder } from '../tree.ts'
import { type ObjectDeps, release } from './deps.ts'

/** Versions removed per slice. */
const SLICE = 100

/** Deletes a file with its versions. @returns The removed row, or `undefined` when there is no such file. */
export const removeFile = (deps: ObjectDeps, id: string): Promise<FileRow | undefined> => {
  const { catalog } = deps
  return catalog.transactToFree(function* () {
    const file = yield* catalog.files.byId(id)
    if (!file || (yield* findKey(catalog, file)) === undefined) return undefined
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
 * @throws {Refusal} `invalid` for the root, `not_found`.
 */
export const detachFolder = (deps: ObjectDeps, id: string, alongside: Alongside): Promise<TrashRow> => {
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

/** Removes a version. @throws {Refusal} `not_found`. */
export const removeVersion = (deps: ObjectDeps, id: string): Promise<void> => {
  const { catalog } = deps
  return catalog.transactToFree(function* () {
    const version = yield* catalog.versions.byId(id)
    if (!version) throw refuseNotFound('Version not found')
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

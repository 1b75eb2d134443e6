import { blobTime } from '../../blobs/blobs.ts'
import { refuseGivenUp } from '../../catalog/publication.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import { blobOf } from '../folder/publish.ts'
import { changeRow, type Replacement } from '../folder/replace.ts'
import type { FileRef, FileState } from '../opened.ts'
import { type Located, locateFile } from '../tree.ts'
import { type ObjectDeps, release } from './deps.ts'

/** Returns the state of a file's bytes, which its row describes; `undefined` when it has no blob. */
export const stateOfBlob = ({ blobId, size }: Pick<FileRef, 'blobId' | 'size'>): FileState | undefined =>
  blobId === null ? undefined : { size, mtimeMs: blobTime(blobId) }

/**
 * Replaces the bytes of a file by another blob, in one transaction. The old one stays as a version, or is removed
 * later: readers under way have it to its end.
 *
 * @throws {Refusal} `not_found`, `unavailable`, what `admit` throws.
 */
export const replaceFile = (
  deps: ObjectDeps,
  id: string,
  replacement: Replacement,
): Promise<Located<FileRow>> => {
  const { catalog, random, versionDays } = deps
  const { staged, admit } = replacement
  const blobId = blobOf(staged)
  return catalog.transact(function* () {
    const { row, key } = yield* locateFile(deps, id)
    admit(stateOfBlob(row))
    if (blobId === null || !(yield* catalog.blobs.keep(blobId, staged.size))) throw refuseGivenUp()
    const isKept = row.blobId !== null && versionDays() > 0
    if (!isKept) yield* release(deps, [row])
    const version = isKept ? random.id() : undefined
    return { row: yield* changeRow(deps, id, { ...replacement, version }), key }
  })
}

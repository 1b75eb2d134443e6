import type { FileRow } from '../catalog/files.ts'
import type { Deps } from '../deps.ts'
import { type BatchOutcome, distinctIds } from './batch.ts'
import { type FileView, fileView } from './model.ts'
import { fileNotFound, keyOfFile } from './service.ts'

/**
 * Gives every file in a folder and below it one visibility, in one transaction.
 *
 * @returns How many files changed.
 */
export function applyVisibility(
  { catalog, clock }: Pick<Deps, 'catalog' | 'clock'>,
  folderId: string,
  visibility: FileRow['visibility'],
): Promise<number> {
  return catalog.setVisibilityBelow({ folderId, visibility, updatedAt: clock.now() })
}

/**
 * Gives several files one visibility, in one transaction.
 *
 * @throws {Refusal} `invalid` for too many ids, `not_found` when none of them exist.
 */
export async function setVisibility(
  deps: Pick<Deps, 'catalog' | 'clock' | 'config'>,
  ids: readonly string[],
  visibility: FileRow['visibility'],
): Promise<BatchOutcome<FileView>> {
  const { catalog, clock, config } = deps
  const distinct = distinctIds(ids, config.maxMoveIds)
  const done = await catalog.transact(() => {
    catalog.files.setVisibility(distinct, { visibility, updatedAt: clock.now() })
    return catalog.files
      .byIds(distinct)
      .filter(({ folderId }) => catalog.folders.keyOf(folderId) !== undefined)
      .map((file) => fileView(file, keyOfFile(deps, file)))
  })
  if (done.length === 0) throw fileNotFound()
  const found = new Set(done.map(({ id }) => id))
  const { message } = fileNotFound()
  return { done, failed: distinct.filter((id) => !found.has(id)).map((id) => ({ id, message })) }
}

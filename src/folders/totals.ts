import type { Deps } from '../deps.ts'
import type { FolderTotals, NamedFolder } from './model.ts'
import { requireFolder } from './service.ts'
import { foldersFrom } from './walk.ts'

/**
 * Counts the files and folders below a folder, and the bytes of the files. Yields to the event loop between slices.
 *
 * @throws {Refusal} `not_found`.
 */
export async function countBelow(
  { catalog, nextTurn }: Pick<Deps, 'catalog' | 'nextTurn'>,
  which: NamedFolder,
  signal: AbortSignal,
): Promise<FolderTotals> {
  const { id, updatedAt } = requireFolder({ catalog }, which)
  const totals = { files: 0, folders: -1, size: 0 }
  using snapshot = catalog.lists.snapshot(['size'])
  for (const folder of foldersFrom(snapshot, { id, path: '', updatedAt })) {
    totals.folders += 1
    await nextTurn()
    for (const slice of snapshot.filesIn(folder.id)) {
      totals.files += slice.length
      for (const { size } of slice) totals.size += size
      await nextTurn()
      signal.throwIfAborted()
    }
  }
  return totals
}

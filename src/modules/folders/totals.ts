import type { Context } from '../../access/context.ts'
import { assertConnected } from '../../platform/slots.ts'
import type { FolderTotals, NamedFolder } from './model.ts'
import { requireFolder } from './service.ts'
import { foldersFrom } from './walk.ts'

/**
 * Counts the files and folders below a folder, and the bytes of the files. Yields to the event loop between slices.
 *
 * @throws {Refusal} `not_found`, `unavailable`.
 */
export async function countBelow(
  { store, nextTurn }: Pick<Context, 'store' | 'nextTurn'>,
  which: NamedFolder,
  leaving: AbortSignal,
): Promise<FolderTotals> {
  const totals = { files: 0, folders: -1, size: 0 }
  using snapshot = await store.readers.snapshot(leaving)
  const { id, updatedAt } = await snapshot.read(() => requireFolder({ store: snapshot }, which))
  const filesIn = snapshot.filesIn(['size'])
  for await (const folder of foldersFrom(snapshot, { id, path: '', updatedAt })) {
    totals.folders += 1
    await nextTurn()
    for await (const slice of filesIn(folder.id)) {
      totals.files += slice.length
      for (const { size } of slice) totals.size += size
      await nextTurn()
      assertConnected(leaving)
    }
  }
  return totals
}

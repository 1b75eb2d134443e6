import type { TrashRow } from '../../catalog/tree/trash.ts'
import { refusalOfDisk } from '../../platform/errors.ts'
import { joinKey } from '../../platform/names.ts'
import { assertNames, heldName } from '../held.ts'
import { moveRowsToTrash, sizeOf } from '../trash-rows.ts'
import type { StorageDeps } from './change.ts'

type Stores = Pick<StorageDeps, 'catalog' | 'volume' | 'versionBytes'>

/** Files whose bytes and rows are removed per slice. */
const SLICE_FILES = 32

/**
 * Removes an item of the trash for good: bytes first, so that a row refers to each until then. Entries that the
 * catalog does not know stay in the folder `trash`. Continues after an interruption.
 *
 * @throws {Refusal} `disk_refused`, `unavailable`.
 */
export async function purgeItem(stores: Stores, item: TrashRow): Promise<void> {
  stores.volume.assertPresent()
  try {
    await purge(stores, item)
  } catch (error) {
    throw refusalOfDisk(error, `"${item.name}" could not be removed from the trash`) ?? error
  }
}

async function purge(stores: Stores, item: TrashRow): Promise<void> {
  const { catalog, volume, versionBytes } = stores
  const held = heldName(item)
  if (item.kind === 'file') {
    await volume.trash.remove(held)
    await volume.trash.finish(held)
  } else {
    // A crash may have left rows of it outside the trash.
    await moveRowsToTrash(catalog, item.id)
    await purgeFolder(stores, { item, folderId: item.id, below: '' })
    await volume.trash.finish(held)
  }
  const versions = await catalog.transactToFree(function* () {
    yield* catalog.trash.removeFiles([item.id])
    yield* catalog.trash.remove(item.id)
    return yield* catalog.versions.removeOfFiles([item.id])
  })
  await versionBytes.remove(versions.map(({ id }) => id))
}

interface Below {
  item: TrashRow
  folderId: string
  /** Path from the folder of the item to this one. */
  below: string
}

async function purgeFolder(stores: Stores, { item, folderId, below }: Below): Promise<void> {
  const { catalog, volume, versionBytes } = stores
  const held = heldName(item)
  for (;;) {
    const [child] = await catalog.trash.foldersIn(item.id, folderId, '', 1)
    if (!child) break
    assertNames([child])
    await purgeFolder(stores, { item, folderId: child.id, below: joinKey(below, child.name) })
  }
  for (;;) {
    const files = await catalog.trash.filesIn(item.id, folderId, '', SLICE_FILES)
    if (files.length === 0) break
    assertNames(files)
    await volume.trash.removeFiles(
      held,
      below,
      files.map(({ name }) => name),
    )
    const versions = await catalog.transactToFree(function* () {
      const ids = files.map(({ id }) => id)
      yield* catalog.trash.removeFiles(ids)
      yield* catalog.trash.add(item.id, { count: -files.length, size: -sizeOf(files) })
      return yield* catalog.versions.removeOfFiles(ids)
    })
    await versionBytes.remove(versions.map(({ id }) => id))
  }
  await volume.trash.removeFolder(held, below)
  await catalog.transactToFree(() => catalog.trash.removeFolder(folderId))
}

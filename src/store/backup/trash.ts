import type { Catalog, ReadableCatalog } from '../../catalog/catalog.ts'
import type { TrashedFile, TrashRow } from '../../catalog/tree/trash.ts'
import { joinKey, nameProblem } from '../../platform/names.ts'
import { batchesOf } from '../batches.ts'
import { heldName, heldPath } from '../trash/rows.ts'
import { findKey } from '../tree.ts'
import type { Restoration } from './objects.ts'
import type { Origin } from './origin.ts'
import type { BackupStore, StoreWriter } from './store.ts'

/** Files per batch of fsyncs. */
const BATCH_FILES = 256

interface TrashBackup {
  store: BackupStore
  writer: StoreWriter
  origin: Origin
  snapshot: Catalog
  live: ReadableCatalog
  /** Paths of files whose bytes differ from the catalog. */
  damaged: string[]
}

/** Copies the bytes of files in the trash and returns how many. Those that were removed meanwhile leave the snapshot. */
export async function copyTrash(backup: TrashBackup): Promise<number> {
  const { snapshot, writer } = backup
  let copied = 0
  for await (const batch of batchesOf(snapshot.trash.filesAfter, BATCH_FILES)) {
    const removed: TrashedFile[] = []
    for (const file of batch) {
      const outcome = await copyFile(backup, file)
      if (outcome === 'copied') copied += 1
      if (outcome === 'removed') removed.push(file)
    }
    await writer.flush()
    await snapshot.transact(function* () {
      for (const { id, trashId, size } of removed) {
        yield* snapshot.trash.removeFiles([id])
        yield* snapshot.trash.add(trashId, { count: -1, size: -size })
        // The item of a single file has the id of the file.
        yield* snapshot.trash.remove(id)
      }
    })
  }
  return copied
}

async function copyFile(
  { store, writer, origin, snapshot, live, damaged }: TrashBackup,
  file: TrashedFile,
): Promise<'kept' | 'copied' | 'removed' | 'damaged'> {
  if (store.has(file)) return 'kept'
  const path = await snapshot.read(() => heldPath(snapshot, file))
  const opened = path === undefined ? undefined : await origin.ofTrashed(file, path)
  if (opened && (await writer.receive(opened, file.sha256))) return 'copied'
  if (await live.trash.file(file.id)) {
    damaged.push(`trash/${path}`)
    return 'damaged'
  }
  // It was restored meanwhile, or removed for good.
  live.forgetKeys()
  const now = await live.files.byId(file.id)
  const key = now && (await live.read(() => findKey(live, now)))
  const restored = !now || key === undefined ? undefined : await origin.ofFile(now, key)
  return restored && (await writer.receive(restored, file.sha256)) ? 'copied' : 'removed'
}

/** Restores the bytes of the trash. An item with a name that would lead out of the folder is removed. */
export async function restoreTrash(restoration: Restoration): Promise<void> {
  const { catalog, volume } = restoration
  let offset = 0
  for (;;) {
    const [item] = await catalog.trash.page({ limit: 1, offset })
    if (!item) return
    if (nameProblem(item.entry) || nameProblem(item.name)) {
      await catalog.transact(() => catalog.trash.removeItem(item.id))
      continue
    }
    offset += 1
    await volume.trash.add('', { folders: [item.entry], files: [] })
    const file = item.kind === 'file' ? await catalog.trash.file(item.id) : undefined
    if (file) await restoreFiles(restoration, item.entry, [{ ...file, name: item.name }])
    if (item.kind === 'folder') {
      await volume.trash.add(item.entry, { folders: [item.name], files: [] })
      await restoreBelow(restoration, { item, folderId: item.id, path: heldName(item) })
    }
  }
}

interface Below {
  item: TrashRow
  folderId: string
  /** Path of the folder below `trash/`. */
  path: string
}

async function restoreBelow(restoration: Restoration, { item, folderId, path }: Below): Promise<void> {
  const { catalog, volume } = restoration
  const after = (name: string, limit: number) => catalog.trash.filesIn(item.id, folderId, name, limit)
  for await (const batch of batchesOf(after, BATCH_FILES, ({ name }) => name))
    await restoreFiles(
      restoration,
      path,
      batch.filter(({ name }) => nameProblem(name) === undefined),
    )
  for (let last = ''; ; ) {
    const [child] = await catalog.trash.foldersIn(item.id, folderId, last, 1)
    if (!child) return
    last = child.name
    if (nameProblem(child.name)) continue
    await volume.trash.add(path, { folders: [child.name], files: [] })
    await restoreBelow(restoration, { item, folderId: child.id, path: joinKey(path, child.name) })
  }
}

function restoreFiles(restoration: Restoration, path: string, batch: readonly TrashedFile[]): Promise<void> {
  return restoration.provide(batch, async (found) => {
    const files = found.map(({ row: { name }, stagedPath }) => ({ name, stagedPath }))
    await restoration.volume.trash.add(path, { folders: [], files })
  })
}

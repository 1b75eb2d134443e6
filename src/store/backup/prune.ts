import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { collectDigests, type Digests } from '../../catalog/sqlite/digests.ts'
import { syncPath } from '../../platform/sync-path.ts'
import { isDigest } from '../../volume/writer.ts'
import { isDated } from './names.ts'
import { type BackupStore, SNAPSHOT_DATABASE } from './store.ts'

interface PruneOptions {
  store: BackupStore
  /** Number of snapshots that stay, the latest among them; at least one. */
  keep: number
  /** Name of the snapshot that always stays. */
  latest: string
}

interface Pruned {
  snapshots: number
  /** Number and size of the objects that no snapshot refers to any more. */
  objects: number
  bytes: number
}

/**
 * Removes old snapshots and objects that no remaining snapshot refers to, also after snapshots were removed
 * by hand. If the process is killed at any point, every listed snapshot is complete, and the next call does
 * the rest.
 *
 * @throws {StartError} when a backup is running, or a snapshot that is to stay cannot be read: then nothing
 *   is removed.
 */
export function pruneStore({ store, keep, latest }: PruneOptions): Pruned {
  const taken = store.take()
  try {
    const all = store.snapshots()
    const others = all.filter((name) => isDated(name) && name !== latest)
    const old = new Set(others.slice(0, Math.max(0, others.length - (keep - 1))))
    const kept = all.filter((name) => !old.has(name))
    using needed = collectDigests(
      join(taken.tmp, 'kept.sqlite'),
      kept.map((name) => join(store.snapshotPath(name), SNAPSHOT_DATABASE)),
    )
    for (const name of old) renameSync(store.snapshotPath(name), join(taken.tmp, name))
    // A snapshot that returned after a power cut would lack the objects removed now.
    for (const folder of [store.snapshotPath(''), taken.tmp]) syncPath(folder)
    return { snapshots: old.size, ...removeUnneeded(store.objects, needed) }
  } finally {
    taken.release()
  }
}

function removeUnneeded(objects: string, needed: Digests): Pick<Pruned, 'objects' | 'bytes'> {
  const removed = { objects: 0, bytes: 0 }
  for (const folder of readdirSync(objects))
    for (const name of readdirSync(join(objects, folder))) {
      if (!isDigest(name) || needed.has(name)) continue
      const path = join(objects, folder, name)
      removed.bytes += statSync(path).size
      removed.objects += 1
      rmSync(path)
    }
  return removed
}

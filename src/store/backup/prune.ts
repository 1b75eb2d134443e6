import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { collectDigests, type Digests } from '../../catalog/digests.ts'
import { isDigest } from '../../volume/checksums.ts'
import { syncPath } from '../../volume/layout.ts'
import { type BackupStore, SNAPSHOT_DATABASE } from './store.ts'

interface PruneOptions {
  store: BackupStore
  /** How many snapshots stay, the latest among them; at least one. */
  keep: number
  /** The name of the snapshot that is the latest, whatever the clock said. */
  latest: string
}

interface Pruned {
  snapshots: number
  /** Bytes of files that no snapshot has any more: how many files, and how large they were. */
  objects: number
  bytes: number
}

/** The names that backups get. One that was given another name by hand is kept. */
const DATED = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/

/**
 * Removes old snapshots, and what no snapshot that stays refers to, also what was left by snapshots that were removed
 * by hand. Killed anywhere, every snapshot that is still listed has all it had, and the next call does the rest.
 *
 * @throws {StartError} when a backup is running, or one that is to stay cannot be read: then nothing is removed.
 */
export function pruneStore({ store, keep, latest }: PruneOptions): Pruned {
  const taken = store.take()
  try {
    const all = store.snapshots()
    const others = all.filter((name) => DATED.test(name) && name !== latest)
    const old = new Set(others.slice(0, Math.max(0, others.length - (keep - 1))))
    const kept = all.filter((name) => !old.has(name))
    using needed = collectDigests(
      join(taken.tmp, 'kept.sqlite'),
      kept.map((name) => join(store.snapshotPath(name), SNAPSHOT_DATABASE)),
    )
    for (const name of old) renameSync(store.snapshotPath(name), join(taken.tmp, name))
    // A snapshot that came back after a power cut would lack what is removed now.
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

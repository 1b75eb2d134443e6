import type { Blobs, StoredBlob } from '../../blobs/blobs.ts'
import type { Random } from '../../platform/random.ts'
import type { BackupStore } from './store.ts'

/** Bytes of a blob whose object is missing or damaged. */
export interface LostBytes {
  blob: StoredBlob
  sha256: string
}

/**
 * Sends the bytes of a blob again, from the first backup that has them undamaged. No server may run.
 *
 * @returns False when no backup has them, or the object store retains the damaged object.
 * @throws {Refusal} `unavailable`, `no-space`.
 */
export async function mendBlob(
  { blobs, backups, random }: { blobs: Blobs; backups: readonly BackupStore[]; random: Pick<Random, 'id'> },
  { blob, sha256 }: LostBytes,
): Promise<boolean> {
  for (const backup of backups) {
    if ((await backup.open(sha256)?.sha256()) !== sha256) continue
    const opened = backup.open(sha256)
    // An object is never replaced, so a damaged one goes first.
    if (!opened || (await blobs.remove([blob.id])).size > 0) return false
    const staging = await blobs.stage(random.id(), async () => {})
    try {
      await staging.receive(opened.chunks(), { maxBytes: blob.size, claim: () => {} }, blob.id)
      await staging.sync()
      return true
    } finally {
      await staging.discard()
    }
  }
  return false
}

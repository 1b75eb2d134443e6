import type { Blobs } from '../../blobs/blobs.ts'
import type { Work } from '../../catalog/engine/query.ts'
import { isTooLong } from '../../platform/names.ts'
import { MARKER } from '../../volume/layout.ts'
import { refuseTooLong, type StorageDeps } from '../folder/change.ts'
import { refuseTaken } from '../tree.ts'
import type { Arrivals } from './arrivals.ts'

/** Services of the operations on rows whose bytes are blobs. */
export interface ObjectDeps
  extends Pick<StorageDeps, 'catalog' | 'clock' | 'random' | 'log' | 'rootId' | 'versionDays'> {
  blobs: Blobs
  arrivals: Arrivals
  /** Id of this process, which the rows of blobs name that it is receiving. */
  node: string
  /** Ids of the blobs that this process is receiving, each from before its row exists. */
  receiving: Set<string>
}

/** Time for which a blob without a row stays, in milliseconds: a download or an archive may still read it. */
const GRACE_MS = 3_600_000

/** Dooms the blobs of rows that are removed, inside the caller's transaction. */
export function* release(
  { catalog, clock }: Pick<ObjectDeps, 'catalog' | 'clock'>,
  rows: readonly { blobId: string | null }[],
): Work<void> {
  const ids = rows.flatMap(({ blobId }) => blobId ?? [])
  if (ids.length > 0) yield* catalog.blobs.doom(ids, clock.now() + GRACE_MS)
}

/**
 * Refuses keys that no data folder could have: the bytes may move to one.
 *
 * @throws {Refusal} `invalid` when a key is too long, `conflict` for that of the marker.
 */
export function assertFits(keys: readonly string[]): void {
  if (keys.some(isTooLong)) throw refuseTooLong('The key')
  if (keys.includes(MARKER)) throw refuseTaken('Something', MARKER)
}

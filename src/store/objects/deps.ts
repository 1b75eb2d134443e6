import type { Blobs } from '../../blobs/blobs.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Work } from '../../catalog/engine/query.ts'
import type { BlobRow } from '../../catalog/tree/blobs.ts'
import type { Log } from '../../platform/log.ts'
import { isTooLong } from '../../platform/names.ts'
import { NextRun } from '../../platform/time.ts'
import { MARKER } from '../../volume/layout.ts'
import { refuseTaken, refuseTooLong, type TreeDeps } from '../tree.ts'

/** Services of the operations on rows whose bytes are blobs. */
export interface ObjectDeps extends TreeDeps {
  log: Log
  /** Returns the number of days for which versions are kept; 0 for not at all. */
  versionDays: () => number
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

/**
 * Inserts the rows of arriving blobs in groups: those that come while a group is inserted are the next one. PostgreSQL
 * would begin a transaction for each file of an archive.
 */
export class Arrivals {
  readonly #catalog: Pick<Catalog, 'blobs' | 'transact'>
  #waiting: BlobRow[] = []
  readonly #insertions = new NextRun(() => this.#insertWaiting())

  constructor(catalog: Pick<Catalog, 'blobs' | 'transact'>) {
    this.#catalog = catalog
  }

  /** Resolves once the row is committed. */
  insert(row: BlobRow): Promise<void> {
    this.#waiting.push(row)
    return this.#insertions.run()
  }

  #insertWaiting(): Promise<void> {
    const rows = this.#waiting
    this.#waiting = []
    return this.#catalog.transact(() => this.#catalog.blobs.insertAll(rows))
  }
}

import type { Catalog } from '../catalog/catalog.ts'
import type { Steps } from '../catalog/engine/query.ts'
import type { Dangling } from '../catalog/sqlite/check.ts'

/** Changes per commit. */
const BATCH_CHANGES = 250

/** Rows of a table, named by `key`, that refer to no row of another one. */
export interface DanglingDrop {
  kind: 'drop rows'
  key: string
  parent: string
  count: number
}

/** Returns the changes that remove rows which refer to missing rows. */
export const dropsOf = (dangling: readonly Dangling[]): DanglingDrop[] =>
  dangling.map(({ table, parent, count }) => ({ kind: 'drop rows', key: table, parent, count }))

/** Change of a repair with its effect on the catalog. */
export interface Prepared<Change> {
  change: Change
  /** Missing for a change that leaves the catalog as it is. */
  make?: (() => Steps<void>) | undefined
}

/**
 * Makes changes, many in one transaction. May be interrupted and repeated.
 *
 * @param report Receives each change once it is committed.
 */
export async function commitInBatches<Change>(
  { transact }: Pick<Catalog, 'transact'>,
  changes: AsyncIterable<Prepared<Change>>,
  report: (change: Change) => void,
): Promise<void> {
  let batch: Prepared<Change>[] = []
  const commit = async () => {
    await transact(function* () {
      for (const { make } of batch) if (make) yield* make()
    })
    for (const { change } of batch) report(change)
    batch = []
  }
  for await (const change of changes) {
    batch.push(change)
    if (batch.length === BATCH_CHANGES) await commit()
  }
  await commit()
}

/** Rows in memory at once. */
const BATCH_ROWS = 1000

/**
 * Yields rows in batches.
 *
 * @param after Reads up to `limit` rows after a position, in the order of positions.
 * @param positionOf Returns the position of a row; its id by default.
 */
export async function* batchesOf<Row extends { id: string }>(
  after: (position: string, limit: number) => PromiseLike<Row[]>,
  limit = BATCH_ROWS,
  positionOf = ({ id }: Row) => id,
): AsyncGenerator<Row[], void> {
  for (let position = ''; ; ) {
    const batch = await after(position, limit)
    yield batch
    const last = batch.at(-1)
    if (!last || batch.length < limit) return
    position = positionOf(last)
  }
}

/** Yields rows that are read in batches. */
export async function* rowsOf<Row extends { id: string }>(
  ...batches: Parameters<typeof batchesOf<Row>>
): AsyncGenerator<Row, void> {
  for await (const batch of batchesOf(...batches)) yield* batch
}

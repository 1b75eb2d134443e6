import type { ReadableCatalog } from '../../catalog/catalog.ts'
import type { BlobRow } from '../../catalog/tree/blobs.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { FileProblem } from '../folder/verify.ts'
import type { ObjectDeps } from './deps.ts'
import type { ObjectReader } from './problem.ts'

/** Rows in memory at once. */
const PAGE_ROWS = 1000
/** Age from which an object without a row is a leftover: an upload may take long. */
export const STRAY_MS = 2 * DAY_MS

/** Disagreement of the object store and the rows of blobs. */
export type BlobDifference = { id: string } & (
  | { problem: Extract<FileProblem, 'bytes are missing' | 'size differs'> }
  | { problem: 'not in the catalog' }
)

type CompareDeps = Pick<ObjectDeps, 'clock'> & {
  catalog: Pick<ReadableCatalog, 'blobs'>
  objects: Pick<ObjectReader, 'list' | 'sizeOf'>
  /** Ends the comparison soon. */
  isStopped: () => boolean
}

/**
 * Compares all objects with the rows of blobs by one walk over both, in the order of ids. It may run beside a server:
 * blobs that arrive meanwhile have later ids, and each difference is looked up again: a list may lack an object that is there.
 *
 * @throws {Error} when the object store has none of the blobs: it is another one, or was emptied.
 */
export async function* compareBlobs(deps: CompareDeps): AsyncGenerator<BlobDifference> {
  const { objects, clock, isStopped } = deps
  const began = clock.now()
  const rows = keptBlobs(deps, began)
  let row = (await rows.next()).value
  let isFirst = true
  for await (const { id, size, lastModified } of objects.list()) {
    if (isStopped()) return
    isFirst = false
    for (; row && row.id < id; row = (await rows.next()).value) yield* ifWrong(deps, row)
    if (row?.id === id) {
      if (row.size !== size) yield* ifWrong(deps, row)
      row = (await rows.next()).value
    } else if (lastModified < began - STRAY_MS && !(await deps.catalog.blobs.byId(id)))
      yield { id, problem: 'not in the catalog' }
  }
  if (isFirst && row) throw new Error('The object store has no object of this instance')
  for (; row; row = (await rows.next()).value) yield* ifWrong(deps, row)
}

/** Yields the blobs by id that were kept before a time. */
async function* keptBlobs({ catalog }: CompareDeps, before: number): AsyncGenerator<BlobRow, undefined> {
  for (let last = ''; ; ) {
    const page = await catalog.blobs.after(last, PAGE_ROWS)
    for (const row of page) if (row.state === 'kept' && row.createdAt < before) yield row
    if (page.length < PAGE_ROWS) return undefined
    last = page.at(-1)?.id ?? ''
  }
}

/** Yields the problem of a blob, unless it was removed since its row was read. */
async function* ifWrong(
  { catalog, objects }: CompareDeps,
  { id, size }: BlobRow,
): AsyncGenerator<BlobDifference> {
  const found = await objects.sizeOf(id)
  if (found === size || (await catalog.blobs.byId(id))?.state !== 'kept') return
  yield { id, problem: found === undefined ? 'bytes are missing' : 'size differs' }
}

import type { BlobReader } from '../../blobs/reader.ts'
import type { ReadableCatalog } from '../../catalog/catalog.ts'
import type { BlobRow } from '../../catalog/tree/blobs.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { TrashedFile } from '../../catalog/tree/trash.ts'
import type { VersionRow } from '../../catalog/tree/versions.ts'
import type { Clock } from '../../platform/clock.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { Pace } from '../../volume/stored-file.ts'
import { batchesOf, rowsOf } from '../batches.ts'
import { contentProblem, type FileProblem } from '../content.ts'
import { heldPath } from '../trash/rows.ts'
import { findKey } from '../tree.ts'
import type { ObjectDeps } from './deps.ts'

/** Age from which an object without a row is a leftover: an upload may take long. */
export const STRAY_MS = 2 * DAY_MS

/** Access to objects beside the local copies. */
export type ObjectReader = Pick<BlobReader, 'list' | 'sizeOf' | 'open'>

/** Returns the sizes of all objects by their ids. A look at each of them would take a request. */
export async function sizesOf(objects: Pick<ObjectReader, 'list'>): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for await (const { id, size } of objects.list()) sizes.set(id, size)
  return sizes
}

/**
 * Returns the problem with the bytes of a row in the object store.
 *
 * @throws {Refusal} `unavailable` when the object store does not respond, which is no problem of the bytes.
 */
export async function blobProblem(
  objects: ObjectReader,
  row: Pick<FileRow, 'blobId' | 'size' | 'sha256'>,
  how: { isRead: boolean; pace?: Pace },
): Promise<FileProblem | undefined> {
  if (row.blobId === null) return 'bytes are missing'
  const size = await objects.sizeOf(row.blobId)
  if (size === undefined) return 'bytes are missing'
  if (size !== row.size) return 'size differs'
  const opened = how.isRead ? await objects.open({ id: row.blobId, size }) : undefined
  return opened && contentProblem(opened, row, how)
}

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
  for await (const row of rowsOf(catalog.blobs.after))
    if (row.state === 'kept' && row.createdAt < before) yield row
  return undefined
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

interface VerifyBlobs {
  catalog: ReadableCatalog
  objects: ObjectReader
  clock: Clock
  /** Reads every object and compares its SHA-256; else only sizes are compared. */
  deep: boolean
}

/** Disagreement of objects and catalog; the key is that of a file, or a path in the words of the data folder. */
interface Disagreement {
  key: string
  problem: FileProblem | 'not in the catalog'
}

/** Compares all objects with the catalog, and changes nothing. */
export async function* verifyBlobs(options: VerifyBlobs): AsyncGenerator<Disagreement> {
  const { catalog, objects, deep } = options
  for await (const { id, problem } of compareBlobs({ ...options, isStopped: () => false })) {
    const keys = await keysOf(catalog, id)
    for (const key of keys.length > 0 ? keys : [`blobs/${id}`]) yield { key, problem }
  }
  if (!deep) return
  for await (const row of allRows(catalog)) {
    const problem = await blobProblem(objects, row, { isRead: true })
    if (problem === undefined || problem === 'bytes are missing' || problem === 'size differs') continue
    for (const key of await keysOf(catalog, row.blobId ?? '')) yield { key, problem }
  }
}

/** Yields the files, versions and files in the trash. */
export async function* allRows(catalog: KeyCatalog & Pick<ReadableCatalog, 'files' | 'versions'>) {
  for await (const rows of storedRows(catalog)) yield* rows
}

/** Returns names for the rows whose bytes are a blob. */
async function keysOf(catalog: ReadableCatalog, blobId: string): Promise<string[]> {
  const { files, versions, trashed } = await catalog.blobs.users([blobId])
  const keys = versions.map(keyOfVersion)
  for (const file of files) keys.push(await keyOfFile(catalog, file))
  for (const file of trashed) keys.push(await keyOfTrashed(catalog, file))
  return keys
}

const keyOfFile = async (catalog: KeyCatalog, file: FileRow): Promise<string> =>
  (await catalog.read(() => findKey(catalog, file))) ?? file.name

const keyOfVersion = ({ id }: Pick<VersionRow, 'id'>) => `versions/${id}`

const keyOfTrashed = async (catalog: KeyCatalog, file: TrashedFile): Promise<string> =>
  `trash/${(await catalog.read(() => heldPath(catalog, file))) ?? file.id}`

type KeyCatalog = Pick<ReadableCatalog, 'folders' | 'read' | 'trash'>

/** File, version or file in the trash. */
export interface StoredRow extends Pick<FileRow, 'id' | 'blobId' | 'size' | 'sha256'> {
  place: 'files' | 'versions' | 'trashed'
  /** Returns the key of a file, or a path in the words of the data folder. */
  key: () => Promise<string>
}

/** Yields the files, versions and files in the trash, some at a time. */
export async function* storedRows(
  catalog: KeyCatalog & Pick<ReadableCatalog, 'files' | 'versions'>,
): AsyncGenerator<StoredRow[]> {
  const { files, versions, trash } = catalog
  for await (const rows of batchesOf(files.after))
    yield rows.map((row) => ({ ...row, place: 'files', key: () => keyOfFile(catalog, row) }))
  for await (const rows of batchesOf(versions.after))
    yield rows.map((row) => ({ ...row, place: 'versions', key: async () => keyOfVersion(row) }))
  for await (const rows of batchesOf(trash.filesAfter))
    yield rows.map((row) => ({ ...row, place: 'trashed', key: () => keyOfTrashed(catalog, row) }))
}

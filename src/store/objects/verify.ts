import type { ReadableCatalog } from '../../catalog/catalog.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { TrashedFile } from '../../catalog/tree/trash.ts'
import type { VersionRow } from '../../catalog/tree/versions.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FileProblem } from '../folder/verify.ts'
import { heldPath } from '../held.ts'
import { findKey } from '../tree.ts'
import { compareBlobs } from './compare.ts'
import { blobProblem, type ObjectReader } from './problem.ts'

/** Rows in memory at once. */
const PAGE_ROWS = 1000

interface VerifyBlobs {
  catalog: ReadableCatalog
  objects: ObjectReader
  clock: Clock
  /** Reads every object and compares its SHA-256; else only sizes are compared. */
  deep: boolean
}

/** Disagreement of objects and catalog; the key is that of a file, or a path in the words of the data folder. */
interface BlobDifference {
  key: string
  problem: FileProblem | 'not in the catalog'
}

/** Compares all objects with the catalog, and changes nothing. */
export async function* verifyBlobs(options: VerifyBlobs): AsyncGenerator<BlobDifference> {
  const { catalog, objects, deep } = options
  for await (const { id, problem } of compareBlobs({ ...options, isStopped: () => false })) {
    const keys = await keysOf(catalog, id)
    for (const key of keys.length > 0 ? keys : [`blobs/${id}`]) yield { key, problem }
  }
  if (!deep) return
  for await (const row of rowsOf(catalog)) {
    const problem = await blobProblem(objects, row, { isRead: true })
    if (problem === undefined || problem === 'bytes are missing' || problem === 'size differs') continue
    for (const key of await keysOf(catalog, row.blobId ?? '')) yield { key, problem }
  }
}

/** Yields the files, versions and files in the trash. */
export async function* rowsOf(catalog: KeyCatalog & Pick<ReadableCatalog, 'files' | 'versions'>) {
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
  yield* slicesOf(files.after, (row) => ({ ...row, place: 'files', key: () => keyOfFile(catalog, row) }))
  yield* slicesOf(versions.after, (row) => ({
    ...row,
    place: 'versions',
    key: async () => keyOfVersion(row),
  }))
  yield* slicesOf(trash.filesAfter, (row) => ({
    ...row,
    place: 'trashed',
    key: () => keyOfTrashed(catalog, row),
  }))
}

async function* slicesOf<Row extends { id: string }>(
  after: (id: string, limit: number) => PromiseLike<Row[]>,
  describe: (row: Row) => StoredRow,
): AsyncGenerator<StoredRow[]> {
  for (let last = ''; ; ) {
    const page = await after(last, PAGE_ROWS)
    yield page.map(describe)
    if (page.length < PAGE_ROWS) return
    last = page.at(-1)?.id ?? ''
  }
}

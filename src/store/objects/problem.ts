import type { BlobReader } from '../../blobs/reader.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { Pace } from '../../volume/stored-file.ts'
import { contentProblem, type FileProblem } from '../folder/verify.ts'

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

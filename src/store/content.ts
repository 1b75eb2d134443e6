import mime from 'mime'
import { blobTime, type StagedBlob } from '../blobs/blob.ts'
import type { FileRow } from '../catalog/tree/files.ts'
import { errorCode } from '../platform/errors.ts'
import type { StagedFile as StagedOnDisk } from '../volume/staging.ts'
import { CutShort, type Pace, type StoredFile } from '../volume/stored-file.ts'
import { isDigest } from '../volume/writer.ts'

/** Facts of a file's row that lead to its bytes: the key in the data folder, or the blob and its size. */
export type FileRef = { key: string } & Pick<FileRow, 'blobId' | 'size'>

/** Open file or blob. Bytes in an object store cannot be read at once, and have no descriptor. */
export type OpenedFile = Omit<StoredFile, 'read' | 'descriptor'> &
  Partial<Pick<StoredFile, 'read' | 'descriptor'>>

/** Length in bytes, and modification time in milliseconds since 1970, which validators are built from. */
export type FileState = Pick<StoredFile, 'size' | 'mtimeMs'>

/** Received bytes that are not published: a file in staging, or a blob that no row refers to. */
export type StagedFile = StagedOnDisk | StagedBlob

/** Returns length and time of staged bytes, as they will be of the published file. */
export const stateOf = (staged: StagedFile): FileState =>
  'identity' in staged ? staged.identity : { size: staged.size, mtimeMs: blobTime(staged.id) }

/** Returns the id of the blob that staged bytes are; null for a file on disk. */
export const blobOf = (staged: StagedFile): string | null => ('identity' in staged ? null : staged.id)

/** Converts a time on disk to the catalog's precision; times in the future become `now`. */
export const notAfter = (now: number, timeMs: number) => Math.min(Math.max(Math.trunc(timeMs), 0), now)

type Content = Pick<FileRow, 'size' | 'crc32' | 'sha256' | 'isUtf8'> & { blobId?: string | null }
type Given = Pick<FileRow, 'id' | 'folderId' | 'name' | 'uploadedBy'> & Content & { facts?: FileRow['facts'] }

/** Builds the row of a new file before its visibility is decided, for uploads and for adopted files. */
export const newFileRow = (given: Given, createdAt: number): Omit<FileRow, 'visibility'> => ({
  blobId: null,
  facts: null,
  ...given,
  mimeType: mediaType(given.name),
  createdAt,
  updatedAt: createdAt,
})

const UNKNOWN = 'application/octet-stream'

/**
 * Returns the media type for the name of a file, without a charset.
 *
 * The extension follows the last dot and is case-insensitive. A name without a dot has none: a file called `html` is no
 * page.
 */
export const mediaType = (name: string): string => (name.includes('.') && mime.getType(name)) || UNKNOWN

/** Matches the types of texts that browsers decode by their charset. */
const TEXT = /^(?:text\/|application\/javascript$)/

/** Returns the `Content-Type` of a file's bytes: that of a text in UTF-8 names its charset. */
export const contentType = ({ mimeType, isUtf8 }: Pick<FileRow, 'mimeType' | 'isUtf8'>): string =>
  isUtf8 && TEXT.test(mimeType) ? `${mimeType}; charset=utf-8` : mimeType

/** Problem with the bytes of a file that the catalog knows. */
export type FileProblem =
  | 'name is not allowed'
  | 'key is too long'
  | 'bytes are missing'
  | 'cannot be read'
  | 'size differs'
  | 'checksum is malformed'
  | 'content differs'

/** Returns true if a file was written to after it was stored, or after such a change was last adopted. */
export function isChanged(
  { mtimeMs }: Pick<StoredFile, 'mtimeMs'>,
  { createdAt, updatedAt }: Pick<FileRow, 'createdAt' | 'updatedAt'>,
): boolean {
  const changedAt = Math.trunc(mtimeMs)
  return changedAt > createdAt && changedAt !== updatedAt
}

/**
 * Compares an open file with its row, and closes it.
 *
 * @param isRead True to compare its SHA-256, too.
 */
export async function contentProblem(
  opened: Pick<StoredFile, 'size' | 'close' | 'sha256'>,
  row: Pick<FileRow, 'size' | 'sha256'>,
  { isRead, pace }: { isRead: boolean; pace?: Pace | undefined },
): Promise<FileProblem | undefined> {
  if (!isDigest(row.sha256)) {
    opened.close()
    return 'checksum is malformed'
  }
  const { size } = opened
  if (size !== row.size || !isRead) {
    opened.close()
    return size === row.size ? undefined : 'size differs'
  }
  try {
    return (await opened.sha256(pace)) === row.sha256 ? undefined : 'content differs'
  } catch (error) {
    if (error instanceof CutShort || errorCode(error) !== undefined) return 'cannot be read'
    throw error
  }
}

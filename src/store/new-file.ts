import mime from 'mime'
import type { FileRow } from '../catalog/files.ts'

type Content = Pick<FileRow, 'size' | 'crc32' | 'sha256'> & { blobId?: string | null }
type Given = Pick<FileRow, 'id' | 'folderId' | 'name' | 'uploadedBy'> & Content

/** Builds the row of a new file before its visibility is decided, for uploads and for adopted files. */
export const newFileRow = (given: Given, createdAt: number): Omit<FileRow, 'visibility'> => ({
  blobId: null,
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

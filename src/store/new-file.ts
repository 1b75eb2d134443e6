import type { FileRow } from '../catalog/files.ts'
import { mediaType } from '../http/media-type.ts'

type Content = Pick<FileRow, 'size' | 'crc32' | 'sha256'>
type Given = Pick<FileRow, 'id' | 'folderId' | 'name' | 'uploadedBy'> & Content

/** Builds the row of a new file before its visibility is decided, for uploads and for adopted files. */
export const newFileRow = (given: Given, createdAt: number): Omit<FileRow, 'visibility'> => ({
  ...given,
  mimeType: mediaType(given.name),
  createdAt,
  updatedAt: createdAt,
})

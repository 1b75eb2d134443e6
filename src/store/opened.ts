import type { FileRow } from '../catalog/tree/files.ts'
import type { StoredFile } from '../volume/stored-file.ts'

/** Facts of a file's row that lead to its bytes: the key in the data folder, or the blob and its size. */
export type FileRef = { key: string } & Pick<FileRow, 'blobId' | 'size'>

/** Open file or blob. Bytes in an object store cannot be read at once, and have no descriptor. */
export type OpenedFile = Omit<StoredFile, 'read' | 'descriptor'> &
  Partial<Pick<StoredFile, 'read' | 'descriptor'>>

/** Length in bytes, and modification time in milliseconds since 1970, which validators are built from. */
export type FileState = Pick<StoredFile, 'size' | 'mtimeMs'>

/** Access to stored and arriving bytes for the modules. */
export { CHUNK_BYTES, giveBuffer, passOn, takeBuffer } from '../volume/buffers.ts'
export { SECRET, syncPath } from '../volume/layout.ts'
export { tooLarge } from '../volume/staging.ts'
export { CutShort, SMALL_BYTES } from '../volume/stored-file.ts'
export type { StoredFolder } from '../volume/stored-folder.ts'
export { ThumbnailCache } from '../volume/thumbnail-cache.ts'
export { type Partial, type StagedFile, type Staging, stateOf } from './new-file.ts'
export type { FileRef, FileState, OpenedFile } from './opened.ts'

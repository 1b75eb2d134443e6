/** Access to stored and arriving bytes for the modules. */

export { SECRET } from '../volume/layout.ts'
export { tooLarge } from '../volume/staging.ts'
export type { StoredFolder } from '../volume/stored-file.ts'
export { CHUNK_BYTES, CutShort, giveBuffer, SMALL_BYTES, takeBuffer } from '../volume/stored-file.ts'
export { type Output, ThumbnailCache, type ThumbnailName } from '../volume/thumbnail-cache.ts'
export { passOn, passOnParts } from '../volume/writer.ts'
export {
  contentType,
  type FileState,
  mediaType,
  type OpenedFile,
  type StagedFile,
  stateOf,
} from './content.ts'
export type { Partial, Staging } from './engine.ts'

import type { HotFile } from '../../src/modules/hosting/hot-files.ts'

/** What the answers to requests for a public file of `bytes` bytes are made of. */
export const hotFileOf = (key: string, bytes: number): HotFile => ({
  fileId: key,
  openedBy: 'public',
  key,
  size: bytes,
  mtimeMs: 0,
  etag: '"x"',
  cacheControl: '',
  expiresAt: Number.POSITIVE_INFINITY,
  mediaType: 'text/plain',
  headers: [],
  bytes: new Uint8Array(bytes),
})

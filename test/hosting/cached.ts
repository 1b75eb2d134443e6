import { HostedFile } from '../../src/modules/hosting/hosted-file.ts'
import type { ResponseCache } from '../../src/modules/hosting/response-cache.ts'

const DATE = 'Sun, 01 Mar 2026 00:00:00 GMT'

/** Describes a public file of `bytes` bytes. */
export const fileOf = (key: string, bytes: number, mtimeMs = 0) =>
  new HostedFile<'public'>({
    fileId: key,
    updatedAt: 0,
    grant: 'public',
    key,
    blobId: null,
    size: bytes,
    mtimeMs,
    mediaType: 'text/plain',
    cacheControl: '',
    etag: '"x"',
    lastModified: 0,
    expiresAt: Number.POSITIVE_INFINITY,
    fields: '',
    onDelivered: () => {},
  })

/** Adds the response with a whole public file of `bytes` bytes. */
export function addFile(
  cache: ResponseCache,
  { key, bytes, mtimeMs = 0 }: { key: string; bytes: number; mtimeMs?: number },
  version: number,
): void {
  const file = fileOf(key, bytes, mtimeMs)
  cache.add(key, file, { whole: file.reusable('whole', new Uint8Array(bytes), DATE), version })
}

/** Makes the response with a range of a file, filled with zeros. */
export const rangeOf = (file: HostedFile, first: number, length: number) =>
  file.reusable({ first, last: first + length - 1 }, new Uint8Array(length), DATE)

import { crc32 } from 'node:zlib'
import type { ZipEntry } from '../../src/zip/entry.ts'

export const MIB = 1024 * 1024
export const GIB = 1024 * MIB

/** Even seconds, so that the DOS time says exactly this. */
export const MODIFIED_AT = Date.UTC(2026, 2, 1, 12, 34, 56)

export const bytes = (text: string) => new TextEncoder().encode(text)

export function file(path: string, content: Uint8Array | string, modifiedAt = MODIFIED_AT): ZipEntry {
  const data = typeof content === 'string' ? bytes(content) : content
  return { path, size: data.length, crc32: crc32(data), modifiedAt, open: () => data }
}

export const directory = (path: string): ZipEntry => ({ path, size: 0, crc32: 0, modifiedAt: MODIFIED_AT })

/** Buffer of every chunk of zeros. `SparseArchive` recognizes it by identity. */
const ZEROS = new Uint8Array(MIB)

export const isZeros = (chunk: Uint8Array) => chunk.buffer === ZEROS.buffer

/** Creates a file of zeros of any size, which takes no memory. */
export const zeros = (path: string, size: number, chunkBytes = MIB): ZipEntry => ({
  path,
  size,
  crc32: crc32OfZeros(size),
  modifiedAt: MODIFIED_AT,
  open: () => streamZeros(size, chunkBytes),
})

async function* streamZeros(size: number, chunkBytes: number): AsyncGenerator<Uint8Array, void> {
  for (let left = size; left > 0; left -= chunkBytes) yield ZEROS.subarray(0, Math.min(left, chunkBytes))
}

function crc32OfZeros(size: number): number {
  let checksum = 0
  for (let left = size; left > 0; left -= MIB) {
    checksum = crc32(ZEROS.subarray(0, Math.min(left, MIB)), checksum)
  }
  return checksum
}

/** Collects all bytes. Copies each chunk, because it is valid only until the next. */
export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const copies: Uint8Array[] = []
  for await (const chunk of chunks) copies.push(chunk.slice())
  return Bun.concatArrayBuffers(copies, Number.POSITIVE_INFINITY, true)
}

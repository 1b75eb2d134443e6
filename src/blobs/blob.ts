import type { Random } from '../platform/random.ts'
import type { FileSums } from '../volume/hash-thread.ts'
import type { StoredFile } from '../volume/stored-file.ts'

/** Immutable bytes in the object store, as their rows describe them. */
export interface StoredBlob {
  /** UUIDv7 as 32 hex digits, never used twice. */
  id: string
  /** Length in bytes. */
  size: number
}

/** Blob that has not arrived completely. */
export interface ArrivingBlob {
  id: string
  /** Id of its multipart upload; `undefined` when one request carries the whole blob. */
  uploadId?: string
}

/** Received blob that no row refers to yet. */
export interface StagedBlob extends StoredBlob, FileSums {}

/** Open bytes of a blob: a file of the cache, or ranges that are read from the object store. */
export type OpenedBlob = Omit<StoredFile, 'read' | 'descriptor'> & Partial<Pick<StoredFile, 'descriptor'>>

/** Awaited before the first byte of a blob goes to the object store, so that its row exists by then. */
export type OnArrival = (blob: ArrivingBlob) => Promise<void>

/** Creates the id of a blob of the given time, in whole milliseconds: a UUIDv7 (RFC 9562 §5.7) without hyphens. */
export function createBlobId(timeMs: number, random: Pick<Random, 'bytes'>): string {
  const bytes = Buffer.from(random.bytes(16))
  bytes.writeUIntBE(timeMs, 0, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return bytes.toString('hex')
}

/**
 * Returns the modification time of a blob in milliseconds, which its validators are built from. Its fraction is random,
 * so that two nodes that store other bytes in the same millisecond issue other validators.
 */
export const blobTime = (id: string): number =>
  Number.parseInt(id.slice(0, 12), 16) + Number.parseInt(id.slice(13, 16), 16) / 4096

/** True for the id of a blob. Any other text could lead elsewhere when used as a file name. */
export const isBlobId = (text: string): boolean => /^[0-9a-f]{12}7[0-9a-f]{19}$/.test(text)

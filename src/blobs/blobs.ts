import type { Limits } from '../volume/staging.ts'
import type { StoredFile } from '../volume/stored-file.ts'

/** Immutable bytes in the object store, as their rows describe them. */
export interface StoredBlob {
  /** UUIDv7 as 32 hex digits, never used twice. */
  id: string
  /** Length in bytes. */
  size: number
  /** Modification time in milliseconds, which validators are built from. */
  modifiedAt: number
}

/** Blob that has not arrived completely. */
export interface ArrivingBlob {
  id: string
  /** Id of its multipart upload; `undefined` when one request carries the whole blob. */
  uploadId?: string
}

/** Received blob that no row refers to yet. */
export interface StagedBlob extends StoredBlob {
  /** Unsigned CRC-32 of the bytes. */
  crc32: number
  /** SHA-256 of the bytes in hex. */
  sha256: string
}

/** Open bytes of a blob: a file of the cache, or ranges that are read from the object store. */
export type OpenedBlob = Omit<StoredFile, 'read'>

/** Awaited before the first byte of a blob goes to the object store, so that its row exists by then. */
export type OnArrival = (blob: ArrivingBlob) => Promise<void>

/** Blobs of one upload. `discard` must end it, whatever happened. */
export interface BlobStaging {
  /**
   * Sends `bytes` as a new blob and computes its checksums on the way. It is in the object store only after `sync`.
   *
   * @throws {Refusal} `too_large` past `maxBytes`, `no_space`, `unavailable` when the object store does not respond.
   */
  receive(bytes: AsyncIterable<Uint8Array>, limits: Limits): Promise<StagedBlob>
  /**
   * Copies a blob within the object store to a new one. It is there only after `sync`.
   *
   * @throws {Refusal} `conflict` when its bytes are missing, `unavailable`.
   */
  copy(source: Omit<StagedBlob, 'modifiedAt'>): Promise<StagedBlob>
  /** Waits until the object store has acknowledged everything received. @throws {Refusal} `unavailable`. */
  sync(): Promise<void>
  /** Stops what is under way and removes local files. Objects stay: the rows of arriving blobs lead to them. */
  discard(): Promise<void>
}

/** Bytes of all blobs, each an object that is written once and never changed. */
export interface Blobs {
  /** @param id Name of a new folder below `tmp/`. */
  stage(id: string, onArrival: OnArrival): Promise<BlobStaging>
  /**
   * Opens a blob for reading, at once when it is cached. Returns `undefined` when the object store has no such object:
   * its bytes are missing.
   *
   * @throws {Refusal} `unavailable` when the object store does not respond.
   */
  open(blob: StoredBlob): OpenedBlob | undefined | Promise<OpenedBlob | undefined>
  /** Removes objects and their cached files. Missing ones are no error. */
  remove(ids: readonly string[]): Promise<void>
  /** Ends a multipart upload and removes its parts. A missing one is no error. */
  abort(blob: Required<ArrivingBlob>): Promise<void>
  /** Copies a blob within the object store. Returns false when its bytes are missing. */
  copy(blob: { id: string; size: number }, newId: string): Promise<boolean>
  /** Lists all objects by id. */
  list(after?: string): AsyncGenerator<{ id: string; size: number; lastModified: number }>
}

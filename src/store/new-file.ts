import mime from 'mime'
import { blobTime, type StagedBlob } from '../blobs/blobs.ts'
import type { FileRow } from '../catalog/files.ts'
import type { Progress } from '../catalog/resumables.ts'
import type { PartialFile, PartialLimits } from '../volume/partial-file.ts'
import type { CopySource, Limits, StagedFile as StagedOnDisk } from '../volume/staging.ts'
import type { FileState } from './opened.ts'

/** Received bytes that are not published: a file in staging, or a blob that no row refers to. */
export type StagedFile = StagedOnDisk | StagedBlob

/** Bytes of one upload. `discard` must end it, whatever happened. */
export interface Staging {
  /**
   * Receives `bytes` and computes their checksums on the way. They are durable only after `sync`.
   *
   * @throws {Refusal} `too_large` past `maxBytes`, `no_space`, `unavailable`.
   */
  receive(bytes: AsyncIterable<Uint8Array>, limits: Limits): Promise<StagedFile>
  /** Copies the bytes of a row. @throws {Refusal} `conflict` when they are not those of the row, `no_space`. */
  copy(
    source: CopySource & { row: Pick<FileRow, 'blobId'> },
    limits: Pick<Limits, 'claim'> & {
      /** Aborted when the client has left. */
      leaving: AbortSignal
    },
  ): Promise<StagedFile>
  /** Waits until everything received is durable. @throws {Refusal} `no_space`, `unavailable`. */
  sync(): Promise<void>
  /** Removes what is left of the upload. */
  discard(): Promise<void>
}

/** Upload that arrives in several pieces. */
export interface Partial extends Pick<PartialFile, 'size' | 'retreat' | 'close' | 'remove'> {
  /** Progress that the catalog has to have when it is published; missing when no other server can continue it. */
  readonly recorded?: number
  /**
   * Appends bytes. On failure the durable part of what arrived is retained and counted.
   *
   * @throws {Refusal} `too_large` past the length, `no_space`, `conflict` when another server has continued the upload.
   */
  receive(
    bytes: AsyncIterable<Uint8Array>,
    limits: PartialLimits & {
      /** Returns the record of this number of durable bytes. */
      progressAt: (size: number) => Progress
    },
  ): Promise<void>
  /** Returns the complete bytes as staged ones. Nothing may be appended afterwards. */
  complete(): Promise<StagedFile>
}

/** Returns length and time of staged bytes, as they will be of the published file. */
export const stateOf = (staged: StagedFile): FileState =>
  'identity' in staged ? staged.identity : { size: staged.size, mtimeMs: blobTime(staged.id) }

/** Returns the id of the blob that staged bytes are; null for a file on disk. */
export const blobOf = (staged: StagedFile): string | null => ('identity' in staged ? null : staged.id)

/** Returns staged bytes as the file on disk that they are. */
export function onDisk(staged: StagedFile): StagedOnDisk {
  if ('identity' in staged) return staged
  throw new Error('A blob cannot be published in the data folder')
}

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

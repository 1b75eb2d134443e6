import type { Catalog } from '../catalog/catalog.ts'
import type { Steps } from '../catalog/engine/query.ts'
import type { Reach } from '../catalog/engine/reach.ts'
import type { Progress } from '../catalog/shares/resumables.ts'
import type { WebhookEvent } from '../catalog/shares/webhooks.ts'
import type { FileRow } from '../catalog/tree/files.ts'
import type { VersionRow } from '../catalog/tree/versions.ts'
import type { NamedItem } from '../platform/names.ts'
import type { Services } from '../platform/platform.ts'
import type { VolumePaths } from '../volume/layout.ts'
import type { PartialFile, PartialLimits } from '../volume/partial-file.ts'
import type { CopySource, Limits } from '../volume/staging.ts'
import type { StoredFolder } from '../volume/stored-file.ts'
import type { Volume } from '../volume/volume.ts'
import type { FileRef, FileState, OpenedFile, StagedFile } from './content.ts'
import type { Changes } from './operations.ts'
import type { Damage, Scrub } from './scrub.ts'
import type { Destination } from './tree.ts'
import type { Published, Upload } from './upload.ts'

/** Bytes of one upload. `discard` must end it, whatever happened. */
export interface Staging {
  /**
   * Receives `bytes` and computes their checksums on the way. They are durable only after `sync`.
   *
   * @throws {Refusal} `too-large` past `maxBytes`, `no-space`, `unavailable`.
   */
  receive(bytes: AsyncIterable<Uint8Array>, limits: Limits): Promise<StagedFile>
  /** Copies the bytes of a row. @throws {Refusal} `conflict` when they are not those of the row, `no-space`. */
  copy(
    source: CopySource & { row: Pick<FileRow, 'blobId'> },
    limits: Pick<Limits, 'claim'> & {
      /** Aborted when the client has left. */
      leaving: AbortSignal
    },
  ): Promise<StagedFile>
  /** Waits until everything received is durable. @throws {Refusal} `no-space`, `unavailable`. */
  sync(): Promise<void>
  /** Removes what is left of the upload. */
  discard(): Promise<void>
}

/** Upload that arrives in several pieces. */
export interface Partial extends Pick<PartialFile, 'size' | 'read' | 'retreat' | 'close' | 'remove'> {
  /** Progress that the catalog has to have when it is published; missing when no other server can continue it. */
  readonly recorded?: number
  /**
   * Appends bytes. On failure the durable part of what arrived is retained and counted.
   *
   * @throws {Refusal} `too-large` past the length, `no-space`, `conflict` when another server has continued the upload.
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

type Opening = OpenedFile | undefined | Promise<OpenedFile | undefined>

/** Bytes of files: they are put by way of a staging, and opened. */
export interface Bytes {
  /**
   * Opens the bytes of a file; `undefined` when they are missing. To open the file at a key, its row must be read in the
   * turn of the call.
   */
  openFile: (file: FileRef) => Opening
  /** Opens the bytes of a file if that needs no wait; else `undefined`, as when they are missing. */
  openNow: (file: FileRef) => OpenedFile | undefined
  /** Returns length and time of a file's bytes; `undefined` when they are known to be missing. */
  stateOf: (file: FileRef) => FileState | undefined
  /** Opens the bytes of a version; `undefined` when they are missing. */
  openVersion: (version: Pick<VersionRow, 'id' | 'blobId' | 'size'>) => Opening
  /** Opens the folder at a key to read many of its files; `undefined` when no folder on disk has them. */
  openFolder: (key: string) => StoredFolder | undefined
  stage: (id: string) => Promise<Staging>
  createPartial: (id: string) => Promise<Partial>
  /** Opens an upload in pieces to continue after its first `size` bytes; `undefined` when they are gone. */
  openPartial: (id: string, size: number) => Promise<Partial | undefined>
  /** @throws {Refusal} `no-space` when the disk has no room for `bytes` more, `unavailable`. */
  assertRoom: (bytes: number) => void
  /** Asserts room for bytes of an upload in pieces, like `assertRoom`. */
  assertRoomForPartial: (bytes: number) => void
  /** Creates a counter of bytes to write that checks the free space now and then. */
  createClaim: () => (bytes: number) => void
  /** Asserts that bytes can be read. @throws {Refusal} `unavailable`. */
  assertReachable: () => Promise<void>
  /** Returns true when uploads are refused for lack of space, or soon will be. */
  isShort: () => boolean
}

/** Place of a file to publish, and its visibility as far as it is requested. */
export interface NewPlace {
  folder: readonly string[]
  name: string
  visibility?: FileRow['visibility'] | undefined
}

/** Operations on rows and bytes together, for callers: each sees what it reaches. */
export interface CallerOperations {
  /**
   * Publishes staged files and their folders, all of them or none.
   *
   * @throws {Refusal} `invalid` for too long a key, `conflict` when a name is taken, `unavailable`.
   */
  publishUpload: (upload: Upload) => Promise<Published>
  /**
   * Refuses a file that could not be published now, before its bytes are sent.
   *
   * @throws {Refusal} `invalid` for too long a key, `conflict` when the name is taken, and as `assertDestination`.
   */
  assertPublishable: (file: NewPlace) => Promise<void>
  /**
   * Finds the folder of a copy by its names from the root, and a free name there. Another request may take the name
   * before the copy is published.
   *
   * @throws {Refusal} `not-found` for an unknown id, `conflict` when a file is in the place of a folder.
   */
  placeCopy: (destination: Destination, item: NamedItem) => Promise<{ folder: string[]; name: string }>
  /**
   * Returns the changes of what is stored. They call `authorize` in each of their transactions, because a
   * request may wait for the tree lock for long: a refusal rolls the change back.
   */
  changes: (authorize: () => Steps<void>) => Changes
}

/** Access to the bytes of files, and the operations on rows and bytes together. */
export interface Engine extends Bytes, CallerOperations {
  /** Removes an item of the trash for good, for no caller. @throws {Refusal} as `changes().purge`. */
  purgeTrash: (id: string) => Promise<void>
  /** Removes versions past their days. */
  pruneVersions: () => Promise<void>
  /** Removes the oldest version, unless the disk refuses to remove bytes of versions. */
  removeOldestVersion: () => Promise<'removed' | 'none' | 'refused'>
  /** Operations that were announced and are not finished yet. */
  unfinished: {
    /** Returns how many operations the disk refuses and when the latest was noticed; `undefined` for none. */
    summary: () => { count: number; latest: number } | undefined
    /** Retries every operation that is left, one after the other. */
    retry: () => Promise<void>
    /** Returns the names in staging that unfinished operations need. */
    asideNames: () => string[]
  }
  /** Finishes what is left of operations: announced ones, and moves and removals of rows of the trash. */
  finishLeftovers: () => Promise<void>
  /** Gives up what this server began and could not end, because the database that it shares was away. */
  giveUpInterrupted: () => Promise<void>
  scrub: Scrub
}

/** Services and settings of an engine. */
export interface EngineParts extends Services {
  catalog: Catalog
  volume: Volume
  paths: VolumePaths
  /** Id of this process. */
  node: string
  /** Id of the root folder. */
  rootId: string
  /** Returns the number of days for which versions are kept; 0 for not at all. */
  versionDays: () => number
  scrubDays: number
  /** Builds the event for webhooks that reports damaged bytes. Nothing is announced without it. */
  damageEvent: ((damage: Damage) => WebhookEvent) | undefined
}

/** Engine that is open; `close` waits for its last changes, and must be called before the catalog is closed. */
export interface OpenedEngine {
  engine: Engine
  /** Returns the operations for a caller that does not reach everything. */
  within: (reach: Reach) => CallerOperations
  close: () => Promise<void>
}

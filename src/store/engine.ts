import type { Catalog } from '../catalog/catalog.ts'
import type { Progress } from '../catalog/shares/resumables.ts'
import type { FileRow } from '../catalog/tree/files.ts'
import type { VersionRow } from '../catalog/tree/versions.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Random } from '../platform/random.ts'
import { clearStaging, type VolumePaths } from '../volume/layout.ts'
import type { PartialFile, PartialLimits } from '../volume/partial-file.ts'
import type { CopySource, Limits } from '../volume/staging.ts'
import type { StoredFolder } from '../volume/stored-folder.ts'
import type { Volume } from '../volume/volume.ts'
import type { StagedFile } from './folder/publish.ts'
import { createStorage, type Storage } from './folder/storage.ts'
import { clearVersions } from './folder/versions.ts'
import type { FileRef, FileState, OpenedFile } from './opened.ts'
import { contentsOf, createScrub, type Scrub } from './scrub.ts'

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

type Opening = OpenedFile | undefined | Promise<OpenedFile | undefined>

/** Access to the bytes of files, and the operations on rows and bytes together. */
export interface Engine extends Storage {
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
  /** @throws {Refusal} `no_space` when the disk has no room for `bytes` more, `unavailable`. */
  assertRoom: (bytes: number) => void
  /** Asserts room for bytes of an upload in pieces, like `assertRoom`. */
  assertRoomForPartial: (bytes: number) => void
  /** Creates a counter of bytes to write that checks the free space now and then. */
  createClaim: () => (bytes: number) => void
  /** Returns true when uploads are refused for lack of space, or soon will be. */
  isShort: () => boolean
  scrub: Scrub
}

/** Services and settings of an engine. */
export interface EngineParts {
  catalog: Catalog
  volume: Volume
  paths: VolumePaths
  clock: Clock
  random: Random
  log: Log
  /** Id of this process. */
  node: string
  /** Id of the root folder. */
  rootId: string
  versionDays: () => number
  scrubDays: number
}

/** Engine that is open; `close` waits for its last changes, and must be called before the catalog is closed. */
export interface OpenedEngine {
  engine: Engine
  close: () => Promise<void>
}

/** Opens the engine whose bytes are files in the data folder, and recovers what an earlier process left unfinished. */
export async function openFolderEngine(parts: EngineParts): Promise<OpenedEngine> {
  const { catalog, volume, paths, log, scrubDays } = parts
  const { unfinished, ...storage } = createStorage(parts)
  const recovered = await unfinished.recover()
  if (recovered > 0) log.info(`Recovered ${recovered} unfinished operation(s)`)
  clearStaging(
    paths,
    new Set([...(await catalog.resumables.unfinishedIds()), ...unfinished.asideNames()]),
    (error) => log.error('Leftovers in staging could not be removed', error),
  )
  const strays = await clearVersions({ catalog, volume }, unfinished.versionNames(), (error) =>
    log.error('Leftovers in the folder "versions" could not be removed', error),
  )
  if (strays > 0)
    log.info(`The folder "versions" has ${strays} file(s) of an earlier database: remove them if not needed`)
  const engine: Engine = {
    ...storage,
    unfinished,
    openFile: volume.openFile.bind(volume),
    openNow: volume.openFile.bind(volume),
    stateOf: (file) => {
      const opened = volume.openFile(file)
      opened?.close()
      return opened
    },
    openVersion: ({ id }) => volume.versions.open(id),
    openFolder: volume.openFolder.bind(volume),
    stage: volume.stage.bind(volume),
    createPartial: volume.createPartial.bind(volume),
    openPartial: volume.openPartial.bind(volume),
    assertRoom: volume.assertRoom.bind(volume),
    assertRoomForPartial: volume.assertRoom.bind(volume),
    createClaim: volume.createClaim,
    isShort: volume.isShort,
    scrub: createScrub({ ...parts, contents: contentsOf(volume), days: scrubDays }),
  }
  return { engine, close: () => unfinished.forget() }
}

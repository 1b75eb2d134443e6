import { renameSync, type Stats } from 'node:fs'
import { link, mkdir, rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { errorCode, Refusal, refusalOfMachine } from '../platform/errors.ts'
import { type Entry, kindOf } from '../platform/listing.ts'
import { Aside, TrashFolder } from './aside.ts'
import {
  Directory,
  type FileIdentity,
  identityOf,
  ignoreMissing,
  inParent,
  isMissing,
  listEntries,
  refuseNoFolder,
  statOf,
  unlinkKnown,
  withDirectory,
} from './directory.ts'
import { Durability, Marker, spaceOf } from './disk.ts'
import { HashThread } from './hash-thread.ts'
import { FOLDER_MODE, MARKER, readMarker, type VolumePaths } from './layout.ts'
import { PartialFile } from './partial-file.ts'
import { Spool, SpoolSpace } from './spool.ts'
import { DistinctTimes, Staging } from './staging.ts'
import { StoredFile, StoredFolder } from './stored-file.ts'
import { Versions } from './versions.ts'

interface VolumeOptions {
  /** Id of the volume that the catalog belongs to. It is not compared when missing. */
  id?: string
  /** Called when an `fsync` fails: nothing may be acknowledged after it. */
  onSyncFailure?: (error: unknown) => void
}

/**
 * Bytes of every stored file, each a plain file at its key. No other folder writes here. This module never
 * reads the catalog; `store/` decides what may be done.
 */
export class Volume {
  /** Entries that left the tree and wait for their purge. */
  readonly aside: Aside
  /** Bytes that were replaced. */
  readonly versions: Versions
  /** Entries that were moved to the trash. */
  readonly trash: TrashFolder
  /** Returns the free and total bytes of the volume. */
  readonly space: () => { available: number; capacity: number }
  /** True when uploads are refused for lack of space, or soon will be. */
  readonly isShort: () => boolean
  /** Creates a counter of bytes to write that checks the free space now and then. */
  readonly createClaim: () => (bytes: number) => void
  readonly #paths: VolumePaths
  readonly #id: string | undefined
  readonly #marker: Marker
  readonly #durability: Durability
  readonly #assertRoom: (bytes: number) => void
  readonly #spools: SpoolSpace
  readonly #arrivals: { hashes: HashThread; times: DistinctTimes; durability: Durability }

  constructor(paths: VolumePaths, { id, onSyncFailure = () => {} }: VolumeOptions = {}) {
    const { space, isShort, assertRoom, createClaim } = spaceOf(paths.uploads)
    this.space = space
    this.isShort = isShort
    this.createClaim = createClaim
    this.#assertRoom = assertRoom
    this.#paths = paths
    this.#id = id
    this.#marker = new Marker(paths)
    this.#durability = new Durability(onSyncFailure)
    this.versions = new Versions(paths, this.#durability)
    this.aside = new Aside(paths.uploads, paths.tmp, this.#durability)
    this.trash = new TrashFolder(paths, this.#durability)
    this.#spools = new SpoolSpace(paths.tmp, assertRoom)
    this.#arrivals = { hashes: new HashThread(), times: new DistinctTimes(), durability: this.#durability }
  }

  /**
   * Refuses when the folder of stored files is not the one the volume was opened with. Seemingly missing
   * bytes may be on a disk that is not mounted.
   *
   * @throws {Refusal} `unavailable`.
   */
  assertPresent(): void {
    if (this.#id !== undefined) this.#marker.assertIs(this.#id)
  }

  /** Returns the id that ties the volume to its catalog; `undefined` when it is missing. */
  id(): string | undefined {
    return readMarker(this.#paths)
  }

  /** True when `assertPresent` would pass. */
  isPresent(): boolean {
    try {
      this.assertPresent()
      return true
    } catch {
      return false
    }
  }

  /** Opens the file at `key` for reading; `undefined` when no regular file is there. */
  openFile({ key }: { key: string }): StoredFile | undefined {
    return StoredFile.open(this.#pathOf(key))
  }

  /** Opens the folder at `key` for reading many of its files; `undefined` when there is none. */
  openFolder(key: string): StoredFolder | undefined {
    return StoredFolder.open(this.#pathOf(key))
  }

  /** Returns a buffer between a producer and a slower client. The caller closes it. */
  createSpool() {
    return new Spool(this.#spools)
  }

  /**
   * Refuses when writing `bytes` more would eat into the space that uploads must leave, or the volume is
   * missing.
   *
   * @throws {Refusal} `no-space`, `unavailable`.
   */
  assertRoom(bytes: number): void {
    this.assertPresent()
    this.#assertRoom(bytes)
  }

  stage(id: string): Promise<Staging> {
    return Staging.create(join(this.#paths.tmp, id), this.#arrivals)
  }

  createPartial(id: string): Promise<PartialFile> {
    return PartialFile.create(join(this.#paths.tmp, id), this.#arrivals)
  }

  /** Opens a partial file to continue after its first `size` bytes; `undefined` when it is gone. */
  openPartial(id: string, size: number): Promise<PartialFile | undefined> {
    return PartialFile.open(join(this.#paths.tmp, id), this.#arrivals, size)
  }

  close() {
    return this.#arrivals.hashes.close()
  }

  /**
   * Adds directories and staged files to the directory at `key`, durably. `mkdir(2)` and `link(2)` never
   * replace an entry.
   *
   * @throws {Refusal} `conflict` when a name is taken on disk, or the folder is missing.
   */
  add(key: string, { folders, files }: Additions): Promise<void> {
    return withDirectory(this.#pathOf(key), async (directory) => {
      for (const name of folders) await mkdir(directory.entry(name), FOLDER_MODE).catch(refuseClash(name))
      for (const { name, stagedPath } of files)
        await link(stagedPath, directory.entry(name)).catch(refuseClash(name))
      await this.#durability.sync(directory)
    }).catch(refuseNoFolder(key))
  }

  /**
   * Undoes what `add` may have added: files that still have their known identity and their staged name, and
   * empty directories. `sync` makes it durable.
   */
  takeBack(
    key: string,
    { folders, files }: Pick<Additions, 'folders'> & { files: readonly Known[] },
  ): Promise<void> {
    return ignoreMissing(
      withDirectory(this.#pathOf(key), async (directory) => {
        for (const { name, identity } of files)
          await ignoreMissing(unlinkKnown(directory.entry(name), identity, { isLastName: false }))
        for (const name of folders) await ignoreMissing(rmdir(directory.entry(name)))
      }),
    )
  }

  /** Removes the regular file at `key`, durably, but only if it still has the known `identity`. */
  removeFile(key: string, identity: FileIdentity): Promise<void> {
    return ignoreMissing(
      withDirectory(this.#parentOf(key), async (parent) => {
        if (await unlinkKnown(parent.entry(basename(key)), identity)) await this.#durability.sync(parent)
      }),
    )
  }

  /**
   * Links the file at `from` to `to` as well, durably.
   *
   * @throws {Refusal} `conflict` when something is at `to`, or the target folder is missing.
   */
  linkFile(from: string, to: string): Promise<void> {
    return withDirectory(this.#parentOf(from), (source) =>
      withDirectory(this.#parentOf(to), async (folder) => {
        await link(source.entry(basename(from)), folder.entry(basename(to))).catch(refuseClash(to))
        await this.#durability.sync(folder)
      }).catch(refuseNoFolder(parentKey(to))),
    )
  }

  /**
   * Moves the file at `from` through `aside`, synchronously: nothing runs between this and the caller's
   * next step. A file without the known `identity` stays.
   *
   * @throws {Refusal} `conflict` when something is at `to`, or the target folder is missing.
   */
  moveFile(from: string, to: string, known: { aside: string; identity: FileIdentity }): void {
    this.#openDirectory(parentKey(to)).close()
    if (!this.aside.take(from, known.aside, known.identity)) return
    try {
      this.aside.link(known.aside, to)
    } catch (error) {
      this.aside.put(known.aside, from)
      throw error
    }
  }

  /**
   * Renames the directory at `from` synchronously: nothing runs between this and the caller's next step.
   * Nothing may be at `to`. `syncParents` makes it durable.
   *
   * @throws {Refusal} `conflict` when the target folder is missing.
   */
  renameDirectory(from: string, to: string): void {
    const source = Directory.open(this.#parentOf(from))
    try {
      const folder = this.#openDirectory(parentKey(to))
      try {
        renameSync(source.entry(basename(from)), folder.entry(basename(to)))
      } finally {
        folder.close()
      }
    } finally {
      source.close()
    }
  }

  /** Makes changes of the entries at these keys survive a power cut. */
  async syncParents(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.sync(parentKey(key))
  }

  /** Removes the directory at `key` if it is empty. */
  removeEmptyDirectory(key: string): Promise<void> {
    return ignoreMissing(
      withDirectory(this.#parentOf(key), async (parent) => {
        await rmdir(parent.entry(basename(key)))
        await this.#durability.sync(parent)
      }),
    )
  }

  /**
   * Returns the entries of the directory at `key`, by name; `undefined` when there is no such directory.
   */
  async list(key: string): Promise<Entry[] | undefined> {
    const entries = await listEntries(this.#pathOf(key))
    return key === '' ? entries?.filter(({ name }) => name !== MARKER) : entries
  }

  /**
   * Returns the identity of the entry at `key`; `undefined` when there is none of this kind, or of any kind
   * when none is given. Links are not followed.
   */
  async identify(key: string, kind?: Entry['kind']): Promise<FileIdentity | undefined> {
    const stat = this.#statOf(key)
    return stat && (kind === undefined || kindOf(stat) === kind) ? identityOf(stat) : undefined
  }

  /**
   * Returns a value that distinguishes the directory at `key` from one created later; `undefined` when
   * there is none.
   */
  async birthOf(key: string): Promise<string | undefined> {
    const stat = this.#statOf(key)
    return stat?.isDirectory() ? `${stat.ino} ${stat.birthtimeMs}` : undefined
  }

  /** Makes changes of entries in the directory at `key` survive a power cut, if it still exists. */
  sync(key: string): Promise<void> {
    return ignoreMissing(withDirectory(this.#pathOf(key), (directory) => this.#durability.sync(directory)))
  }

  #pathOf(key: string): string {
    return key === '' ? this.#paths.uploads : join(this.#paths.uploads, key)
  }

  #parentOf(key: string): string {
    return this.#pathOf(parentKey(key))
  }

  #openDirectory(key: string): Directory {
    try {
      return Directory.open(this.#pathOf(key))
    } catch (error) {
      return refuseNoFolder(key)(error)
    }
  }

  #statOf(key: string): Stats | undefined {
    try {
      return inParent(this.#pathOf(key), statOf)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }
}

/** File with the identity that it must have. */
type Known = { name: string; identity: FileIdentity }

/** Additions to one directory: empty directories and staged files. */
interface Additions {
  folders: readonly string[]
  files: readonly { name: string; stagedPath: string }[]
}

function refuseClash(name: string) {
  return (error: unknown): never => {
    if (errorCode(error) === 'EEXIST')
      throw new Refusal('name-taken', `Something named "${basename(name)}" exists in this folder already`)
    throw refusalOfMachine(error) ?? error
  }
}

const parentKey = (key: string) => key.slice(0, Math.max(key.lastIndexOf('/'), 0))

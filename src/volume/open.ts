import { renameSync, type Stats } from 'node:fs'
import { link, lstat, mkdir, readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, refusalOfMachine, refuseConflict, refuseForNow } from '../platform/errors.ts'
import { Aside } from './aside.ts'
import { Directory, NoDirectory, withDirectory } from './directory.ts'
import { Durability } from './durability.ts'
import { type Entry, kindOf, unlinkKnown } from './entry.ts'
import { HashThread } from './hash-thread.ts'
import { MARKER, readMarker, type VolumePaths } from './layout.ts'
import { Marker } from './marker.ts'
import { PartialFile } from './partial-file.ts'
import { FOLDER_MODE } from './privacy.ts'
import { spaceOf } from './space.ts'
import { Spool, SpoolSpace } from './spool.ts'
import { type FileIdentity, identityOf, Staging } from './staging.ts'
import { StoredFile } from './stored-file.ts'
import { StoredFolder } from './stored-folder.ts'
import { DistinctTimes } from './times.ts'

export type Volume = ReturnType<typeof openVolume>

/**
 * Opens the bytes of every stored file, each a plain file at its key. No other folder writes here. This
 * module never reads the catalog; `store/` decides what may be done.
 */
export function openVolume(paths: VolumePaths, { id, onSyncFailure = () => {} }: VolumeOptions = {}) {
  const { uploads, tmp } = paths
  const durability = new Durability(onSyncFailure)
  const aside = new Aside(paths, durability)
  const pathOf = (key: string) => (key === '' ? uploads : join(uploads, key))
  const parentOf = (key: string) => pathOf(parentKey(key))
  const space = spaceOf(uploads)
  const spools = new SpoolSpace(tmp, space.assertRoom)
  const arrivals = { hashes: new HashThread(), times: new DistinctTimes(), durability }

  function openDirectory(key: string): Directory {
    try {
      return Directory.open(pathOf(key))
    } catch (error) {
      return refuseNoFolder(key)(error)
    }
  }

  const marker = new Marker(paths)

  const sync = (key: string): Promise<void> =>
    ignoreMissing(withDirectory(pathOf(key), (directory) => durability.sync(directory)))

  async function statOf(key: string): Promise<Stats | undefined> {
    try {
      return await withDirectory(parentOf(key), (parent) => lstat(parent.entry(nameOf(key))))
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /**
   * Refuses when the folder of stored files is not the one the volume was opened with. Seemingly missing
   * bytes may be on a disk that is not mounted.
   *
   * @throws {Refusal} `unavailable`.
   */
  function assertPresent(): void {
    if (id !== undefined && markerOf(marker) !== id) throw refuseAbsent()
  }

  return {
    /** Returns the id that ties the volume to its catalog; `undefined` when it is missing. */
    id: (): string | undefined => readMarker(paths),
    assertPresent,
    /** True when `assertPresent` would pass. */
    isPresent: (): boolean => {
      try {
        assertPresent()
        return true
      } catch {
        return false
      }
    },
    /** Entries that left the tree and wait for their purge. */
    aside,
    /** Opens the file at `key` for reading; `undefined` when no regular file is there. */
    openFile: (key: string): StoredFile | undefined => StoredFile.open(pathOf(key)),
    /** Opens the folder at `key` for reading many of its files; `undefined` when there is none. */
    openFolder: (key: string): StoredFolder | undefined => StoredFolder.open(pathOf(key)),
    ...space,
    /** Returns a buffer between a producer and a slower client. The caller closes it. */
    createSpool: () => new Spool(spools),
    /**
     * Refuses when writing `bytes` more would eat into the space that uploads must leave, or the volume is
     * missing.
     *
     * @throws {Refusal} `no_space`, `unavailable`.
     */
    assertRoom: (bytes: number): void => {
      assertPresent()
      space.assertRoom(bytes)
    },
    stage: (id: string): Promise<Staging> => Staging.create(join(tmp, id), arrivals),
    createPartial: (id: string): Promise<PartialFile> => PartialFile.create(join(tmp, id), arrivals),
    /** Opens a partial file to continue after its first `size` bytes; `undefined` when it is gone. */
    openPartial: (id: string, size: number): Promise<PartialFile | undefined> =>
      PartialFile.open(join(tmp, id), arrivals, size),
    close: () => arrivals.hashes.close(),

    /**
     * Adds directories and staged files to the directory at `key`, durably. `mkdir(2)` and `link(2)` never
     * replace an entry.
     *
     * @throws {Refusal} `conflict` when a name is taken on disk, or the folder is missing.
     */
    add: (key: string, { folders, files }: Additions): Promise<void> =>
      withDirectory(pathOf(key), async (directory) => {
        for (const name of folders) await mkdir(directory.entry(name), FOLDER_MODE).catch(refuseClash(name))
        for (const { name, stagedPath } of files)
          await link(stagedPath, directory.entry(name)).catch(refuseClash(name))
        await durability.sync(directory)
      }).catch(refuseNoFolder(key)),

    /**
     * Undoes what `add` may have added: files that still have their known identity and their staged name, and
     * empty directories. `sync` makes it durable.
     */
    takeBack: (key: string, { folders, files }: TakenBack): Promise<void> =>
      ignoreMissing(
        withDirectory(pathOf(key), async (directory) => {
          for (const { name, identity } of files)
            await ignoreMissing(unlinkKnown(directory.entry(name), identity, { isLastName: false }))
          for (const name of folders) await ignoreMissing(rmdir(directory.entry(name)))
        }),
      ),

    /** Makes changes of entries in the directory at `key` survive a power cut, if it still exists. */
    sync,

    /** Removes the regular file at `key`, durably, but only if it still has the known `identity`. */
    removeFile: (key: string, identity: FileIdentity): Promise<void> =>
      ignoreMissing(
        withDirectory(parentOf(key), async (parent) => {
          if (await unlinkKnown(parent.entry(nameOf(key)), identity)) await durability.sync(parent)
        }),
      ),

    /**
     * Links the file at `from` to `to` as well, durably.
     *
     * @throws {Refusal} `conflict` when something is at `to`, or the target folder is missing.
     */
    linkFile: (from: string, to: string): Promise<void> =>
      withDirectory(parentOf(from), (source) =>
        withDirectory(parentOf(to), async (folder) => {
          await link(source.entry(nameOf(from)), folder.entry(nameOf(to))).catch(refuseClash(to))
          await durability.sync(folder)
        }).catch(refuseNoFolder(parentKey(to))),
      ),

    /**
     * Moves the file at `from` through `aside`, synchronously: nothing runs between this and the caller's
     * next step. A file without the known `identity` stays.
     *
     * @throws {Refusal} `conflict` when something is at `to`, or the target folder is missing.
     */
    moveFile(from: string, to: string, known: { aside: string; identity: FileIdentity }): void {
      openDirectory(parentKey(to)).close()
      if (!aside.take(from, known.aside, known.identity)) return
      try {
        aside.link(known.aside, to)
      } catch (error) {
        aside.put(known.aside, from)
        throw error
      }
    },

    /**
     * Renames the directory at `from` synchronously: nothing runs between this and the caller's next step.
     * Nothing may be at `to`. `syncParents` makes it durable.
     *
     * @throws {Refusal} `conflict` when the target folder is missing.
     */
    renameDirectory(from: string, to: string): void {
      const source = Directory.open(parentOf(from))
      try {
        const folder = openDirectory(parentKey(to))
        try {
          renameSync(source.entry(nameOf(from)), folder.entry(nameOf(to)))
        } finally {
          folder.close()
        }
      } finally {
        source.close()
      }
    },

    /** Makes changes of the entries at these keys survive a power cut. */
    syncParents: async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await sync(parentKey(key))
    },

    /** Removes the directory at `key` if it is empty. */
    removeEmptyDirectory: (key: string): Promise<void> =>
      ignoreMissing(
        withDirectory(parentOf(key), async (parent) => {
          await rmdir(parent.entry(nameOf(key)))
          await durability.sync(parent)
        }),
      ),

    /**
     * Returns the entries of the directory at `key`, by name; `undefined` when there is no such directory.
     */
    list: async (key: string): Promise<Entry[] | undefined> => {
      try {
        return await withDirectory(pathOf(key), async (directory) => {
          const entries = await readdir(directory.entry('.'), { withFileTypes: true })
          return entries
            .filter(({ name }) => key !== '' || name !== MARKER)
            .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
            .sort((a, b) => (a.name < b.name ? -1 : 1))
        })
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },

    /**
     * Returns the identity of the entry at `key`; `undefined` when there is none of this kind, or of any kind
     * when none is given. Links are not followed.
     */
    identify: async (key: string, kind?: Entry['kind']): Promise<FileIdentity | undefined> => {
      const stat = await statOf(key)
      return stat && (kind === undefined || kindOf(stat) === kind) ? identityOf(stat) : undefined
    },

    /**
     * Returns a value that distinguishes the directory at `key` from one created later; `undefined` when
     * there is none.
     */
    birthOf: async (key: string): Promise<string | undefined> => {
      const stat = await statOf(key)
      return stat?.isDirectory() ? `${stat.ino} ${stat.birthtimeMs}` : undefined
    },
  }
}

interface VolumeOptions {
  /** Id of the volume that the catalog belongs to. It is not compared when missing. */
  id?: string
  /** Called when an `fsync` fails: nothing may be acknowledged after it. */
  onSyncFailure?: (error: unknown) => void
}

/** Additions to one directory: empty directories and staged files. */
interface Additions {
  folders: readonly string[]
  files: readonly { name: string; stagedPath: string }[]
}

interface TakenBack {
  folders: readonly string[]
  files: readonly { name: string; identity: FileIdentity }[]
}

/**
 * Error codes for an entry that is gone, of another kind, or not empty. A refusal such as `EPERM` is none of
 * them.
 */
const NOT_REMOVABLE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOTEMPTY', 'EEXIST'])
const isMissing = (error: unknown) =>
  error instanceof NoDirectory || NOT_REMOVABLE.has(errorCode(error) ?? '')

const refuseAbsent = (cause?: unknown) =>
  refuseForNow('The folder of stored files is not there: is its volume mounted?', cause)

function markerOf(marker: Marker): string | undefined {
  try {
    return marker.read()
  } catch (error) {
    throw refuseForNow('The folder of stored files cannot be read', error)
  }
}

async function ignoreMissing(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

function refuseClash(name: string) {
  return (error: unknown): never => {
    if (errorCode(error) === 'EEXIST')
      throw refuseConflict(`Something named "${nameOf(name)}" exists in this folder already`)
    throw refusalOfMachine(error) ?? error
  }
}

/** Refuses to create a missing folder: an entry that the catalog does not know may be in its place. */
function refuseNoFolder(key: string) {
  return (error: unknown): never => {
    if (!(error instanceof NoDirectory)) throw error
    throw refuseConflict(
      `The folder "${key}" is missing on disk, or something that Holdfast does not know is in its place`,
    )
  }
}

const nameOf = (key: string) => key.slice(key.lastIndexOf('/') + 1)
const parentKey = (key: string) => key.slice(0, Math.max(key.lastIndexOf('/'), 0))

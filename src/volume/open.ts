import { type Dirent, renameSync, statfsSync } from 'node:fs'
import { link, lstat, mkdir, readdir, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode, isOutOfSpace, refuseConflict, refuseNoSpace } from '../errors.ts'
import { Directory, withDirectory } from './directory.ts'
import { HashThread } from './hash-thread.ts'
import { MARKER, type VolumePaths } from './layout.ts'
import { type FileIdentity, identityOf, Staging } from './staging.ts'
import { StoredFile } from './stored-file.ts'
import { StoredFolder } from './stored-folder.ts'

const MiB = 1024 ** 2
/** Bytes written between two looks at the free space. */
const CLAIM_BYTES = 16 * MiB

export type Volume = ReturnType<typeof openVolume>

/** Free and total bytes, as an unprivileged user sees them. */
export interface Space {
  available: number
  capacity: number
}

/**
 * The bytes of every stored file, each a plain file at its key. No other folder writes here. Nothing in
 * this module looks at the catalog: what may be done is decided above, in `storage/`.
 */
export function openVolume({ uploads, tmp }: VolumePaths) {
  const pathOf = (key: string) => (key === '' ? uploads : join(uploads, key))
  const parentOf = (key: string) => dirname(join(uploads, key))
  const hashes = new HashThread()
  const nameOf = (key: string) => key.slice(key.lastIndexOf('/') + 1)

  function space(): Space {
    const { bavail, bfree, blocks, bsize } = statfsSync(uploads)
    return { available: bavail * bsize, capacity: (blocks - bfree + bavail) * bsize }
  }

  /** Refuses when writing `bytes` more would leave less than the reserve that deletes and the catalog need. */
  function assertRoom(bytes: number): void {
    const { available, capacity } = space()
    if (available - bytes < reserveBytes(capacity)) throw refuseNoSpace()
  }

  return {
    /** Opens the file at `key` for reading; `undefined` when no regular file is there. */
    openFile: (key: string): StoredFile | undefined => StoredFile.open(pathOf(key)),
    /** Opens the folder at `key` for reading many of its files; `undefined` when there is none. */
    openFolder: (key: string): StoredFolder | undefined => StoredFolder.open(pathOf(key)),
    space,
    assertRoom,
    stage: (id: string): Promise<Staging> => Staging.create(join(tmp, id), hashes),
    close: () => hashes.close(),

    /** A count of bytes to write that looks at the free space now and then. */
    createClaim(): (bytes: number) => void {
      let unchecked = CLAIM_BYTES
      return (bytes) => {
        unchecked += bytes
        if (unchecked < CLAIM_BYTES) return
        unchecked = 0
        assertRoom(bytes)
      }
    },

    /**
     * Adds directories and staged files to the directory at `key`, durably. `mkdir(2)` and `link(2)` never
     * replace what is there.
     *
     * @throws {Refusal} `conflict` when a name is taken on disk.
     */
    add: (key: string, { folders, files }: Additions): Promise<void> =>
      withDirectory(pathOf(key), async (directory) => {
        for (const name of folders) await mkdir(directory.entry(name)).catch(refuseClash(name))
        for (const { name, stagedPath } of files)
          await link(stagedPath, directory.entry(name)).catch(refuseClash(name))
        await directory.sync()
      }),

    /**
     * Takes back what `add` may have added: files that are still those known by their identity, and
     * directories that are empty. Made durable by `sync`.
     */
    takeBack: (key: string, { folders, files }: TakenBack): Promise<void> =>
      ignoreMissing(
        withDirectory(pathOf(key), async (directory) => {
          for (const { name, identity } of files)
            await ignoreMissing(unlinkKnown(directory.entry(name), identity))
          for (const name of folders) await ignoreMissing(rmdir(directory.entry(name)))
        }),
      ),

    /** Makes changes of the entries in the directory at `key` survive a power cut, if it still is there. */
    sync: (key: string): Promise<void> =>
      ignoreMissing(withDirectory(pathOf(key), (directory) => directory.sync())),

    /** Removes the file at `key`, durably, but only if it is still the one known by `identity`. */
    removeFile: (key: string, identity: FileIdentity | undefined): Promise<void> =>
      ignoreMissing(
        withDirectory(parentOf(key), async (parent) => {
          if (await unlinkKnown(parent.entry(nameOf(key)), identity)) await parent.sync()
        }),
      ),

    /** Removes files from the directory at `key`, durably. Missing ones and directories are passed over. */
    removeFiles: (key: string, names: readonly string[]): Promise<void> =>
      ignoreMissing(
        withDirectory(pathOf(key), async (directory) => {
          await Promise.all(names.map((name) => ignoreMissing(unlink(directory.entry(name)))))
          await directory.sync()
        }),
      ),

    /**
     * Gives the file at `from` a second name, durably.
     *
     * @throws {Refusal} `conflict` when something is at `to`.
     */
    linkFile: (from: string, to: string): Promise<void> =>
      withDirectory(parentOf(from), (source) =>
        withDirectory(parentOf(to), async (folder) => {
          await link(source.entry(nameOf(from)), folder.entry(nameOf(to))).catch(refuseClash(to))
          await folder.sync()
        }),
      ),

    /**
     * Gives the directory at `from` another name, at once: nothing else runs between this and what the
     * caller does next. Nothing may be at `to`. Made durable by `syncParents`.
     */
    renameDirectory(from: string, to: string): void {
      const source = Directory.open(parentOf(from))
      try {
        const folder = Directory.open(parentOf(to))
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
      for (const key of keys) await withDirectory(parentOf(key), (parent) => parent.sync())
    },

    /** Removes the directory at `key` if it is empty. */
    removeEmptyDirectory: (key: string): Promise<void> =>
      ignoreMissing(
        withDirectory(parentOf(key), async (parent) => {
          await rmdir(parent.entry(nameOf(key)))
          await parent.sync()
        }),
      ),

    /** What is in the directory at `key`, by name; `undefined` when there is no such directory. */
    list: async (key: string): Promise<Entry[] | undefined> => {
      try {
        return await withDirectory(pathOf(key), async (directory) => {
          const entries = await readdir(directory.entry('.'), { withFileTypes: true })
          return entries
            .filter(({ name }) => key !== '' || name !== MARKER)
            .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
        })
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },

    /** What tells the entry at `key` from others, or `undefined` when nothing is there. A link is not followed. */
    identify: async (key: string): Promise<FileIdentity | undefined> => {
      try {
        return await withDirectory(parentOf(key), async (parent) =>
          identityOf(await lstat(parent.entry(nameOf(key)))),
        )
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },
  }
}

/** What is added to one directory: empty directories and staged files. */
export interface Additions {
  folders: readonly string[]
  files: readonly { name: string; stagedPath: string }[]
}

export interface TakenBack {
  folders: readonly string[]
  files: readonly { name: string; identity: FileIdentity }[]
}

/** Removes a file if it is the one known by `identity`, and says whether it did. */
async function unlinkKnown(path: string, identity: FileIdentity | undefined): Promise<boolean> {
  const stat = await lstat(path)
  if (stat.isDirectory() || (identity && !sameFile(identityOf(stat), identity))) return false
  await unlink(path)
  return true
}

/** What a directory of the volume holds under a name. */
export interface Entry {
  name: string
  kind: 'file' | 'directory' | 'other'
}

function kindOf(entry: Dirent): Entry['kind'] {
  if (entry.isFile()) return 'file'
  return entry.isDirectory() ? 'directory' : 'other'
}

/**
 * Free bytes that uploads must leave: 64 MiB or a hundredth, whichever is more, but never more than a
 * tenth, so that a very small volume can still be used.
 */
const reserveBytes = (capacity: number) => Math.min(Math.max(64 * MiB, capacity / 100), capacity / 10)

const sameFile = (a: FileIdentity, b: FileIdentity) =>
  a.inode === b.inode && a.size === b.size && Math.trunc(a.mtimeMs) === Math.trunc(b.mtimeMs)

/** What stands in the way of removing an entry that is gone, is of another kind, or is not empty. */
const NOT_REMOVABLE = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM', 'ELOOP', 'ENOTEMPTY', 'EEXIST'])
const isMissing = (error: unknown) => NOT_REMOVABLE.has(errorCode(error) ?? '')

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
      throw refuseConflict(`Something named "${nameInFolder(name)}" exists in this folder already`)
    throw isOutOfSpace(error) ? refuseNoSpace(error) : error
  }
}

const nameInFolder = (key: string) => key.slice(key.lastIndexOf('/') + 1)

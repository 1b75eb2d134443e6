import { closeSync, constants, fsync, lstatSync, openSync, readlinkSync, type Stats } from 'node:fs'
import { lstat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { errorCode, refuseConflict } from '../platform/errors.ts'
import { type Entry, entriesOf, kindOf } from '../platform/listing.ts'

const fsyncAsync = promisify(fsync)

/** True where the system shows open files under `/proc`, as Linux does. */
const HAS_PROC = process.platform === 'linux'

/**
 * True when the open file `fd` is the one at `path`, reached without a symbolic link. `O_NOFOLLOW` covers the
 * last component only. The kernel's own name for the open file covers the folders above it, and cannot be
 * raced because it is read after opening.
 */
export function isReally(fd: number, path: string): boolean {
  return !HAS_PROC || readlinkSync(`/proc/self/fd/${fd}`) === path
}

/**
 * Error codes for a path without a directory of its own: a missing entry, a file, a link, or a name too long.
 */
const NOT_A_DIRECTORY = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

/** Error of a path that has no directory, or only through a link. */
export class NoDirectory extends Error {
  override readonly name = 'NoDirectory'

  constructor(cause?: unknown) {
    super('A folder of the volume is missing, or is a link', { cause })
  }
}

/**
 * Open directory of the volume, reached without following a link. On Linux its entries are addressed through
 * the open handle, so a folder swapped for a link afterwards changes nothing.
 */
export class Directory {
  readonly #fd: number
  readonly #path: string

  private constructor(fd: number, path: string) {
    this.#fd = fd
    this.#path = path
  }

  /** @throws {NoDirectory} when `path` is not a directory, or only through a link. */
  static open(path: string): Directory {
    let fd: number
    try {
      fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    } catch (error) {
      throw NOT_A_DIRECTORY.has(errorCode(error) ?? '') ? new NoDirectory(error) : error
    }
    if (isReally(fd, path)) return new Directory(fd, path)
    closeSync(fd)
    throw new NoDirectory()
  }

  /** Returns a path to the entry `name` of this very directory. */
  entry(name: string): string {
    // A tampered catalog may hold any name.
    if (name === '..' || name.includes('/')) throw new Error('The name of an entry is not allowed')
    return HAS_PROC ? `/proc/self/fd/${this.#fd}/${name}` : join(this.#path, name)
  }

  /** Makes additions and removals of entries survive a power cut. */
  async sync(): Promise<void> {
    await fsyncAsync(this.#fd)
  }

  close(): void {
    closeSync(this.#fd)
  }
}

/** Opens the directory at `path`; `undefined` when there is none. */
export function openOrUndefined(path: string): Directory | undefined {
  try {
    return Directory.open(path)
  } catch (error) {
    if (error instanceof NoDirectory) return undefined
    throw error
  }
}

/**
 * Opens the directory at `path`, runs `use` and closes it.
 *
 * @throws {NoDirectory}
 */
export async function withDirectory<Result>(
  path: string,
  use: (directory: Directory) => Promise<Result>,
): Promise<Result> {
  const directory = Directory.open(path)
  try {
    return await use(directory)
  } finally {
    directory.close()
  }
}

/** Runs `work` with a path to an entry in its directory, which is open; returns `undefined` when there is none. */
export function inParent<Value>(path: string, work: (entry: string) => Value): Value | undefined {
  const parent = openOrUndefined(dirname(path))
  try {
    return parent && work(parent.entry(basename(path)))
  } finally {
    parent?.close()
  }
}

/** Returns the state of an entry, of a link itself; `undefined` when it is missing. */
export const statOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })

/** Work to do in one directory. */
interface InDirectory<File> {
  /** Names of the directories in it. */
  folders: string[]
  files: (File & { name: string })[]
}

/** Groups directories and files by their parent directory, parents first. */
export function byDirectory<File extends { key: string }>(
  folders: readonly string[],
  files: readonly File[],
): Map<string, InDirectory<File>> {
  const directories = new Map<string, InDirectory<File>>()
  const locate = (key: string) => {
    const slash = key.lastIndexOf('/')
    const parent = key.slice(0, Math.max(slash, 0))
    const directory = directories.get(parent) ?? { folders: [], files: [] }
    directories.set(parent, directory)
    return { directory, name: key.slice(slash + 1) }
  }
  for (const key of folders) {
    const { directory, name } = locate(key)
    directory.folders.push(name)
  }
  for (const file of files) {
    const { directory, name } = locate(file.key)
    directory.files.push({ ...file, name })
  }
  return directories
}

/** Identity of a file on disk: a link shares it, a copy does not. */
export interface FileIdentity {
  inode: string
  size: number
  mtimeMs: number
}

export const identityOf = (stat: Stats): FileIdentity => ({
  inode: String(stat.ino),
  size: stat.size,
  mtimeMs: stat.mtimeMs,
})

/** Returns the entries of the directory at `path`, by name; `undefined` when there is no such directory. */
export async function listEntries(path: string): Promise<Entry[] | undefined> {
  try {
    return await withDirectory(path, async (directory) => entriesOf(directory.entry('.')))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** True for two states of one file that nothing wrote to in between. */
export const sameFile = (a: FileIdentity, b: FileIdentity) =>
  a.inode === b.inode && a.size === b.size && Math.trunc(a.mtimeMs) === Math.trunc(b.mtimeMs)

/**
 * Removes a name of a regular file if the file has the known `identity`.
 *
 * @param isLastName True if it may be the file's last name.
 * @returns True when the name was removed.
 */
export async function unlinkKnown(
  path: string,
  identity?: FileIdentity,
  { isLastName = true }: { isLastName?: boolean } = {},
): Promise<boolean> {
  const stat = await lstat(path)
  if (kindOf(stat) !== 'file' || (identity && !sameFile(identityOf(stat), identity))) return false
  if (stat.nlink === 1 && !isLastName) return false
  await unlink(path)
  return true
}

/**
 * Error codes for an entry that is gone, of another kind, or not empty. A refusal such as `EPERM` is none of
 * them.
 */
const NOT_REMOVABLE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOTEMPTY', 'EEXIST'])
/** Returns true for the error of an entry that is not there, or of its directory. */
export const isMissing = (error: unknown) =>
  error instanceof NoDirectory || NOT_REMOVABLE.has(errorCode(error) ?? '')

/** Awaits `work`, and ignores its failure when the entry is missing. */
export async function ignoreMissing(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/** Throws any error but that of a missing entry. */
export const unlessGone = unless(['ENOENT'])

/** Builds a function that throws any error but those of the disk with these codes. */
export function unless(codes: readonly string[]) {
  return (error: unknown): void => {
    if (!codes.includes(errorCode(error) ?? '')) throw error
  }
}

/** Refuses to create a missing folder: an entry that the catalog does not know may be in its place. */
export function refuseNoFolder(key: string) {
  return (error: unknown): never => {
    if (!(error instanceof NoDirectory)) throw error
    throw refuseConflict(
      `The folder "${key}" is missing on disk, or something that Holdfast does not know is in its place`,
    )
  }
}

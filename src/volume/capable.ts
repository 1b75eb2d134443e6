import { linkSync, lstatSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, StartError } from '../platform/errors.ts'
import { type FileIdentity, identityOf, sameFile } from './directory.ts'
import { FILE_MODE, MARKER, type VolumePaths } from './layout.ts'

/** Calls of the system in which disks differ. */
export interface DiskCalls {
  link: (from: string, to: string) => void
  rename: (from: string, to: string) => void
  /** Sets the time of the last change, in milliseconds since 1970. */
  setTime: (path: string, mtimeMs: number) => void
  identify: (path: string) => FileIdentity
}

/** Calls of the disk as the system has them. */
export const SYSTEM_DISK: DiskCalls = {
  link: linkSync,
  rename: renameSync,
  setTime: (path, mtimeMs) => utimesSync(path, new Date(mtimeMs), new Date(mtimeMs)),
  identify: (path) => identityOf(lstatSync(path)),
}

/** Name of the files that are made to try the disk, in folders whose other names are ids. */
const PROBE = '.probe'
/** Any time in milliseconds, which is a multiple of two seconds, because some disks have no finer times. */
const TIME = 1_234_567_890_000

/** Error codes of a disk without a call. Others, such as that of a full disk, say nothing about what it can do. */
const UNABLE = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EEXIST', 'EINVAL'])

const LINKS = 'has no hard links, like exFAT, FAT and some network shares: use ext4, XFS, Btrfs or NTFS'
const ACROSS =
  'does not link files from one folder into another: with mergerfs, use one of its branches, or a policy that does not preserve paths'
const INODES = 'changes the inode number of a file with its name: mount mergerfs with use_ino'
const SIZES = 'shows a wrong size or time for a hard link: mount gocryptfs with -sharedstorage'
const TIMES = "does not let the server set the times of files: mount it with the server's user as the owner"
const RENAMES = 'cannot replace a file by renaming another: use ext4, XFS, Btrfs or NTFS'

/** Reason why a disk cannot be used, to follow its name. */
class Flaw extends Error {}

/**
 * Tries what uploads, replacements and deletions will do with files in the data folder.
 *
 * @throws {StartError} when the disk cannot do it, because the first upload would fail, or a file could get stuck.
 */
export function assertCapable(paths: VolumePaths, calls: DiskCalls = SYSTEM_DISK): void {
  try {
    tryDisk(paths, calls)
  } catch (error) {
    if (error instanceof Flaw)
      throw new StartError(`The disk of the data folder "${paths.root}" ${error.message}.`)
    // A disk that is full, read-only or failing is reported where that matters.
    if (errorCode(error) === undefined) throw error
  }
}

function tryDisk({ uploads, tmp, versions, trash }: VolumePaths, calls: DiskCalls): void {
  const staged = join(tmp, PROBE)
  const held = join(versions, PROBE)
  const deleted = join(trash, PROBE)
  const remove = () => {
    for (const path of [staged, held, deleted]) rmSync(path, { force: true })
  }
  const link = linker(calls)
  remove()
  try {
    writeFileSync(staged, PROBE, { flag: 'wx', mode: FILE_MODE })
    attempt(TIMES, () => calls.setTime(staged, TIME))
    const file = calls.identify(staged)
    if (file.mtimeMs !== TIME) throw new Flaw(TIMES)
    link(staged, held, file)
    rmSync(staged)
    assertSame(calls.identify(held), file)
    writeFileSync(deleted, '', { mode: FILE_MODE })
    attempt(RENAMES, () => calls.rename(held, deleted))
    assertSame(calls.identify(deleted), file)
    // Any other name in the folder of stored files may be a file's. A new folder has no marker yet, which ends the trial.
    link(join(uploads, MARKER), staged, calls.identify(join(uploads, MARKER)))
  } finally {
    remove()
  }
}

const linker = (calls: DiskCalls) => (from: string, to: string, file: FileIdentity) => {
  attempt(LINKS, () => calls.link(from, to))
  assertSame(calls.identify(to), file)
  assertSame(calls.identify(from), file)
}

function attempt(flaw: string, call: () => void): void {
  try {
    call()
  } catch (error) {
    const code = errorCode(error) ?? ''
    throw UNABLE.has(code) ? new Flaw(code === 'EXDEV' ? ACROSS : flaw, { cause: error }) : error
  }
}

function assertSame(found: FileIdentity, file: FileIdentity): void {
  if (found.inode !== file.inode) throw new Flaw(INODES)
  if (!sameFile(found, file)) throw new Flaw(SIZES)
}

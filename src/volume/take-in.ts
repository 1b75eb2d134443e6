import { constants, lstatSync, type Stats, statSync } from 'node:fs'
import { chmod, copyFile, lchown, link, mkdir, open, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../platform/errors.ts'
import { entriesOf } from '../platform/listing.ts'
import { isTooLong, joinKey } from '../platform/names.ts'
import { syncPath } from '../platform/sync-path.ts'
import type { VolumePaths } from './layout.ts'
import { FILE_MODE, FOLDER_MODE } from './layout.ts'

/** Outcome for an entry of the imported tree. */
export type Taken = { path: string; outcome: 'copied' | 'there already'; bytes: number } | LeftOut

/** Entry of a tree that is not copied. */
interface LeftOut {
  path: string
  outcome: 'left out'
  why: string
}

export const leftOut = (path: string, why: string): LeftOut => ({ path, outcome: 'left out', why })

/** Reason to leave out what would replace something. */
export const IN_ITS_PLACE = 'something else is in its place'

/** Reason to leave out what the system does not let this user read, or what is gone. */
export const UNREADABLE = 'cannot be read'

/** Walk over a tree of files that is copied below a folder. */
interface Walk {
  /** Folder whose contents are copied. */
  from: string
  /** Key of the target folder. */
  to: string
  /** Awaited for each folder, by its key, before its contents. Returns false when the key belongs to something else. */
  enter: (key: string) => boolean | Promise<boolean>
  /** Called for each folder after its contents. */
  leave?: (key: string) => void
}

/** File or folder of a tree by its path in it, with the key that it gets. */
interface TreeEntry {
  kind: 'file' | 'folder'
  path: string
  key: string
}

/** Yields the folders and files of a tree, and the entries that are left out. */
export async function* walkTree(walk: Walk, path = '', key = walk.to): AsyncGenerator<TreeEntry | LeftOut> {
  const entries = unlessUnreadable(() => entriesOf(join(walk.from, path)))
  if (!entries) yield leftOut(path || '.', UNREADABLE)
  for (const { name, kind, problem } of entries ?? []) {
    const below = { path: joinKey(path, name), key: joinKey(key, name) }
    if (problem !== undefined) yield leftOut(below.path, problem)
    else if (isTooLong(below.key)) yield leftOut(below.path, 'key is too long')
    else if (kind === 'file') yield { kind: 'file', ...below }
    else if (kind === 'other') yield leftOut(below.path, 'link or special file')
    else if (!(await walk.enter(below.key))) yield leftOut(below.path, IN_ITS_PLACE)
    else {
      yield { kind: 'folder', ...below }
      yield* walkTree(walk, below.path, below.key)
    }
  }
  walk.leave?.(key)
}

/** Returns what `read` returns; `undefined` when the system refuses, or the entry is gone. */
function unlessUnreadable<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

const isUnreadable = (error: unknown): boolean => ['EACCES', 'ENOENT'].includes(errorCode(error) ?? '')

interface TakeIn {
  paths: VolumePaths
  /** Folder whose contents are copied. */
  from: string
  /** Names from the root to the target folder. */
  to: readonly string[]
  /** Called before each write with its number of bytes; throws when the volume has no room for them. */
  claim: (bytes: number) => void
}

/**
 * Copies a tree of files below `uploads/`, one by one, with their times. It replaces nothing and skips files
 * that were copied before. The catalog does not know them yet. No server may run.
 */
export async function* takeIn(options: TakeIn): AsyncGenerator<Taken> {
  const { paths, from, to } = options
  let place = paths.uploads
  for (const name of to) {
    const parent = place
    place = join(parent, name)
    const isFolder = await makeFolder(options, place)
    syncPath(parent)
    if (!isFolder) return yield leftOut(to.join('/'), IN_ITS_PLACE)
  }
  const placeOf = (key: string) => join(paths.uploads, key)
  const enter = (key: string) => makeFolder(options, placeOf(key))
  const leave = (key: string) => syncPath(placeOf(key))
  for await (const found of walkTree({ from, to: to.join('/'), enter, leave }))
    if ('outcome' in found) yield found
    else if (found.kind === 'file') yield await takeFile(options, found.path, placeOf(found.key))
}

/** Creates the folder and returns true, or false when the name belongs to something else, such as a link. */
async function makeFolder({ paths }: TakeIn, place: string): Promise<boolean> {
  const found = lstatSync(place, { throwIfNoEntry: false })
  if (!found) {
    await mkdir(place, FOLDER_MODE)
    await handOver(place, paths)
  }
  return found?.isDirectory() ?? true
}

/** Gives files made by root to the owner of the stored files, because the server runs as that user. */
async function handOver(place: string, { uploads }: VolumePaths): Promise<void> {
  const { uid, gid } = statSync(uploads)
  if (lstatSync(place).uid !== uid) await lchown(place, uid, gid).catch(unlessForbidden)
}

/** Ignores a refusal, because only root may give files away. */
function unlessForbidden(error: unknown): void {
  if (errorCode(error) !== 'EPERM') throw error
}

async function takeFile({ paths, from, claim }: TakeIn, path: string, place: string): Promise<Taken> {
  const source = join(from, path)
  const stat = unlessUnreadable(() => statSync(source))
  if (!stat) return leftOut(path, UNREADABLE)
  const found = lstatSync(place, { throwIfNoEntry: false })
  if (found && isCopy(found, stat)) return { path, outcome: 'there already', bytes: stat.size }
  if (found) return leftOut(path, IN_ITS_PLACE)
  claim(stat.size)
  const staged = join(paths.tmp, 'taken-in')
  try {
    await rm(staged, { force: true })
    await copyFile(source, staged, constants.COPYFILE_FICLONE)
    await chmod(staged, FILE_MODE)
    await handOver(staged, paths)
    await utimes(staged, stat.atime, stat.mtime)
    const file = await open(staged, 'r')
    await file.sync().finally(() => file.close())
    await link(staged, place)
    return { path, outcome: 'copied', bytes: stat.size }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return leftOut(path, UNREADABLE)
  } finally {
    await rm(staged, { force: true })
  }
}

/** True for files of the same size and time. Copying preserves times to the millisecond. */
const isCopy = (found: Stats, source: Stats) =>
  found.isFile() && found.size === source.size && Math.abs(found.mtimeMs - source.mtimeMs) < 1

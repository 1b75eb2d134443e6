import { constants, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { chmod, copyFile, lchown, link, mkdir, open, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../platform/errors.ts'
import { isTooLong, joinKey, nameProblem } from '../platform/names.ts'
import { syncPath } from '../platform/sync-path.ts'
import type { VolumePaths } from './layout.ts'
import { FILE_MODE, FOLDER_MODE } from './privacy.ts'

/** Outcome for an entry of the imported tree. */
export type Taken = { path: string } & (
  | { outcome: 'copied' | 'there already'; bytes: number }
  | { outcome: 'left out'; why: string }
)

export interface TakeIn {
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
  const { paths, to } = options
  let place = paths.uploads
  for (const name of to) {
    const parent = place
    place = join(parent, name)
    const isFolder = await makeFolder(options, place)
    syncPath(parent)
    if (!isFolder) return yield leftOut(to.join('/'), 'something else is in its place')
  }
  yield* takeFolder(options, '', { key: to.join('/'), place })
}

const leftOut = (path: string, why: string): Taken => ({ path, outcome: 'left out', why })

async function* takeFolder(
  options: TakeIn,
  path: string,
  folder: { key: string; place: string },
): AsyncGenerator<Taken> {
  for (const entry of readdirSync(join(options.from, path), { withFileTypes: true })) {
    const { name } = entry
    const below = joinKey(path, name)
    const target = { key: joinKey(folder.key, name), place: join(folder.place, name) }
    const problem = nameProblem(name)
    if (problem !== undefined) yield leftOut(below, `its name ${problem}`)
    else if (isTooLong(target.key)) yield leftOut(below, 'key is too long')
    else if (entry.isFile()) yield await takeFile(options, below, target.place)
    else if (!entry.isDirectory()) yield leftOut(below, 'link or special file')
    else if (!(await makeFolder(options, target.place)))
      yield leftOut(below, 'something else is in its place')
    else yield* takeFolder(options, below, target)
  }
  syncPath(folder.place)
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
  const stat = statSync(source)
  const found = lstatSync(place, { throwIfNoEntry: false })
  if (found && isCopy(found, stat)) return { path, outcome: 'there already', bytes: stat.size }
  if (found) return leftOut(path, 'something else is in its place')
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
    const code = errorCode(error)
    if (code !== 'EACCES' && code !== 'ENOENT') throw error
    return leftOut(path, 'cannot be read')
  } finally {
    await rm(staged, { force: true })
  }
}

/** True for files of the same size and time. Copying preserves times to the millisecond. */
const isCopy = (found: Stats, source: Stats) =>
  found.isFile() && found.size === source.size && Math.abs(found.mtimeMs - source.mtimeMs) < 1

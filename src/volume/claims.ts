import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { errorCode, StartError } from '../platform/errors.ts'
import { syncPath } from '../platform/sync-path.ts'

/**
 * Mode of folders created in the data folder. Private files and the catalog are accessible to their owner
 * only.
 */
export const FOLDER_MODE = 0o700
export const FILE_MODE = 0o600

/** Command that fills a data folder. Only the same command can continue what it has begun. */
export type Maker = 'move-to' | 'repair --adopt' | 'restore'

/** Name of the file in a data folder that a command has not completed; it holds the name of the command. */
export const INCOMPLETE = 'incomplete'
/** Name of the file in a data folder that was moved; it holds the path of the new one. */
const MOVED = 'moved-to'

/** Returns the first line of a file in a data folder; `undefined` when there is none. */
function readLine(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function writeDurably(folder: string, name: string, text: string, flag: 'w' | 'wx'): void {
  writeFileSync(join(folder, name), `${text}\n`, { mode: FILE_MODE, flag })
  for (const path of [join(folder, name), folder]) syncPath(path)
}

/** Returns the command that has begun to fill a data folder, which need not exist, and has not completed it. */
export const makerOf = (dataPath: string): string | undefined => readLine(join(dataPath, INCOMPLETE))

/**
 * Marks a data folder as incomplete, before anything else is in it, and creates it if it is missing.
 *
 * @returns True when it was not marked before.
 */
export function markIncomplete(dataPath: string, maker: Maker): boolean {
  mkdirSync(dataPath, { recursive: true, mode: FOLDER_MODE })
  try {
    writeDurably(dataPath, INCOMPLETE, maker, 'wx')
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Records that a data folder is complete. */
export function markComplete(dataPath: string): void {
  rmSync(join(dataPath, INCOMPLETE), { force: true })
  syncPath(dataPath)
}

/** Records that the instance is in another data folder now. */
export const markMoved = ({ root }: { root: string }, to: string): void =>
  writeDurably(root, MOVED, resolve(to), 'w')

/**
 * Asserts that a data folder has an instance of its own, or that `maker` has marked it.
 *
 * @throws {StartError} when the instance is elsewhere now, or a command has not completed the folder.
 */
export function assertUsable({ root }: { root: string }, maker?: Maker): void {
  const [place, begun] = [readLine(join(root, MOVED)), makerOf(root)]
  if (place !== undefined)
    throw new StartError(
      `This instance was moved to "${place}". To use it here nevertheless, without what changed there since, remove the ` +
        `file "${join(root, MOVED)}".`,
    )
  if (begun === maker) return
  throw new StartError(
    begun === undefined
      ? `The data folder "${root}" is not empty. Nothing was changed.`
      : `The data folder "${root}" is incomplete, because "${begun}" did not end: run it again. To use what is there ` +
          `nevertheless, remove the file "${join(root, INCOMPLETE)}".`,
  )
}

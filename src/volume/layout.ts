import { Database } from 'bun:sqlite'
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { errorCode, StartError } from '../platform/errors.ts'
import { MAX_KEY_BYTES } from '../platform/names.ts'
import { syncPath } from '../platform/sync-path.ts'
import { assertUsable, FILE_MODE, FOLDER_MODE, type Maker, markComplete, markIncomplete } from './claims.ts'
import { reasonOfSystem } from './reasons.ts'

export { FILE_MODE, FOLDER_MODE } from './claims.ts'

/** Paths of the volume's parts. All are real paths without links. */
export interface VolumePaths {
  root: string
  /** Folder of the catalog. */
  db: string
  /** Database file of the catalog. */
  database: string
  /** Folder of all stored files, each at its key. */
  uploads: string
  /** Staging, on the same file system as `uploads` so that files can be linked into place. */
  tmp: string
  /** Bytes that were replaced, on the same file system. */
  versions: string
  /** Deleted files and folders that can be restored, on the same file system. */
  trash: string
}

/**
 * Name of the file that ties `uploads/` to its catalog. The catalog has no such file, so it is never served
 * or replaced.
 */
export const MARKER = '.holdfast-volume'
/**
 * Name of the file with the signing secret in the data folder, unless the environment provides the secret.
 */
export const SECRET = 'secret'
/** Name of the lock in the folder `db`. */
export const LOCK = 'lock.sqlite'
/** Name of the database in the folder `db`. */
const DATABASE = 'holdfast.sqlite'
/** Maximum length of a path that the system accepts, the closing NUL included. */
const PATH_MAX = 4096

/**
 * Creates missing folders and returns all paths.
 *
 * @throws {StartError} when the data folder cannot be used.
 */
export function prepareLayout(dataPath: string): VolumePaths {
  return usable(dataPath, () => {
    const made = mkdirSync(dataPath, { recursive: true, mode: FOLDER_MODE })
    for (const path of FOLDERS.map((folder) => join(dataPath, folder)))
      if (!lstatSync(path, { throwIfNoEntry: false })) mkdirSync(path, { mode: FOLDER_MODE })
    // Entries that are made durable in the new folders would be lost with them.
    syncPath(dataPath)
    if (made !== undefined) syncPath(dirname(made))
    return locate(dataPath)
  })
}

/** Returns all paths in an existing data folder. @throws {StartError} when it does not exist. */
export const findLayout = (dataPath: string): VolumePaths => usable(dataPath, () => locate(dataPath))

/**
 * Like `prepareLayout`, but only where stored files exist.
 *
 * @throws {StartError} when there is no folder of them.
 */
export function existingLayout(dataPath: string): VolumePaths {
  if (existsSync(join(dataPath, 'uploads'))) return prepareLayout(dataPath)
  throw new StartError(`There is no folder "uploads" in the data folder "${dataPath}". Nothing was changed.`)
}

/** True when `path`, which need not exist, is `folder` or inside it after all links are resolved. */
export const isWithin = (path: string, folder: string): boolean =>
  relative(realPlace(folder), realPlace(path)).split(sep)[0] !== '..'

function realPlace(path: string): string {
  const place = resolve(path)
  return existsSync(place) ? realpathSync(place) : join(realPlace(dirname(place)), basename(place))
}

/** Names of the folders in a data folder. */
export const FOLDERS = ['db', 'uploads', 'tmp', 'versions', 'trash']

function locate(dataPath: string): VolumePaths {
  const root = realpathSync(dataPath)
  const [db = '', uploads = '', tmp = ''] = ['db', 'uploads', 'tmp'].map((name) =>
    realFolder(join(root, name)),
  )
  // A data folder of an earlier version has none.
  const [versions, trash] = [join(root, 'versions'), join(root, 'trash')]
  const newer = [versions, trash].filter((folder) => lstatSync(folder, { throwIfNoEntry: false }))
  if (Buffer.byteLength(uploads) + 1 + MAX_KEY_BYTES >= PATH_MAX) {
    throw new StartError('The path of the data folder is too long: use one of at most 80 bytes.')
  }
  for (const other of [tmp, ...newer.map(realFolder)])
    if (statSync(uploads).dev !== statSync(other).dev) {
      throw new StartError(
        `"${uploads}" and "${other}" must be on the same volume: files are linked or moved from one into the other.`,
      )
    }
  return { root, db, database: join(db, DATABASE), uploads, tmp, versions, trash }
}

/**
 * Returns the path itself if it is a folder and no link. Through a link the server would write, and empty, a
 * folder elsewhere.
 */
function realFolder(path: string): string {
  const stat = lstatSync(path)
  if (stat.isDirectory()) return path
  const what = stat.isSymbolicLink() ? 'a symbolic link' : 'not a folder'
  throw new StartError(
    `"${path}" is ${what}: Holdfast needs a folder there. The data folder as a whole may be a link.`,
  )
}

/** Returns the names of other files in a data folder that was not used before. */
export function namesOfOthers(dataPath: string): string[] {
  if (hasDatabaseFolder(dataPath) || !statSync(dataPath, { throwIfNoEntry: false })?.isDirectory()) return []
  const known = [...FOLDERS, SECRET, 'lost+found', 'cache', 'thumbs']
  return usable(dataPath, () =>
    readdirSync(dataPath)
      .filter((name) => !known.includes(name))
      .sort(),
  )
}

function usable<Value>(dataPath: string, find: () => Value): Value {
  try {
    return find()
  } catch (error) {
    if (error instanceof StartError) throw error
    const code = errorCode(error) ?? 'unknown error'
    throw new StartError(`Cannot use the data folder "${dataPath}": ${reasonOfSystem(code)}`, {
      cause: error,
    })
  }
}

/**
 * Locks the data folder for this process until it ends, however it ends. The lock is SQLite's own on an empty
 * database: the only lock in Bun that the system releases with the process.
 *
 * @param maker Command that has marked the folder as incomplete.
 * @throws {StartError} when another process holds it, or the folder must not be used.
 */
export function lockLayout(paths: VolumePaths, maker?: Maker): { release: () => void } {
  const lock = lockFile(
    join(paths.db, LOCK),
    `Another Holdfast is running on the data folder "${paths.root}". Nothing was changed.`,
  )
  try {
    assertUsable(paths, maker)
    return lock
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * Creates and locks a data folder for a command that fills it. From its first entry on until `markComplete`, no server
 * starts on it, and only the same command can continue.
 *
 * @throws {StartError} as `prepareLayout` and `lockLayout`.
 */
export function makeLayout(dataPath: string, maker: Maker): { paths: VolumePaths; release: () => void } {
  const isFirst = usable(dataPath, () => markIncomplete(dataPath, maker))
  try {
    const paths = prepareLayout(dataPath)
    return { paths, ...lockLayout(paths, maker) }
  } catch (error) {
    // A server has the folder, or it cannot be one.
    if (isFirst) markComplete(dataPath)
    throw error
  }
}

/**
 * Locks any other folder in the same way, with a lock file of its own.
 *
 * @throws {StartError} with `refusal` when another process holds it.
 */
export function lockFile(path: string, refusal: string): { release: () => void } {
  makePrivate(path)
  const lock = new Database(path, { create: true })
  try {
    lock.run('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (errorCode(error) !== 'SQLITE_BUSY') throw error
    throw new StartError(refusal)
  }
  return { release: () => lock.close() }
}

/** Restricts a lock file to its owner: another user with read access could lock it, too. */
function makePrivate(path: string): void {
  // An existing file is never opened, because closing it would release a lock of this process (fcntl(2)).
  if (!existsSync(path)) closeSync(openSync(path, 'a', FILE_MODE))
  try {
    chmodSync(path, FILE_MODE)
  } catch (error) {
    // The folder belongs to another user, or the disk is read-only or without modes.
    if (!['EPERM', 'EROFS', 'ENOSYS', 'ENOTSUP'].includes(errorCode(error) ?? '')) throw error
  }
}

/**
 * Checks that `uploads/` belongs to the catalog. Without this check a volume that is not mounted would look
 * like one whose files are all gone.
 *
 * @param volumeId The id in the catalog.
 * @param isNew True when the catalog knows no file yet: nothing can be lost, so the marker is written.
 * @throws {StartError} when the marker is missing or names another catalog.
 */
export function checkMarker(paths: VolumePaths, volumeId: string, isNew: boolean): void {
  const { uploads } = paths
  const found = readMarker(paths)
  if (found === volumeId) return
  if (found !== undefined) {
    throw new StartError(
      `The folder "${uploads}" belongs to another database. Restore that one. If it is lost, move the folder ` +
        '"db" away and run "repair --adopt", which makes a new database from the stored files.',
    )
  }
  if (!isNew) {
    throw new StartError(
      `The folder "${uploads}" is not the one this database belongs to: is its volume mounted?`,
    )
  }
  writeFileSync(join(uploads, MARKER), `${volumeId}\n`, { mode: FILE_MODE })
  syncPath(join(uploads, MARKER))
  syncPath(uploads)
}

/**
 * Refuses stored files without their database, because a new one would know none of them.
 *
 * @throws {StartError} when the database is missing and the marker is not.
 */
export function checkDatabase(paths: VolumePaths): void {
  const { database, uploads } = paths
  if (hasDatabase(paths) || readMarker(paths) === undefined) return
  throw new StartError(
    `The database "${database}" is missing, but "${uploads}" belongs to one. Restore a backup, or run ` +
      '"repair --adopt", with "--from <backups>" if there are any, which makes a new database from the stored ' +
      'files. Nothing was changed.',
  )
}

/** True when the data folder was used before. */
export const hasDatabaseFolder = (dataPath: string) => existsSync(join(dataPath, 'db'))

/** True when the database file exists and is not empty. */
export const hasDatabase = ({ database }: Pick<VolumePaths, 'database'>) =>
  (statSync(database, { throwIfNoEntry: false })?.size ?? 0) > 0

/** Like `hasDatabase`, for a data folder that may not exist. */
export const hasDatabaseIn = (dataPath: string) => hasDatabase({ database: join(dataPath, 'db', DATABASE) })

/**
 * True when the database's disk is read-only. It tries a write, because a disk may turn read-only after an
 * error without notice.
 */
export function isReadOnly({ db }: VolumePaths): boolean {
  const probe = join(db, 'probe')
  try {
    rmSync(probe, { recursive: true, force: true })
    mkdirSync(probe)
    rmdirSync(probe)
    return false
  } catch (error) {
    return errorCode(error) === 'EROFS'
  }
}

/** Returns the id of the volume that `uploads/` names; `undefined` when it names none. */
export function readMarker({ uploads }: VolumePaths): string | undefined {
  try {
    return readFileSync(join(uploads, MARKER), 'utf8').trim()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Empties the staging folder except for the names in `kept`. The rest was never acknowledged, or is being
 * purged.
 */
export function clearStaging(
  { tmp }: VolumePaths,
  kept: ReadonlySet<string>,
  onError: (error: unknown) => void,
): void {
  for (const name of readdirSync(tmp)) {
    if (kept.has(name)) continue
    try {
      rmSync(join(tmp, name), { recursive: true, force: true })
    } catch (error) {
      onError(error)
    }
  }
}

const modeOf = (path: string) => statSync(path).mode

/**
 * Returns advice on closing folders of the data folder that other users of the machine can reach, as earlier
 * versions made them; `undefined` when there is none. They are not changed, because an operator may have
 * opened them on purpose.
 */
export function adviceToClose({ root, db, uploads, tmp }: VolumePaths): string | undefined {
  // Permission of group and others to pass through, as far as all folders above grant it.
  let passing = 0o011 & modeOf(root)
  for (let folder = root; folder !== dirname(folder); folder = dirname(folder))
    passing &= modeOf(dirname(folder))
  const toReadOrPass = passing * 0o5
  const open = [db, uploads, tmp].filter((folder) => (modeOf(folder) & toReadOrPass) !== 0)
  if (open.length === 0) return undefined
  const folders = open.map((folder) => `"${folder}"`).join(' ')
  return `Other users of this machine can read the data folder. To keep them out: chmod 700 ${folders}`
}

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { isBlobId } from '../../blobs/blobs.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { digestRows } from '../../catalog/postgres/copy.ts'
import { removeLog } from '../../catalog/sqlite/database.ts'
import { openCatalog } from '../../catalog/sqlite/open.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import { StartError } from '../../platform/errors.ts'
import type { Random } from '../../platform/random.ts'
import { syncPath } from '../../platform/sync-path.ts'
import { assertCapable } from '../../volume/capable.ts'
import { makerOf, markComplete } from '../../volume/claims.ts'
import {
  checkMarker,
  FILE_MODE,
  hasDatabase,
  MARKER,
  makeLayout,
  type VolumePaths,
} from '../../volume/layout.ts'
import { StoredFile } from '../../volume/stored-file.ts'
import { Volume } from '../../volume/volume.ts'
import { recordPlace } from '../instance.ts'
import { allRows, type ObjectReader, sizesOf } from '../objects/verify.ts'
import type { ObjectStore } from '../store.ts'
import { fillObjects } from './fill-objects.ts'
import type { Restoration, Stored } from './objects.ts'
import { folderOrigin } from './origin.ts'
import { fillFolder, restoreSecret, type SharedRows } from './restore.ts'
import { renameInvalid, settleSnapshot } from './settle.ts'

interface MoveOptions {
  /** Writes the rows of the source to a new database at a path. */
  copyRows: (path: string) => void | Promise<void>
  /** Data folder of the source, which has its secret; missing when servers share its rows. No server uses it. */
  source?: VolumePaths | undefined
  /** New data folder: empty, missing, or left by an interrupted move. */
  dataPath: string
  /** Objects that become files, files that become objects of a store, or none. */
  move: { from: ObjectReader } | { to: ObjectStore; files: VolumePaths } | 'rows alone'
  /** Database for the rows; they stay in the new data folder without one. */
  shared?: SharedRows
  random: Random
}

/** Database of a move that is not complete. */
const MOVING = 'moving.sqlite'
/** File in `db/` with a digest of the moved rows, from the moment all of them are in place until the move ends. */
const PROGRESS = 'moving'
/** Folder below `tmp/` of objects that were fetched. */
const FETCHED = 'moving'
/** Objects that are fetched at a time. */
const FETCHES = 16

/**
 * Creates a data folder with the rows of another instance, whose bytes move if they are in the other kind of place. Nothing of
 * the source changes. An interrupted move continues. Files whose bytes are missing or damaged are missing. The caller
 * marks the source as moved, and then calls `finishMove`.
 *
 * @throws {StartError} when the new data folder is not empty, or the object store cannot be used.
 * @throws {Refusal} when the object store does not respond, or the disk is full.
 */
export async function moveInstance(options: MoveOptions): Promise<void> {
  const { source, dataPath, shared } = options
  if (makerOf(dataPath) !== 'move-to' && existsSync(dataPath) && readdirSync(dataPath).length > 0)
    throw new StartError(`The data folder "${dataPath}" is not empty. Nothing was changed.`)
  const { paths, release } = makeLayout(dataPath, 'move-to')
  const progress = join(paths.db, PROGRESS)
  try {
    if (typeof options.move === 'object' && 'from' in options.move) assertCapable(paths)
    const database = join(paths.db, MOVING)
    const digest = await copyAgain(options, database)
    if (isComplete(paths, { digest, isShared: shared !== undefined })) return
    await moveContent(options, paths, database)
    if (source) restoreSecret(source.root, paths)
    syncPath(database)
    await shared?.fill(database)
    writeFileSync(progress, digest, { mode: FILE_MODE })
    syncPath(progress)
    if (shared) removeDatabase(database)
    else renameSync(database, paths.database)
    for (const path of [paths.db, paths.root]) syncPath(path)
    rmSync(join(paths.tmp, FETCHED), { recursive: true, force: true })
  } finally {
    release()
  }
}

/** Ends a move whose source is marked as moved. */
export function finishMove(dataPath: string): void {
  rmSync(join(dataPath, 'db', PROGRESS), { force: true })
  removeDatabase(join(dataPath, 'db', MOVING))
  markComplete(dataPath)
}

/** Copies the rows of the source, also those of an interrupted move, and returns a digest of them. */
async function copyAgain({ copyRows }: MoveOptions, database: string): Promise<string> {
  const copy = `${database}-new`
  removeDatabase(copy)
  await copyRows(copy)
  removeLog(database)
  renameSync(copy, database)
  return digestRows(database)
}

/**
 * Returns true when an interrupted move has put everything in place.
 *
 * @throws {StartError} when the source has changed since.
 */
function isComplete(
  paths: VolumePaths,
  { digest, isShared }: { digest: string; isShared: boolean },
): boolean {
  const progress = join(paths.db, PROGRESS)
  if (!existsSync(progress) || !(isShared || hasDatabase(paths))) return false
  const moved = readFileSync(progress, 'utf8')
  if (moved === digest) return true
  throw new StartError(
    `This instance was moved to "${paths.root}", and has changed since. Move it to another place.`,
  )
}

function removeDatabase(path: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true })
}

async function moveContent(
  { move, shared, random }: MoveOptions,
  paths: VolumePaths,
  database: string,
): Promise<void> {
  const catalog = openCatalog({ path: database, onUnknownOutcome: () => {} })
  try {
    clearFolders(paths)
    const volumeId = (await catalog.instance.get('volumeId')) ?? ''
    await shared?.assertFillable(volumeId)
    checkMarker(paths, volumeId, true)
    if (move === 'rows alone') {
      await catalog.transact(() => catalog.resumables.removeAll())
      return
    }
    const volume = new Volume(paths)
    await settleSnapshot(catalog)
    await renameInvalid(catalog, random)
    if ('to' in move) {
      const origin = folderOrigin(new Volume(move.files))
      await fillObjects({ catalog, paths, objects: move.to, origin, random })
      await recordPlace(catalog, move.to.name)
    } else {
      const fetched = join(paths.tmp, FETCHED)
      await fetchAll(catalog, move.from, fetched)
      const provide: Restoration['provide'] = async (rows, put) => put(await findFetched(fetched, rows))
      await fillFolder({ catalog, volume, provide })
      await recordPlace(catalog)
    }
  } finally {
    catalog.close()
    removeLog(database)
  }
}

/** Removes what an interrupted move has put in place: links to the fetched objects. */
function clearFolders({ uploads, versions, trash }: VolumePaths): void {
  for (const folder of [uploads, versions, trash])
    for (const name of readdirSync(folder))
      if (name !== MARKER) rmSync(join(folder, name), { recursive: true, force: true })
}

/** Fetches the objects of all rows that are not in the folder yet. */
async function fetchAll(catalog: Catalog, objects: ObjectReader, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const underWay = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined
  const sizes = await sizesOf(objects)
  for await (const row of allRows(catalog)) {
    // An object that is missing, or has another size, is reported as damaged later.
    if (sizes.get(row.blobId ?? '') !== row.size) continue
    if (underWay.size >= FETCHES) await Promise.race(underWay)
    if (failure) break
    const done = fetchOne(objects, folder, row)
      .catch((error) => {
        failure ??= { error }
      })
      .finally(() => underWay.delete(done))
    underWay.add(done)
  }
  await Promise.all(underWay)
  if (failure) throw failure.error
  syncPath(folder)
}

async function fetchOne(
  objects: ObjectReader,
  folder: string,
  row: Pick<FileRow, 'blobId' | 'size' | 'sha256'>,
): Promise<void> {
  const { blobId, size, sha256 } = row
  if (blobId === null || !isBlobId(blobId)) return
  const path = join(folder, blobId)
  // A fetched file has its name only once it is durable and compared.
  if (statSync(path, { throwIfNoEntry: false })?.size === size) return
  const part = `${path}.part`
  rmSync(part, { force: true })
  await (await objects.open({ id: blobId, size }))?.copyTo(part)
  if ((await StoredFile.open(part)?.sha256()) !== sha256) return rmSync(part, { force: true })
  const file = await open(part, 'r+')
  await file.sync().finally(() => file.close())
  renameSync(part, path)
}

/** Returns the fetched files of rows, with the times of the rows. */
async function findFetched<Row extends Stored>(folder: string, rows: readonly Row[]) {
  const found: { row: Row; stagedPath: string }[] = []
  for (const row of rows) {
    const stagedPath = row.blobId !== null && isBlobId(row.blobId) ? join(folder, row.blobId) : undefined
    if (stagedPath === undefined || !existsSync(stagedPath)) continue
    await utimes(stagedPath, row.createdAt / 1000, row.createdAt / 1000)
    found.push({ row, stagedPath })
  }
  return found
}

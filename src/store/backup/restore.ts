import { chmodSync, copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { removeLog } from '../../catalog/sqlite/database.ts'
import { openCatalog } from '../../catalog/sqlite/open.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import { StartError } from '../../platform/errors.ts'
import { joinKey, nameProblem } from '../../platform/names.ts'
import type { Random } from '../../platform/random.ts'
import { syncPath } from '../../platform/sync-path.ts'
import { assertCapable } from '../../volume/capable.ts'
import { INCOMPLETE, makerOf, markComplete } from '../../volume/claims.ts'
import {
  checkMarker,
  FILE_MODE,
  FOLDERS,
  LOCK,
  makeLayout,
  SECRET,
  type VolumePaths,
} from '../../volume/layout.ts'
import { isVersionId } from '../../volume/versions.ts'
import { Volume } from '../../volume/volume.ts'
import { batchesOf } from '../batches.ts'
import { recordPlace } from '../instance.ts'
import type { ObjectStore } from '../store.ts'
import { fillObjects } from './fill-objects.ts'
import { fromBackup, type Restoration } from './objects.ts'
import { backupOrigin } from './origin.ts'
import { type Renamed, renameInvalid, settleSnapshot } from './settle.ts'
import { type BackupStore, SNAPSHOT_DATABASE } from './store.ts'
import { restoreTrash } from './trash.ts'

/** Database of several servers, of which none runs. */
export interface SharedRows {
  /** Asserts that it is empty, or has the rows of this instance. @throws {StartError} */
  assertFillable: (volumeId: string) => Promise<void>
  /** Fills it with the rows of a database at a path. Idempotent. */
  fill: (path: string) => Promise<void>
}

interface RestoreOptions {
  store: BackupStore
  /** Name of the snapshot. */
  name: string
  /** Target folder, which is empty or missing. */
  dataPath: string
  /** Object store for the bytes; files in the data folder without one. */
  objects: ObjectStore | undefined
  /** Database for the rows; they stay in the data folder without one. */
  shared?: SharedRows | undefined
  random: Random
}

/** Entry that a freshly formatted volume has at its root. */
const LOST_AND_FOUND = 'lost+found'
/** Folder of copies of objects. */
const CACHE = 'cache'
/** Database of a restore under way, in the folder `db`. */
const RESTORING = 'restoring.sqlite'

/**
 * Creates a data folder as it was when a snapshot was made, or fills a shared database. The rows are put in place last,
 * because no server starts without them. Files whose bytes are missing or damaged in the backup are missing. The work of a
 * restore that was interrupted is removed first.
 *
 * @returns Files and folders that were renamed, because their names are not valid.
 * @throws {StartError} when the data folder is not empty.
 */
export async function restoreSnapshot(options: RestoreOptions): Promise<Renamed[]> {
  const { store, name, dataPath, shared } = options
  const isRepeated = makerOf(dataPath) === 'restore'
  assertEmpty(dataPath, isRepeated)
  const { paths, release } = makeLayout(dataPath, 'restore')
  const snapshot = store.snapshotPath(name)
  try {
    if (isRepeated) removeUnfinished(paths)
    if (!options.objects) assertCapable(paths)
    const database = join(paths.db, RESTORING)
    copyFileSync(join(snapshot, SNAPSHOT_DATABASE), database)
    chmodSync(database, FILE_MODE)
    const renamed = await restoreContent(paths, database, options)
    restoreSecret(snapshot, paths)
    syncPath(database)
    await shared?.fill(database)
    if (shared) rmSync(database)
    else renameSync(database, paths.database)
    for (const path of [paths.db, paths.root]) syncPath(path)
    markComplete(paths.root)
    return renamed
  } finally {
    release()
  }
}

/**
 * Asserts that a data folder is empty, or has at most what an interrupted restore has made.
 *
 * @throws {StartError}
 */
function assertEmpty(dataPath: string, isRepeated: boolean): void {
  const own = isRepeated ? [INCOMPLETE, SECRET, CACHE, ...FOLDERS] : []
  const names = existsSync(dataPath) ? readdirSync(dataPath) : []
  if (names.some((name) => name !== LOST_AND_FOUND && !own.includes(name)))
    throw new StartError(`The data folder "${dataPath}" is not empty. Nothing was changed.`)
}

/** Removes what a restore that did not end has made. The caller has the lock. */
function removeUnfinished({ root, db, uploads, tmp, versions, trash }: VolumePaths): void {
  for (const name of [SECRET, CACHE]) rmSync(join(root, name), { recursive: true, force: true })
  for (const folder of [uploads, tmp, versions, trash, db])
    for (const name of readdirSync(folder))
      if (!name.startsWith(LOCK)) rmSync(join(folder, name), { recursive: true, force: true })
}

async function restoreContent(
  paths: VolumePaths,
  database: string,
  { store, objects, shared, random }: RestoreOptions,
): Promise<Renamed[]> {
  const catalog = openCatalog({ path: database, onUnknownOutcome: () => {} })
  try {
    const volumeId = (await catalog.instance.get('volumeId')) ?? ''
    await shared?.assertFillable(volumeId)
    checkMarker(paths, volumeId, true)
    const volume = new Volume(paths)
    await settleSnapshot(catalog)
    const renamed = await renameInvalid(catalog, random)
    if (objects) await fillObjects({ catalog, paths, objects, origin: backupOrigin(store), random })
    else await fillFolder({ catalog, volume, provide: fromBackup(store, { random, volume }) })
    await recordPlace(catalog, objects?.name)
    return renamed
  } finally {
    catalog.close()
    removeLog(database)
  }
}

/** Puts the bytes of all rows into a data folder. */
export async function fillFolder(restoration: Restoration): Promise<void> {
  const { catalog } = restoration
  await restoreFolder(restoration, await catalog.folders.root(), '')
  await restoreVersions(restoration)
  await restoreTrash(restoration)
  await catalog.transact(() => catalog.blobs.forgetAll())
}

/** Copies the signing secret of a snapshot or data folder, if it has one. */
export function restoreSecret(snapshot: string, { root }: VolumePaths): void {
  if (!existsSync(join(snapshot, SECRET))) return
  copyFileSync(join(snapshot, SECRET), join(root, SECRET))
  chmodSync(join(root, SECRET), FILE_MODE)
  syncPath(join(root, SECRET))
}

/** Number of files per batch. */
const BATCH_FILES = 256

async function restoreFolder(restoration: Restoration, id: string, key: string): Promise<void> {
  const { catalog, volume } = restoration
  const children = (await catalog.folders.inFolder(id)).filter(({ name }) => nameProblem(name) === undefined)
  await volume.add(key, { folders: children.map(({ name }) => name), files: [] })
  const after = (name: string, limit: number) => catalog.files.inFolderAfter(id, name, limit)
  for await (const batch of batchesOf(after, BATCH_FILES, ({ name }) => name))
    await restoreFiles(restoration, key, batch)
  for (const child of children) await restoreFolder(restoration, child.id, joinKey(key, child.name))
}

function restoreFiles(restoration: Restoration, key: string, batch: readonly FileRow[]): Promise<void> {
  return restoration.provide(batch, async (found) => {
    const files = found.map(({ row: { name }, stagedPath }) => ({ name, stagedPath }))
    await restoration.volume.add(key, { folders: [], files })
  })
}

/** Restores the bytes of versions. A row whose id would lead out of the folder is removed. */
async function restoreVersions(restoration: Restoration): Promise<void> {
  const { catalog, volume } = restoration
  for await (const batch of batchesOf(catalog.versions.after, BATCH_FILES)) {
    const unsafe = batch.filter(({ id }) => !isVersionId(id)).map(({ id }) => id)
    await catalog.transact(() => catalog.versions.remove(unsafe))
    const safe = batch
      .filter(({ id }) => isVersionId(id))
      .map((row) => ({ ...row, createdAt: row.writtenAt }))
    await restoration.provide(safe, (found) =>
      volume.versions.add(found.map(({ row: { id }, stagedPath }) => ({ version: id, stagedPath }))),
    )
  }
}

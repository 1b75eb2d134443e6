import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { removeLog } from '../../catalog/sqlite/database.ts'
import { openCatalog, salvageCatalog } from '../../catalog/sqlite/open.ts'
import { StartError } from '../../platform/errors.ts'
import { syncPath } from '../../platform/sync-path.ts'
import { readMarker, type VolumePaths } from '../../volume/layout.ts'
import { OWNS_VERSIONS } from '../folder/versions.ts'
import { newestOf } from './names.ts'
import { type BackupStore, openStore, SNAPSHOT_DATABASE } from './store.ts'

/** Earlier catalog from a backup, or from a database that was moved away. */
interface EarlierCatalog {
  /** Folder it comes from, as the operator gave it. */
  folder: string
  catalog: Catalog
  /** Path of the copy that `catalog` is open on. */
  path: string
  /** True when all of it could be read. */
  isWhole: boolean
}

/** Earlier catalogs in the order in which the operator named them. */
export interface EarlierCatalogs extends Disposable {
  all: readonly EarlierCatalog[]
}

/**
 * Opens copies of the catalogs in these folders: a folder of backups (its latest), one backup, or a folder
 * `db` that was moved away. From a damaged catalog it opens the readable part. The folders themselves are
 * only read.
 *
 * @throws {StartError} when there is none, nothing can be read of it, or it belongs to another data folder.
 */
export async function openEarlier(folders: readonly string[], paths: VolumePaths): Promise<EarlierCatalogs> {
  const scratch = join(paths.tmp, 'earlier')
  const all: EarlierCatalog[] = []
  const close = () => {
    for (const { catalog } of all) catalog.close()
    rmSync(scratch, { recursive: true, force: true })
  }
  rmSync(scratch, { recursive: true, force: true })
  try {
    for (const [index, folder] of folders.entries())
      all.push(await openOne(folder, { paths, scratch: join(scratch, String(index)) }))
    return { all, [Symbol.dispose]: close }
  } catch (error) {
    close()
    throw error
  }
}

async function openOne(
  folder: string,
  { paths, scratch }: { paths: VolumePaths; scratch: string },
): Promise<EarlierCatalog> {
  const found = findDatabase(folder)
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  const copy = join(scratch, SNAPSHOT_DATABASE)
  for (const ending of ['', '-wal'])
    if (existsSync(found + ending)) copyFileSync(found + ending, copy + ending)
  const opened = { folder, ...(await openReadable(copy)) }
  const { catalog } = opened
  const why = await whyUseless(catalog, paths)
  if (why === undefined) return opened
  catalog.close()
  throw new StartError(`The database in "${folder}" ${why}. Nothing was changed.`)
}

async function whyUseless({ folders, instance }: Catalog, paths: VolumePaths): Promise<string | undefined> {
  if (!(await folders.hasRoot())) return 'cannot be read'
  const [volumeId, found] = [await instance.get('volumeId'), readMarker(paths)]
  const isOther = volumeId !== undefined && found !== undefined && volumeId !== found
  return isOther ? `is not of the files in "${paths.uploads}"` : undefined
}

function findDatabase(folder: string): string {
  const own = join(folder, SNAPSHOT_DATABASE)
  if (existsSync(own)) return own
  const store = openStore(folder)
  const name = newestOf(store.snapshots())
  if (name !== undefined) return join(store.snapshotPath(name), SNAPSHOT_DATABASE)
  throw new StartError(`The folder "${folder}" has no backups`)
}

/** Returns the folder of backups that an earlier catalog comes from; `undefined` for a database that was moved away. */
export function backupsOf({ folder }: Pick<EarlierCatalog, 'folder'>): BackupStore | undefined {
  const root = existsSync(join(folder, SNAPSHOT_DATABASE)) ? join(folder, '..', '..') : folder
  return existsSync(join(root, 'objects')) && existsSync(join(root, 'snapshots'))
    ? openStore(root)
    : undefined
}

async function openReadable(copy: string): Promise<Omit<EarlierCatalog, 'folder'>> {
  const open = (path: string) => openCatalog({ path, onUnknownOutcome: () => {} })
  const catalog = open(copy)
  if ((await catalog.check.damage()).length === 0) return { catalog, path: copy, isWhole: true }
  catalog.close()
  const path = `${copy}-readable`
  salvageCatalog(copy, path, 'tree')
  return { catalog: open(path), path, isWhole: false }
}

/**
 * Returns the catalog that accounts, API keys, settings and history are taken from: the first undamaged one.
 * In a damaged catalog, a garbled account or API key could grant access.
 */
export const accountsFrom = ({ all }: EarlierCatalogs): EarlierCatalog | undefined =>
  all.find(({ isWhole }) => isWhole)

/**
 * Rebuilds the database with the rows of earlier ones that are not about files. It is put in place once it is
 * complete.
 */
export async function makeDatabase(earlier: EarlierCatalogs, paths: VolumePaths): Promise<void> {
  const made = join(paths.db, 'rebuilding.sqlite')
  for (const ending of ['', '-wal', '-shm']) rmSync(made + ending, { force: true })
  const accounts = accountsFrom(earlier)
  if (accounts) salvageCatalog(accounts.path, made, 'all but files')
  const catalog = openCatalog({ path: made, onUnknownOutcome: () => {} })
  const folders = earlier.all[0]?.catalog.folders
  const root = folders && (await folders.byId(await folders.root()))
  await catalog.transact(function* () {
    if (root) yield* catalog.folders.insert([root])
    // Versions that came after the earlier catalog must not be taken for leftovers.
    yield* catalog.instance.set(OWNS_VERSIONS, 'false')
  })
  catalog.close()
  removeLog(made)
  syncPath(made)
  // SQLite would apply the log of the lost database to this one.
  removeLog(paths.database)
  renameSync(made, paths.database)
  syncPath(paths.db)
}

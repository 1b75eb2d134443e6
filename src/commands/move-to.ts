import { resolve } from 'node:path'
import { objectStoreOf } from '../blobs/open.ts'
import { copyFromPostgres, targetOn } from '../catalog/postgres/copy.ts'
import { assertMigrated, assertNoServers, withoutServers } from '../catalog/postgres/migrate.ts'
import { connectPostgres } from '../catalog/postgres/open.ts'
import { copyCatalog, readCatalog } from '../catalog/sqlite/open.ts'
import type { Config } from '../platform/config.ts'
import { StartError } from '../platform/errors.ts'
import type { Services } from '../platform/platform.ts'
import { finishMove, moveInstance } from '../store/backup/move.ts'
import { assertInPlace, assertSamePlace, markMovedAway, objectStoreNameOf } from '../store/instance.ts'
import { type ObjectStore, openStore } from '../store/store.ts'
import { markMoved } from '../volume/claims.ts'
import { existingLayout, hasDatabaseIn, isWithin, lockLayout, type VolumePaths } from '../volume/layout.ts'
import { asStartError, hasSameSecret } from './open-catalog.ts'
import { runVerify } from './verify.ts'

interface MoveCommand extends Services {
  /** New data folder. */
  folder: string
  /** True to leave the objects of a shared database where they are. */
  rowsOnly?: boolean
}

type Database = NonNullable<Config['database']>
type Objects = ReturnType<typeof objectStoreOf>

/**
 * Runs `move-to`: creates a data folder for the same instance in another kind of place. Files of the data folder become objects
 * of the configured store, or objects become files. With a shared database, rows of the data folder move to it, or its
 * rows to the data folder. Nothing of the source is removed. It does not start any more.
 *
 * @returns The exit code: 0 when all of it was moved, 1 when a file is missing.
 * @throws {StartError} when a server runs, the new place is not empty, or the store cannot be used.
 */
export async function runMoveTo(config: Config, command: MoveCommand): Promise<number> {
  const { database, objectStore, dataPath } = config
  if (!objectStore)
    throw new StartError(
      'Set the S3_… variables of the object store to move to, or from. To move a data folder, stop the server and copy it. Nothing was changed.',
    )
  const objects = objectStoreOf(objectStore, command)
  try {
    if (!database) return await moveBytes(config, command, objects)
    if (hasDatabaseIn(dataPath)) return await moveToShared(config, command, { database, objects })
    return await moveFromShared(config, command, { database, objects })
  } catch (error) {
    throw asStartError(error)
  }
}

/** Moves an instance from its data folder to the object store, or back. */
async function moveBytes(config: Config, command: MoveCommand, objects: Objects): Promise<number> {
  const { folder, log } = command
  const { source, isInStore, release } = await openSource(config, command, objects)
  try {
    const move = isInStore ? { from: objects.reader() } : { to: objects, files: source }
    const copyRows = (path: string) => copyCatalog(source.database, path)
    await moveInstance({ ...command, copyRows, source, dataPath: folder, move })
    const target = { ...config, dataPath: folder, objectStore: isInStore ? undefined : config.objectStore }
    const exitCode = await runVerify(target, { ...command, deep: false })
    if (exitCode === 0) markMoved(source, folder)
    finishMove(folder)
    log.info(
      exitCode === 0
        ? `Moved to "${folder}". Start it ${isInStore ? 'without' : 'with'} the variables S3_…`
        : `Moved to "${folder}", but for the files above`,
    )
    return exitCode
  } finally {
    release()
  }
}

/** Moves the rows of a data folder to a database that servers share, and its files to the object store. */
async function moveToShared(
  config: Config,
  command: MoveCommand,
  { database: { url }, objects }: { database: Database; objects: Objects },
): Promise<number> {
  const { folder, log } = command
  const { source, isInStore, release } = await openSource(config, command, objects)
  try {
    await assertSameSecret(source, config)
    await withoutServers(url, (connection) =>
      moveInstance({
        ...command,
        copyRows: (path) => copyCatalog(source.database, path),
        source,
        dataPath: folder,
        move: isInStore ? 'rows alone' : { to: objects, files: source },
        shared: targetOn(connection),
      }),
    )
    // Two instances on the same objects would remove those of each other.
    markMoved(source, folder)
    finishMove(folder)
    const exitCode = await runVerify({ ...config, dataPath: folder }, { ...command, deep: false })
    log.info(
      `Moved to the shared database. Start a server with DATA_PATH=${folder}, and others with new folders`,
    )
    return exitCode
  } finally {
    release()
  }
}

/** Moves the rows of a shared database to a new data folder, and its objects too unless they stay. */
async function moveFromShared(
  config: Config,
  command: MoveCommand,
  { database, objects }: { database: Database; objects: Objects },
): Promise<number> {
  const { folder, rowsOnly = false, clock, log } = command
  await assertMigrated(database.url)
  const catalog = await connectPostgres({ ...database, monotonic: clock.monotonic })
  try {
    await assertInPlace(catalog)
    await assertSamePlace(catalog, objects.name)
    await withoutServers(database.url, async (connection) => {
      const copyRows = (path: string) => copyFromPostgres(connection, path)
      const move = rowsOnly ? 'rows alone' : { from: objects.reader() }
      await moveInstance({ ...command, copyRows, dataPath: folder, move })
      await assertNoServers(connection)
      await markMovedAway(catalog, resolve(folder))
    })
  } finally {
    catalog.close()
  }
  finishMove(folder)
  const target = { ...config, dataPath: folder, database: undefined }
  const exitCode = await runVerify(rowsOnly ? target : { ...target, objectStore: undefined }, {
    ...command,
    deep: false,
  })
  const without = rowsOnly ? 'DATABASE_URL' : 'DATABASE_URL and S3_…'
  log.info(`Moved to "${folder}". Start it without ${without}, and with the same AUTH_SECRET`)
  return exitCode
}

/** Opens the data folder that an instance leaves: recovers what an earlier process left unfinished, and locks it. */
async function openSource(config: Config, command: MoveCommand, objects: ObjectStore) {
  const { folder } = command
  const source = existingLayout(config.dataPath)
  if (isWithin(folder, source.root) || isWithin(source.root, folder))
    throw new StartError('The new data folder and the present one must not contain each other')
  const isInStore = (await placeOf(source)) !== undefined
  const { close } = await openStore({
    ...command,
    config: { ...config, database: undefined },
    objects: isInStore ? objects : undefined,
    onUnknownOutcome: () => {},
  })
  await close()
  return { source, isInStore, release: lockLayout(source).release }
}

async function placeOf({ database }: VolumePaths): Promise<string | undefined> {
  const catalog = readCatalog(database)
  return objectStoreNameOf(catalog).finally(catalog.close)
}

/** @throws {StartError} when the configured secret would end all sessions and links of an instance. */
async function assertSameSecret({ database, root }: VolumePaths, config: Config): Promise<void> {
  const catalog = readCatalog(database)
  if (!(await hasSameSecret(catalog, config).finally(catalog.close)))
    throw new StartError(
      'AUTH_SECRET is not the secret of this instance, so all sessions and links would end. Set it to the one before, or ' +
        `to the text of the file "${root}/secret". Nothing was changed.`,
    )
}

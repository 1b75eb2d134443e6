import { objectStoreOf } from '../blobs/open.ts'
import { readCatalog } from '../catalog/open.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import { StartError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Random } from '../platform/random.ts'
import { moveInstance } from '../store/backup/move.ts'
import { objectStoreNameOf } from '../store/instance.ts'
import { openStore } from '../store/store.ts'
import { existingLayout, isWithin, lockLayout, markMoved, type VolumePaths } from '../volume/layout.ts'
import { asStartError } from './store-errors.ts'
import { runVerify } from './verify.ts'

interface MoveCommand {
  /** New data folder. */
  folder: string
  clock: Clock
  random: Random
  log: Log
}

/**
 * Runs `move-to`: creates a data folder with the same rows, whose bytes are in the configured object store if they are files
 * now, or files if they are in that store. Nothing of the source is removed. It does not start any more.
 *
 * @returns The exit code: 0 when all of it was moved, 1 when a file is missing.
 * @throws {StartError} when a server runs, the new folder is not empty, or the store cannot be used.
 */
export async function runMoveTo(config: Config, command: MoveCommand): Promise<number> {
  const { folder, log } = command
  if (config.database) throw new StartError('"move-to" works without DATABASE_URL. Nothing was changed.')
  const source = existingLayout(config.dataPath)
  if (isWithin(folder, source.root) || isWithin(source.root, folder))
    throw new StartError('The new data folder and the present one must not contain each other')
  const objects = config.objectStore && objectStoreOf(config.objectStore, command)
  if (!objects)
    throw new StartError(
      'Set S3_…: these variables name the object store to move to, or from. Nothing was changed.',
    )
  const isInStore = (await placeOf(source)) !== undefined
  // Recovers what an earlier process left unfinished, and checks the place of the bytes.
  const { close } = await openStore({
    ...command,
    config,
    objects: isInStore ? objects : undefined,
    onUnknownOutcome: () => {},
  })
  await close()
  const lock = lockLayout(source)
  try {
    const move = isInStore ? { from: objects.reader() } : { to: objects }
    await moveInstance({ ...command, source, dataPath: folder, move })
    const target = { ...config, dataPath: folder, objectStore: isInStore ? undefined : config.objectStore }
    const exitCode = await runVerify(target, { ...command, deep: false })
    if (exitCode === 0) markMoved(source, folder)
    log.info(
      exitCode === 0
        ? `Moved to "${folder}". Start it ${isInStore ? 'without' : 'with'} the variables S3_…`
        : `Moved to "${folder}", but for the files above`,
    )
    return exitCode
  } catch (error) {
    throw asStartError(error)
  } finally {
    lock.release()
  }
}

async function placeOf({ database }: VolumePaths): Promise<string | undefined> {
  const catalog = readCatalog(database)
  return objectStoreNameOf(catalog).finally(catalog.close)
}

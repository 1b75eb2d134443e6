import { explainDamage } from '../catalog/damage.ts'
import { type Catalog, openCatalog } from '../catalog/open.ts'
import { done } from '../catalog/query.ts'
import type { VersionRow } from '../catalog/versions.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import type { Random } from '../platform/random.ts'
import {
  checkDatabase,
  checkMarker,
  clearStaging,
  isReadOnly,
  lockLayout,
  prepareLayout,
} from '../volume/layout.ts'
import { adviceToClose } from '../volume/privacy.ts'
import { createReserve } from '../volume/reserve.ts'
import { Volume } from '../volume/volume.ts'
import { prepareInstance } from './instance.ts'
import type { FileRef, FileState, OpenedFile } from './opened.ts'
import { createScrub } from './scrub.ts'
import { Settings } from './settings.ts'
import type { Staging } from './staged.ts'
import { createStorage } from './storage.ts'
import { clearVersions } from './versions.ts'

export type Store = ReturnType<typeof createStore>

interface Opened {
  catalog: Catalog
  volume: Volume
  settings: Settings
  /** Path of the data folder. */
  root: string
}

interface StoreOptions {
  config: Pick<Config, 'dataPath' | 'scrubDays' | 'startingSettings'>
  clock: Clock
  random: Random
  log: Log
  /** Called when a commit's outcome is unknown: the process must end. */
  onUnknownOutcome: (error: unknown) => void
}

/**
 * Creates the only door to rows and bytes: every row of the catalog, every file of the volume, and each
 * change of both.
 */
function createStore({ catalog, volume, settings, root, ...parts }: Opened & StoreOptions) {
  const { close: _, fail: __, ...rows } = catalog
  return {
    ...rows,
    settings,
    root,
    /** Opens the bytes of a file; `undefined` when they are missing. Resolved and called in one turn, it is that file. */
    openFile: ({ key }: FileRef): OpenedFile | undefined | Promise<OpenedFile | undefined> =>
      volume.openFile(key),
    /** Opens the bytes of a file if that needs no wait; else `undefined`, as when they are missing. */
    openNow: ({ key }: FileRef): OpenedFile | undefined => volume.openFile(key),
    /** Returns length and time of a file's bytes; `undefined` when they are known to be missing. */
    stateOf: ({ key }: FileRef): FileState | undefined => {
      const opened = volume.openFile(key)
      opened?.close()
      return opened
    },
    openFolder: volume.openFolder.bind(volume),
    createSpool: volume.createSpool.bind(volume),
    stage: (id: string): Promise<Staging> => volume.stage(id),
    createPartial: volume.createPartial.bind(volume),
    openPartial: volume.openPartial.bind(volume),
    space: volume.space,
    isShort: volume.isShort,
    assertRoom: volume.assertRoom.bind(volume),
    createClaim: volume.createClaim,
    assertPresent: volume.assertPresent.bind(volume),
    /** Returns the id in the volume's marker; `undefined` when it has none or is missing. */
    volumeId: () => volume.id(),
    /** Opens the bytes of a version; `undefined` when they are missing. */
    openVersion: ({
      id,
    }: Pick<VersionRow, 'id' | 'blobId' | 'size'>):
      | OpenedFile
      | undefined
      | Promise<OpenedFile | undefined> => volume.versions.open(id),
    ...createStorage({ ...parts, catalog, volume, versionDays: () => settings.current().versionDays }),
    scrub: createScrub({ ...parts, catalog, volume, days: parts.config.scrubDays }),
  }
}

/**
 * Locks the data folder, opens its catalog and volume, and recovers what an earlier process left unfinished.
 *
 * @returns The store, and `close`, which releases the folder for the next process.
 * @throws {StartError} when the data folder is in use, foreign or damaged.
 */
export async function openStore(options: StoreOptions) {
  const { config, clock, random, log, onUnknownOutcome } = options
  const paths = prepareLayout(config.dataPath)
  const advice = adviceToClose(paths)
  if (advice !== undefined) log.info(advice)
  const lock = lockLayout(paths)
  const reserve = createReserve(paths, {
    randomBytes: random.bytes,
    onError: (error) => log.error('Space for deletes on a full volume could not be reserved', error),
  })
  try {
    checkDatabase(paths)
    // The start itself may need the reserved space.
    reserve.giveUp()
    const catalog = openCatalog({
      path: paths.database,
      onUnknownOutcome,
      reserve,
      isReadOnly: () => isReadOnly(paths),
      monotonic: clock.monotonic,
    })
    await prepareInstance({ ...options, catalog })
    const volumeId = (await catalog.instance.get('volumeId')) ?? ''
    checkMarker(paths, volumeId, !(await catalog.files.any()))
    const volume = new Volume(paths, {
      id: volumeId,
      onSyncFailure: (error) => catalog.fail(error),
    })
    const settings = await Settings.open(catalog, config.startingSettings)
    const store = createStore({ ...options, catalog, volume, settings, root: paths.root })
    const recovered = await store.unfinished.recover()
    if (recovered > 0) log.info(`Recovered ${recovered} unfinished operation(s)`)
    const kept = new Set([...(await catalog.resumables.unfinishedIds()), ...store.unfinished.asideNames()])
    clearStaging(paths, kept, (error) => log.error('Leftovers in staging could not be removed', error))
    const strays = await clearVersions({ catalog, volume }, store.unfinished.versionNames())
    if (strays > 0)
      log.info(
        `The folder "versions" has ${strays} file(s) of an earlier database: remove them if not needed`,
      )
    reserve.take()

    const close = async () => {
      await store.scrub.stop()
      reserve.giveUp()
      // The last commit includes earlier work that has nothing awaiting it.
      await Promise.all([store.unfinished.forget(), catalog.transact(() => done(undefined))])
      catalog.close()
      volume.close()
      lock.release()
    }
    return { store, close, release: lock.release }
  } catch (error) {
    lock.release()
    throw explainDamage(error)
  }
}

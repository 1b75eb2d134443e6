import { join } from 'node:path'
import type { Blobs } from '../blobs/blobs.ts'
import { EVERYTHING, type Reach, type Right } from '../catalog/engine/reach.ts'
import { explainDamage } from '../catalog/sqlite/damage.ts'
import type { FileRow } from '../catalog/tree/files.ts'
import { entriesOf, rowsWithin } from '../catalog/tree/within.ts'
import type { Config } from '../platform/config.ts'
import type { Job } from '../platform/jobs.ts'
import { describeNames } from '../platform/names.ts'
import type { Platform, Services } from '../platform/platform.ts'
import { assertCapable, type DiskCalls } from '../volume/capable.ts'
import { adviceToClose, checkMarker, lockLayout, namesOfOthers, prepareLayout } from '../volume/layout.ts'
import { Volume } from '../volume/volume.ts'
import { type OpenedCatalog, openEmbedded, openShared } from './database.ts'
import type { CallerOperations, Engine, EngineParts, OpenedEngine } from './engine.ts'
import { openFolderEngine } from './folder/engine.ts'
import { assertInPlace, assertSamePlace, prepareInstance, recordPlace } from './instance.ts'
import { Settings } from './settings.ts'
import { SiteIndex } from './sites.ts'
import {
  assertRight,
  assertVisibility,
  type Destination,
  findTarget,
  hasRight,
  type TreeDeps,
} from './tree.ts'

export { EVERYTHING, Reach, RIGHTS, type Right } from '../catalog/engine/reach.ts'

/** Store as a caller sees it: what is outside its reach does not exist. */
export type Store = ReturnType<typeof wholeStore> & {
  /** Registers a listener for the files whose bytes this server stores. */
  onStored: (listener: StoredListener) => void
  /** Returns the store as a caller sees it. */
  within: (reach: Reach) => Store
}

type StoredListener = (files: readonly FileRow[]) => void

/** Parts of a store that show or change the tree. */
type OfTree =
  | 'files'
  | 'folders'
  | 'lists'
  | 'search'
  | 'trash'
  | 'versions'
  | 'readers'
  | 'filesVersion'
  | 'totals'
  | 'bulk'
  | 'names'
  | 'setVisibilityBelow'
  | 'assertDestination'
  | keyof CallerOperations

/** Store without the tree, which `within` gives to each caller. */
export type Door = Omit<Store, OfTree>

/** Platform and store: everything below authentication. */
export interface Core extends Platform {
  store: Door
}

/** Platform and store, with the tree as far as a caller reaches. */
export interface TreeCore extends Core {
  store: Store
}

interface Opened extends TreeDeps {
  onChanges: OpenedCatalog['onChanges']
  volume: Volume
  engine: Engine
  operationsWithin: OpenedEngine['within']
  settings: Settings
  siteIndex: SiteIndex
  /** Path of the data folder. */
  root: string
}

/** Object store that has the bytes of all files. */
export interface ObjectStore {
  /** Bucket and prefix: those of an instance never change. */
  name: string
  /**
   * @param options Folders on the local disk for bytes on their way and for copies of blobs; the id of the volume, true
   *   when it has no file yet, and a UUID of this start.
   */
  open: (options: {
    tmp: string
    cache: string
    volumeId: string
    isNew: boolean
    owner: string | undefined
  }) => Promise<Blobs>
}

interface StoreOptions extends Services {
  /** Missing when the bytes are files in the data folder. */
  objects?: ObjectStore | undefined
  config: Pick<Config, 'cdn' | 'dataPath' | 'database' | 'scrubDays' | 'startingSettings'>
  /** Called when a commit's outcome is unknown: the process must end. */
  onUnknownOutcome: (error: unknown) => void
  damageEvent?: EngineParts['damageEvent']
  /** Calls of the disk of the data folder, in place of the system's. */
  disk?: DiskCalls | undefined
}

/**
 * Creates the only door to rows and bytes: every row of the catalog, every file of the volume, and each
 * change of both.
 */
function createStore(opened: Opened): Store {
  const { catalog } = opened
  const listeners: StoredListener[] = []
  const stored: StoredListener = (files) => {
    for (const listener of listeners) listener(files)
  }
  const operationsWithin = (reach: Reach) => reporting(opened.operationsWithin(reach), stored)
  const within = (reach: Reach): Store => (reach.isEverything ? store : { ...store, ...limitsOf(reach) })
  const store: Store = {
    ...wholeStore(opened),
    ...operationsWithin(EVERYTHING),
    onStored: (listener) => listeners.push(listener),
    within,
  }
  const limitsOf = (reach: Reach) => ({
    ...rowsWithin(catalog, catalog, reach),
    ...treeOf({ ...opened, reach }),
    ...operationsWithin(reach),
    readers: {
      get size() {
        return catalog.readers.size
      },
      snapshot: async (leaving: AbortSignal) => (await catalog.readers.snapshot(leaving)).within(reach),
    },
  })
  return store
}

/** Returns operations that report the files whose bytes they have stored. */
const reporting = (operations: CallerOperations, stored: StoredListener): CallerOperations => ({
  ...operations,
  publishUpload: async (upload) => {
    const published = await operations.publishUpload(upload)
    stored(published.files)
    return published
  },
  changes: (authorize) => {
    const changes = operations.changes(authorize)
    const replaceFile: typeof changes.replaceFile = async (id, replacement) => {
      const replaced = await changes.replaceFile(id, replacement)
      stored([replaced.row])
      return replaced
    }
    return { ...changes, replaceFile }
  },
})

function wholeStore({ catalog, onChanges, volume, engine, settings, siteIndex, root, ...others }: Opened) {
  const deps = { catalog, ...others }
  const { close: _, fail: __, ...rows } = catalog
  return {
    ...rows,
    ...treeOf(deps),
    onChanges,
    settings,
    siteIndex,
    root,
    createSpool: volume.createSpool.bind(volume),
    space: volume.space,
    assertPresent: volume.assertPresent.bind(volume),
    /** Returns the id in the volume's marker; `undefined` when it has none or is missing. */
    volumeId: () => volume.id(),
    ...engine,
  }
}

/** Returns the questions about places and rights in the tree. */
const treeOf = (deps: TreeDeps) => ({
  /** Part of the tree that the caller reaches. */
  reach: deps.reach,
  /** Returns a number that is another one once files that the caller reaches may have changed. */
  filesVersion: () => deps.catalog.filesVersion(deps.reach),
  /** Returns the topmost folders in which the caller has a right, by key. */
  entries: (right: Right = 'read') =>
    deps.catalog.body(() => entriesOf(deps.catalog.folders, deps.reach, right)),
  /** Returns true if the caller has a right in a folder. */
  hasRight: (folderId: string, right: Right) => deps.catalog.body(() => hasRight(deps, folderId, right)),
  /** @throws {Refusal} `right-missing` when the caller lacks a right in a folder. */
  assertRight: (folderId: string, right: Right, which?: string) =>
    deps.catalog.body(() => assertRight(deps, folderId, right, which)),
  /** @throws {Refusal} `right-missing` when the caller may not set the visibility of files in a folder. */
  assertVisibility: (folderId: string, visibility: FileRow['visibility']) =>
    deps.catalog.body(() => assertVisibility(deps, folderId, visibility)),
  /** @throws {Refusal} `not-found` for an unknown id, `right-missing`, `conflict` when a file is in the place of a folder. */
  assertDestination: async (destination: Destination, visibility?: FileRow['visibility']): Promise<void> => {
    await deps.catalog.read(() => findTarget(deps, destination, visibility))
  },
})

/**
 * Locks the data folder, opens its catalog and volume, and recovers what an earlier process left unfinished.
 *
 * @returns The store, and `close`, which releases the folder for the next process.
 * @throws {StartError} when the data folder is in use, foreign or damaged, or on a disk that cannot do the job.
 */
export async function openStore(options: StoreOptions) {
  const { config, clock, random, log, objects } = options
  const others = namesOfOthers(config.dataPath)
  const paths = prepareLayout(config.dataPath)
  if (others.length > 0) {
    const { target, detail } = describeNames(others)
    log.info(
      `The new data folder "${paths.root}" has other files (${detail ?? target}). They stay as they are, beside the folders of Holdfast.`,
    )
  }
  const advice = adviceToClose(paths)
  if (advice !== undefined) log.info(advice)
  const lock = lockLayout(paths)
  let abandon = async () => {}
  const release = async () => {
    await abandon()
    lock.release()
  }
  try {
    if (!objects) assertCapable(paths, options.disk)
    const node = random.id()
    const owes = config.cdn?.owes ?? 'nothing'
    const { catalog, onChanges, reserve, ...database } = config.database
      ? await openShared(config.database, { ...options, paths, node, owes })
      : openEmbedded({ ...options, paths, owes })
    abandon = database.abandon
    await assertInPlace(catalog)
    const { volumeId, rootId } = await prepareInstance({ ...options, catalog })
    await assertSamePlace(catalog, objects?.name)
    const isNew = !(await catalog.files.any())
    // The folder of a server that shares its database has no files that could be lost.
    checkMarker(paths, volumeId, isNew || catalog.isShared)
    const volume = new Volume(paths, { id: volumeId, onSyncFailure: (error) => catalog.fail(error) })
    const settings = await Settings.open(catalog, config.startingSettings)
    onChanges((changes) => settings.follow(changes))
    const siteIndex = await SiteIndex.open(catalog)
    onChanges((changes) => siteIndex.follow(changes))
    const opened = await openEngine(
      {
        ...{ catalog, volume, paths, clock, random, log, node, rootId },
        versionDays: () => settings.current().versionDays,
        scrubDays: config.scrubDays,
        damageEvent: options.damageEvent,
      },
      { objects, volumeId, isNew },
    )
    await recordPlace(catalog, objects?.name)
    const store = createStore({
      ...{ catalog, clock, random, rootId, onChanges, volume, settings, siteIndex, reach: EVERYTHING },
      engine: opened.engine,
      operationsWithin: opened.within,
      root: paths.root,
    })
    reserve.take()

    const close = async () => {
      await store.scrub.stop()
      reserve.giveUp()
      await Promise.all([opened.close(), catalog.ended()])
      await database.leave()
      catalog.close()
      volume.close()
      lock.release()
    }
    return { store, close, release }
  } catch (error) {
    await release()
    throw explainDamage(error)
  }
}

/** Opens the engine for the place of the bytes. */
async function openEngine(
  parts: EngineParts,
  { objects, volumeId, isNew }: { objects: ObjectStore | undefined; volumeId: string; isNew: boolean },
): Promise<OpenedEngine> {
  if (!objects) return openFolderEngine(parts)
  const { catalog, paths, node } = parts
  const blobs = await objects.open({
    ...{ tmp: paths.tmp, cache: join(paths.root, 'cache') },
    ...{ volumeId, isNew, owner: catalog.isShared ? undefined : node },
  })
  const { openObjectEngine } = await import('./objects/engine.ts')
  return openObjectEngine(parts, blobs)
}

/** Returns the jobs that keep rows and bytes in agreement. */
export const storeJobs = (store: Store): readonly Job[] => [
  ...store.jobs,
  {
    // What a server was receiving that has ended is removed soon.
    pattern: store.isShared ? '*/20 * * * * *' : '* * * * *',
    task: 'Finishing operations',
    run: store.finishLeftovers,
  },
  {
    // Clients are refused what this server holds in vain.
    pattern: '*/5 * * * * *',
    task: 'Giving up interrupted operations',
    run: store.giveUpInterrupted,
    isEverywhere: true,
  },
  { pattern: '* * * * *', task: 'Removing old versions', run: store.pruneVersions },
  { pattern: '* * * * *', task: 'Checking stored files', run: () => store.scrub.advance() },
  { pattern: '43 4 * * *', task: 'Checking damaged files again', run: () => store.scrub.lookAgain() },
]

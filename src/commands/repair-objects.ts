import { join } from 'node:path'
import type { Blobs } from '../blobs/blobs.ts'
import { objectStoreOf } from '../blobs/open.ts'
import type { ReadableCatalog } from '../catalog/catalog.ts'
import { withoutServers } from '../catalog/postgres/migrate.ts'
import { connectPostgres } from '../catalog/postgres/open.ts'
import { readCatalog } from '../catalog/sqlite/open.ts'
import { count } from '../platform/amounts.ts'
import type { Config } from '../platform/config.ts'
import { StartError } from '../platform/errors.ts'
import { type LostBytes, mendBlob } from '../store/backup/mend.ts'
import { backupsOf, type EarlierCatalogs, makeDatabase, openEarlier } from '../store/backup/sources.ts'
import { assertInPlace, assertSamePlace, recordPlace } from '../store/instance.ts'
import type { ObjectChange, Rows } from '../store/objects/apply-repair.ts'
import { applyObjectRepair, type RepairedCatalog } from '../store/objects/apply-repair.ts'
import { planObjectRepair } from '../store/objects/repair.ts'
import { markComplete, markIncomplete } from '../volume/claims.ts'
import {
  checkMarker,
  existingLayout,
  hasDatabase,
  lockLayout,
  prepareLayout,
  readMarker,
  type VolumePaths,
} from '../volume/layout.ts'
import { asStartError } from './open-catalog.ts'
import { Outcome, told, type Words } from './outcome.ts'
import {
  announceDrops,
  askForToken,
  assertWhole,
  describeDrop,
  explain,
  isNew,
  isRebuilding,
  lockForRepair,
  newCatalog,
  type RepairCommand,
  volumeIdOf,
} from './repair.ts'

type Objects = ReturnType<typeof objectStoreOf>

interface Repair {
  catalog: Rows
  objects: Objects
  earlier: EarlierCatalogs
  isLost: boolean
  /** Catalog that the changes are made in, and how objects are opened to be sent; missing when they are only listed. */
  target: { catalog: RepairedCatalog; openBlobs: () => Promise<Blobs> } | undefined
}

const wordsFor = ({ sent }: Outcome): Words => ({
  place: 'Object store',
  unchanged: sent === 0 ? 'No object was changed' : `${count(sent, 'object')} sent again`,
})

/**
 * Runs `repair --adopt` for an instance whose bytes are in an object store: makes the rows match the objects. An object that is
 * missing or damaged is sent again from a backup; else its row stays, and is recorded as damaged. A missing database in the data folder is rebuilt from earlier ones.
 *
 * @returns The exit code, 0.
 * @throws {StartError} when a server runs, the database is damaged, or the objects are of another instance.
 */
export async function runObjectRepair(config: Config, command: RepairCommand): Promise<number> {
  const { database, objectStore } = config
  if (!objectStore) throw new StartError('There is no object store to repair.')
  const objects = objectStoreOf(objectStore, command)
  try {
    const outcome = database
      ? await repairShared(config, command, { database, objects })
      : await repairOwn(config, command, objects)
    command.log.info(outcome.summary(command, wordsFor(outcome)))
    return 0
  } catch (error) {
    throw asStartError(error)
  }
}

/** Repairs the rows of a database in PostgreSQL, which no server uses. */
function repairShared(
  { dataPath }: Config,
  command: RepairCommand,
  { database, objects }: { database: NonNullable<Config['database']>; objects: Objects },
): Promise<Outcome> {
  const { clock, from = [], log, yes } = command
  return withoutServers(database.url, async () => {
    const catalog = await connectPostgres({ ...database, monotonic: clock.monotonic })
    const lock = from.length === 0 ? undefined : lockLayout(prepareLayout(dataPath))
    try {
      log.info('References between rows and damaged pages are left to PostgreSQL and its `amcheck`')
      await assertInPlace(catalog)
      await assertSamePlace(catalog, objects.name)
      const volumeId = await volumeIdOf(catalog)
      await objects.assertOurs(volumeId)
      using earlier = await openEarlierOf(from, { dataPath, volumeId })
      const open = () => openBlobs(objects, { dataPath, volumeId, owner: undefined })
      const target = yes ? { catalog, openBlobs: open } : undefined
      return await repair({ catalog, objects, earlier, isLost: false, target }, command)
    } finally {
      lock?.release()
      catalog.close()
    }
  })
}

/** Opens earlier catalogs of an instance. @throws {StartError} when one is of another instance. */
async function openEarlierOf(
  from: readonly string[],
  { dataPath, volumeId }: { dataPath: string; volumeId: string },
): Promise<EarlierCatalogs> {
  if (from.length === 0) return { all: [], [Symbol.dispose]: () => {} }
  const earlier = await openEarlier(from, prepareLayout(dataPath))
  for (const { catalog, folder } of earlier.all) {
    if ([volumeId, ''].includes(await volumeIdOf(catalog))) continue
    earlier[Symbol.dispose]()
    throw new StartError(`The database in "${folder}" is not of this instance. Nothing was changed.`)
  }
  return earlier
}

/** Repairs a database in the data folder, or rebuilds a lost one. */
async function repairOwn(config: Config, command: RepairCommand, objects: Objects): Promise<Outcome> {
  const paths = existingLayout(config.dataPath)
  const lock = lockForRepair(paths)
  try {
    using earlier = await openEarlier(command.from ?? [], paths)
    const isMissing = !hasDatabase(paths)
    if (isMissing && earlier.all.length === 0)
      throw new StartError(
        'The database is missing, and objects have no names. Name the damaged database or a backup with --from, or run ' +
          '"restore" into an empty data folder. Nothing was changed.',
      )
    const isLost = isMissing || (earlier.all.length > 0 && isRebuilding(paths))
    const taken = explain(paths, command, earlier) ? 1 : 0
    const outcome = await (command.yes ? change : announce)(paths, command, {
      objects,
      earlier,
      isLost,
    })
    outcome.add('take accounts', taken)
    return outcome
  } finally {
    lock.release()
  }
}

type OwnRepair = Pick<Repair, 'objects' | 'earlier' | 'isLost'>

async function announce(paths: VolumePaths, command: RepairCommand, own: OwnRepair): Promise<Outcome> {
  const catalog = hasDatabase(paths) ? readCatalog(paths.database) : await newCatalog(':memory:', command)
  try {
    await assertWhole(catalog)
    await assertPlace(paths, catalog, own)
    const outcome = await repair({ ...own, catalog, target: undefined }, command)
    outcome.add('drop rows', await announceDrops(catalog, command.log))
    return outcome
  } finally {
    catalog.close()
  }
}

async function change(paths: VolumePaths, command: RepairCommand, own: OwnRepair): Promise<Outcome> {
  const { objects, earlier, isLost } = own
  if (isLost) markIncomplete(paths.root, 'repair --adopt')
  if (!hasDatabase(paths)) await makeDatabase(earlier, paths)
  const catalog = await newCatalog(paths.database, command)
  try {
    const volumeId = await assertPlace(paths, catalog, own)
    await catalog.transact(() => catalog.instance.set('volumeId', volumeId))
    if (isLost) await askForToken(catalog, command.log)
    await recordPlace(catalog, objects.name)
    const owner = command.random.id()
    const open = () => openBlobs(objects, { dataPath: paths.root, volumeId, owner })
    const outcome = await repair({ ...own, catalog, target: { catalog, openBlobs: open } }, command)
    if (isLost) markComplete(paths.root)
    return outcome
  } finally {
    catalog.close()
  }
}

/** Returns the id that ties the objects to the catalog. @throws {StartError} when they are of another one. */
async function assertPlace(
  paths: VolumePaths,
  catalog: Pick<ReadableCatalog, 'files' | 'instance' | 'trash' | 'users'>,
  { objects }: OwnRepair,
): Promise<string> {
  const isEmpty = await isNew(catalog)
  const volumeId = (isEmpty && readMarker(paths)) || (await volumeIdOf(catalog))
  if (!isEmpty) checkMarker(paths, volumeId, false)
  await assertSamePlace(catalog, objects.name)
  await objects.assertOurs(volumeId)
  return volumeId
}

async function repair(
  { catalog, objects, earlier, isLost, target }: Repair,
  command: RepairCommand,
): Promise<Outcome> {
  const { log, random } = command
  const reader = objects.reader()
  const outcome = new Outcome()
  const backups = earlier.all.flatMap((one) => backupsOf(one) ?? [])
  const changes = planObjectRepair({
    ...{ ...command, catalog, objects: reader, earlier: earlier.all, isLost },
    isInBackup: (content) => backups.some((backup) => backup.has(content)),
  })
  const report = (change: ObjectChange) => {
    outcome.add(change.kind)
    if (change.kind === 'restore bytes') outcome.sent += 1
    if (change.kind === 'record damage') outcome.left += 1
    const isDoubtful = !target && change.kind === 'add file' && change.isDoubtful
    log.info(
      `${told(describe(change), target !== undefined)}${isDoubtful ? ', if its content is the same' : ''}`,
    )
  }
  if (!target) {
    for await (const change of changes) report(change)
    return outcome
  }
  const blobs = backups.length === 0 ? undefined : await target.openBlobs()
  try {
    const mend = async (bytes: LostBytes) =>
      blobs !== undefined && mendBlob({ blobs, backups, random }, bytes)
    await applyObjectRepair({ ...command, catalog: target.catalog, objects: reader, mend }, changes, report)
    return outcome
  } finally {
    blobs?.close()
  }
}

/** @param owner UUID of this run; `undefined` for objects of a shared database. */
const openBlobs = (
  objects: Objects,
  { dataPath, volumeId, owner }: { dataPath: string; volumeId: string; owner: string | undefined },
): Promise<Blobs> => {
  const { root, tmp } = prepareLayout(dataPath)
  return objects.open({ tmp, cache: join(root, 'cache'), volumeId, isNew: false, owner })
}

function describe(change: ObjectChange): string {
  const key = JSON.stringify(change.key)
  switch (change.kind) {
    case 'record damage':
      return `record ${key} as damaged: ${change.problem}`
    case 'clear damage':
      return `record ${key} as intact`
    case 'restore bytes':
      return `restore the bytes of ${key} from a backup: ${change.problem}`
    case 'keep blob':
      return `keep the bytes of ${key}, which no record protects`
    case 'drop version':
    case 'drop blob':
      return `drop the record of ${key}: bytes are missing`
    case 'add folder':
      return `add the folder ${key}`
    case 'add file':
      return change.isOther
        ? `add ${key} as a private file: its content is not what it was`
        : `add ${key} as the ${change.row.visibility} file that it was`
    case 'add version':
      return `add ${key}`
    case 'add to trash':
      return `add ${key} to the trash`
    case 'drop rows':
      return describeDrop(change)
    case 'leave':
      return `leave ${key} alone: ${change.why}`
  }
}

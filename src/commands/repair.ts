import { ASKS_FOR_TOKEN } from '../access/setup-token.ts'
import type { Catalog, ReadableCatalog } from '../catalog/catalog.ts'
import { REBUILD_ADVICE } from '../catalog/sqlite/damage.ts'
import { openCatalog, readCatalog } from '../catalog/sqlite/open.ts'
import { count as countOf } from '../platform/amounts.ts'
import type { Config } from '../platform/config.ts'
import { causeOf, StartError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Services } from '../platform/platform.ts'
import { accountsFrom, type EarlierCatalogs, makeDatabase, openEarlier } from '../store/backup/sources.ts'
import { type DanglingDrop, dropsOf } from '../store/batches.ts'
import { applyAdoption, type Change, planAdoption } from '../store/folder/adopt.ts'
import { planHeld, planTrash } from '../store/folder/adopt-held.ts'
import { createFolderDeps } from '../store/folder/engine.ts'
import { isRelated, type Unfinished } from '../store/folder/unfinished.ts'
import { assertOnDisk, prepareInstance } from '../store/instance.ts'
import { makerOf, markComplete, markIncomplete } from '../volume/claims.ts'
import {
  checkMarker,
  existingLayout,
  hasDatabase,
  lockLayout,
  readMarker,
  type VolumePaths,
} from '../volume/layout.ts'
import { Volume } from '../volume/volume.ts'
import { Outcome, told } from './outcome.ts'

export interface RepairCommand extends Services {
  /** True to apply the changes; false only lists them. */
  yes: boolean
  /** True to read every file; false reads only those changed on disk since they were stored. */
  deep: boolean
  /**
   * Folders of backups, or of a database that was moved away, with earlier identities of files; newest first.
   */
  from?: readonly string[]
}

/**
 * Runs `repair --adopt`: makes the catalog match the volume. Unknown files and folders are added, rows
 * without bytes are removed, and changed files are re-read (size, checksums). Nothing on the volume is
 * changed. A missing database is rebuilt, with the accounts, API keys and settings of an earlier one if there
 * is one.
 *
 * @returns The exit code, 0.
 * @throws {StartError} when a server runs, or the database is damaged or belongs to another volume.
 */
export async function runRepair(config: Config, command: RepairCommand): Promise<number> {
  const paths = existingLayout(config.dataPath)
  const lock = lockForRepair(paths)
  try {
    using earlier = await openEarlier(command.from ?? [], paths)
    const outcome = await (command.yes ? adopt : announce)(paths, command, earlier)
    command.log.info(outcome.summary(command, VOLUME))
    return 0
  } finally {
    lock.release()
  }
}

/** True when a repair has begun to rebuild a lost database, and did not end. */
export const isRebuilding = ({ root }: VolumePaths): boolean => makerOf(root) === 'repair --adopt'

/** Locks a data folder, also one whose database an interrupted repair has begun to rebuild. @throws {StartError} */
export const lockForRepair = (paths: VolumePaths): { release: () => void } =>
  lockLayout(paths, isRebuilding(paths) ? 'repair --adopt' : undefined)

/** Names of the place of the bytes in messages. */
const VOLUME = { place: 'Volume', unchanged: 'Nothing on the volume was changed' }

/** Reports the state of earlier catalogs. Returns true if accounts are taken from one. */
export function explain(paths: VolumePaths, { log, yes }: RepairCommand, earlier: EarlierCatalogs): boolean {
  for (const { folder, isWhole } of earlier.all)
    if (!isWhole) log.info(`The database in "${folder}" is damaged: of its files, what can be read is used`)
  const accounts = hasDatabase(paths) ? undefined : accountsFrom(earlier)
  if (!accounts) return false
  log.info(told(`take accounts, keys, settings and history from "${accounts.folder}"`, yes))
  return true
}

async function announce(
  paths: VolumePaths,
  command: RepairCommand,
  earlier: EarlierCatalogs,
): Promise<Outcome> {
  const { log } = command
  const taken = explain(paths, command, earlier) ? 1 : 0
  const catalog = hasDatabase(paths) ? readCatalog(paths.database) : await newCatalog(':memory:', command)
  const volume = new Volume(paths)
  try {
    await assertWhole(catalog)
    await assertOnDisk(catalog)
    if (!(await isNew(catalog))) checkMarker(paths, await volumeIdOf(catalog), false)
    const unfinished = (await catalog.intents.all()).length
    if (unfinished > 0)
      log.info(`Would first finish ${countOf(unfinished, 'operation')}, as a start of the server does`)
    const outcome = new Outcome()
    outcome.add('take accounts', taken)
    outcome.add('finish operation', unfinished)
    const sources = sourcesOf(earlier)
    for await (const change of plan({ ...command, deep: howDeep(command), catalog, volume, sources })) {
      log.info(`${told(describe(change), false)}${isDoubtful(change) ? ', if its content is the same' : ''}`)
      outcome.add(change.kind)
    }
    outcome.add('drop rows', await announceDrops(catalog, log))
    return outcome
  } finally {
    volume.close()
    catalog.close()
  }
}

/** Prints the rows that refer to missing rows, and returns the number of lines. */
export async function announceDrops(
  { check }: Pick<ReadableCatalog, 'check'>,
  { info }: Log,
): Promise<number> {
  const drops = dropsOf(await check.dangling())
  for (const drop of drops) info(told(describeDrop(drop), false))
  return drops.length
}

export const describeDrop = ({ key, parent, count }: DanglingDrop): string =>
  `drop ${countOf(count, 'row')} of "${key}": they refer to no row of "${parent}"`

type PlanOptions = Parameters<typeof planAdoption>[0] &
  Parameters<typeof planHeld>[0] &
  Parameters<typeof planTrash>[0]

/** Yields the changes of the tree, then those of the versions and the trash. */
async function* plan(options: PlanOptions) {
  yield* planAdoption(options)
  yield* planHeld(options)
  yield* planTrash(options)
}

async function adopt(paths: VolumePaths, command: RepairCommand, earlier: EarlierCatalogs): Promise<Outcome> {
  const { log } = command
  const taken = explain(paths, command, earlier) ? 1 : 0
  const isLost = !hasDatabase(paths) || isRebuilding(paths)
  if (isLost) markIncomplete(paths.root, 'repair --adopt')
  if (!hasDatabase(paths) && earlier.all.length > 0) await makeDatabase(earlier, paths)
  const opened = await openStopped(paths, command)
  if (isLost) await askForToken(opened.catalog, log)
  const outcome = new Outcome()
  outcome.add('take accounts', taken)
  outcome.add('finish operation', opened.recovered)
  outcome.add('leave', opened.unfinished.summary()?.count ?? 0)
  try {
    await assertOnDisk(opened.catalog)
    const sources = sourcesOf(earlier)
    const planned = plan({ ...command, ...opened, deep: howDeep(command), sources })
    const changes = leaveBusy(planned, await opened.unfinished.places())
    await applyAdoption({ ...command, ...opened }, changes, (change) => {
      log.info(told(describe(change), true))
      outcome.add(change.kind)
    })
    markComplete(paths.root)
    return outcome
  } finally {
    opened.catalog.close()
  }
}

/**
 * Opens an instance without a server and finishes interrupted operations. A missing database is rebuilt.
 *
 * @throws {StartError} when the database is damaged or belongs to another volume.
 */
export async function openStopped(
  paths: VolumePaths,
  command: Services,
): Promise<{ catalog: Catalog; volume: Volume; recovered: number; unfinished: Unfinished }> {
  const { log } = command
  const catalog = await newCatalog(paths.database, command)
  try {
    const isEmpty = await isNew(catalog)
    const found = isEmpty ? readMarker(paths) : undefined
    if (found !== undefined) await catalog.transact(() => catalog.instance.set('volumeId', found))
    const id = await volumeIdOf(catalog)
    checkMarker(paths, id, isEmpty)
    if (isEmpty) log.info('There is no account yet: the first to register will be the admin')
    const volume = new Volume(paths, { id })
    const { unfinished, finishLeftovers } = createFolderDeps({
      ...command,
      log: { ...log, error: (message, error) => log.info(inOneLine(message, error)) },
      catalog,
      volume,
      rootId: await catalog.folders.root(),
      versionDays: () => 0,
    })
    const begun = (await catalog.intents.all()).length
    await unfinished.recover()
    await finishLeftovers()
    const recovered = begun - (await catalog.intents.all()).length
    if (recovered > 0) log.info(`Recovered ${countOf(recovered, 'unfinished operation')}`)
    return { catalog, volume, recovered, unfinished }
  } catch (error) {
    catalog.close()
    throw error
  }
}

/** Adds the cause to a message that does not have it, without a stack. */
function inOneLine(message: string, error: unknown): string {
  const cause = causeOf(error)
  return message.includes(cause) ? message : `${message}: ${cause}`
}

/** Leaves alone what an unfinished operation may still change: a deleted file on disk would be adopted as an unknown one. */
async function* leaveBusy(changes: AsyncIterable<Change>, places: readonly string[]): AsyncGenerator<Change> {
  const busy = [...places]
  for await (const change of changes) {
    const { key, kind } = change
    if (!busy.some((place) => isRelated(key, place))) yield change
    else {
      yield { kind: 'leave', key, why: 'an unfinished operation may still change it' }
      // Its entries have no folder to be added to.
      if (kind === 'add folder') busy.push(key)
    }
  }
}

/**
 * Requires a token for registration, because the first stranger must not read the files of a lost database.
 */
export async function askForToken({ users, instance, transact }: Catalog, { info }: Log): Promise<void> {
  if ((await users.count()) > 0) return
  await transact(() => instance.set(ASKS_FOR_TOKEN, 'true'))
  info('Creating an account requires SETUP_TOKEN, or the token printed at startup')
}

const sourcesOf = ({ all }: EarlierCatalogs) => all.map(({ catalog }) => catalog)

const howDeep = ({ deep }: RepairCommand) => deep || 'changed'

export async function newCatalog(path: string, command: Pick<RepairCommand, 'clock' | 'random'>) {
  // A failed commit ends the command by itself.
  const catalog = openCatalog({ path, onUnknownOutcome: () => {} })
  await assertWhole(catalog)
  await prepareInstance({ ...command, catalog })
  return catalog
}

/** True when the catalog has nothing to lose. */
export const isNew = async ({ files, users }: Pick<ReadableCatalog, 'files' | 'users'>) =>
  !(await files.any()) && (await users.count()) === 0

export const volumeIdOf = async ({ instance }: Pick<ReadableCatalog, 'instance'>) =>
  (await instance.get('volumeId')) ?? ''

export async function assertWhole({ check }: ReadableCatalog): Promise<void> {
  const [damage] = await check.damage()
  if (damage === undefined) return
  throw new StartError(`The database is damaged: ${damage}. Nothing was changed. ${REBUILD_ADVICE}`)
}

/** True when only the bytes can tell. */
const isDoubtful = (change: Change) => change.kind === 'add file' && change.known !== undefined

function describe(change: Change): string {
  const key = JSON.stringify(change.key)
  switch (change.kind) {
    case 'add folder':
      return `add the folder ${key}`
    case 'add file':
      return describeAdded(key, change)
    case 'update file':
      return `take ${key} as it is on disk: ${change.why}`
    case 'drop file':
    case 'drop version':
    case 'drop trashed file':
      return `drop the record of ${key}: bytes are missing`
    case 'drop folder':
    case 'drop trashed folder':
      return `drop the record of the folder ${key}: folder is missing`
    case 'add to trash':
      return describeTrashed(key, change)
    case 'drop rows':
      return describeDrop(change)
    case 'leave':
      return `leave ${key} alone: ${change.why}`
  }
}

function describeAdded(key: string, { known, isOther }: Extract<Change, { kind: 'add file' }>): string {
  if (known) return `add ${key} as the ${known.visibility} file that it was`
  return `add ${key} as a private file${isOther ? ': its content is not what it was' : ''}`
}

function describeTrashed(
  key: string,
  { what, files, unread = [] }: Extract<Change, { kind: 'add to trash' }>,
): string {
  if (what === 'file') return `add ${key} to the trash`
  const without = unread.map((path) => JSON.stringify(path)).join(', ')
  const left = without === '' ? '' : `, without what cannot be read: ${without}`
  return `add ${key} to the trash, with ${countOf(files.length - unread.length, 'file')}${left}`
}

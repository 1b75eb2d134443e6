import {
  type FileChecksum,
  type HoldfastClient,
  HoldfastError,
  type ResumableOptions,
  type TransferOptions,
  type Visibility,
} from '../client/index.ts'
import { count, readableBytes } from '../platform/amounts.ts'
import { connect } from './account.ts'
import { Failure } from './failure.ts'
import { defaultFolder } from './find.ts'
import { createMemory } from './memory.ts'
import { deleteEmptyFolder, deleteEmptyFolders, type Obstacles, obstaclesOf } from './obstacles.ts'
import { type Bar, showProgress } from './progress.ts'
import { visibilityOf } from './put.ts'
import { nameOf, parentOf, pathIn, type Remote, tidy } from './remote.ts'
import { type DeleteOptions, discard, isPermanent } from './trash.ts'
import {
  batches,
  filesBelow,
  isLarge,
  LeftOut,
  type MeasuredFile,
  measure,
  sendFiles,
  sizeOf,
} from './tree.ts'

export interface SyncOptions extends DeleteOptions {
  /** True to delete files that exist only on the server. */
  delete: boolean
  /** Permission to delete when the folder is the root. */
  yesDeleteEverything: boolean
  dryRun: boolean
  private?: boolean
  public?: boolean
}

/** Files that are replaced at the same time, because each takes a request. */
const REPLACED_AT_ONCE = 4

interface Change {
  local: MeasuredFile
  remote: FileChecksum
}

/** Changes that make the server's folder equal to the local one. */
interface Plan {
  added: MeasuredFile[]
  changed: Change[]
  removed: FileChecksum[]
  /** The part of `removed` that occupies the paths of added files. */
  obstacles: Obstacles
  same: number
}

/**
 * Uploads new and changed files of a local folder, by checksum: `sync <dir> <folder>`. A later run continues an
 * interrupted one, also within a large file.
 */
export async function sync(remote: Remote, dir: string, to: string, options: SyncOptions): Promise<number> {
  const { terminal } = remote
  assertMayDelete(tidy(to), options)
  const client = connect(remote.environment)
  const folder = tidy(to) || (await defaultFolder(client))
  const left = new LeftOut(terminal, { mayMiss: true })
  const plan = await makePlan(client, { dir, folder, left })
  if (!options.delete) keepAll(plan)
  for (const { path } of plan.added) await terminal.print(`add ${path}`)
  for (const { local } of plan.changed) await terminal.print(`change ${local.path}`)
  for (const { key } of plan.removed) await terminal.print(`delete ${pathIn(folder, key)}`)
  if (!options.dryRun) await carryOut(remote, client, { plan, folder, options })
  const done = [
    `${plan.added.length} added`,
    `${plan.changed.length} changed`,
    `${plan.removed.length} ${(await isPermanent(client, options)) ? 'deleted permanently' : 'moved to the trash'}`,
  ]
  terminal.warn(
    `${options.dryRun ? 'Would be: ' : ''}${done.join(', ')}, ${plan.same} the same${left.summary()}`,
  )
  return left.refused === 0 ? 0 : 1
}

/** Refuses to empty the root. An unset variable is the empty key: `sync ./photos "$FOLDER" --delete`. */
function assertMayDelete(folder: string, options: SyncOptions): void {
  if (folder !== '' || !options.delete || options.dryRun || options.yesDeleteEverything) return
  throw new Failure(
    'The folder is the root: --delete would delete every file on the server that is not here. Name a folder, or add --yes-delete-everything.',
  )
}

/** Removes all deletions from the plan. @throws {Failure} when a remaining file occupies the path of an added one. */
function keepAll(plan: Plan): void {
  const [file] = plan.obstacles.files
  if (file) throw new Failure(`"${file.key}" is in the way of a new file or folder; --delete removes it`)
  plan.removed = []
}

async function makePlan(
  client: HoldfastClient,
  { dir, folder, left }: { dir: string; folder: string; left: LeftOut },
): Promise<Plan> {
  const there = new Map(
    (await checksumsOf(client, folder)).map((file) => [pathIn(folder, file.key), file] as const),
  )
  const plan: Plan = { added: [], changed: [], removed: [], obstacles: { files: [], folders: [] }, same: 0 }
  for (const found of filesBelow(dir, left)) {
    const local = await measure(found).catch((error: unknown) => left.unread(found, error))
    if (!local) continue
    const remote = there.get(local.path)
    there.delete(local.path)
    if (!remote) plan.added.push(local)
    else if (remote.sha256 === local.sha256) plan.same += 1
    else plan.changed.push({ local, remote })
  }
  // An unreadable file here may be the one that is there.
  for (const path of there.keys()) if (left.mayHave(path)) there.delete(path)
  plan.removed = [...there.values()]
  plan.obstacles = obstaclesOf(
    plan.added.map(({ path }) => path),
    there,
  )
  return plan
}

/** Returns the checksums of a folder's files; none if it does not exist. */
async function checksumsOf(client: HoldfastClient, folder: string): Promise<FileChecksum[]> {
  try {
    return await client.folders.checksums({ key: folder })
  } catch (error) {
    if (error instanceof HoldfastError && error.status === 404) return []
    throw error
  }
}

interface Work {
  plan: Plan
  folder: string
  options: SyncOptions
}

async function carryOut(
  remote: Remote,
  client: HoldfastClient,
  { plan, folder, options }: Work,
): Promise<void> {
  const { added, changed, removed } = plan
  await removeObstacles(client, plan.obstacles, { folder, options })
  const sent = [...added, ...changed.map(({ local }) => local)]
  const total = sizeOf(sent)
  const bar = sharedBy(showProgress(remote.terminal, `Sending ${count(sent.length, 'file')}`, total))
  const transfer = (files: readonly MeasuredFile[], to: { folder: string; visibility?: Visibility }) =>
    bar.while(files, (onProgress) => send(remote, client, files, { ...to, onProgress }))
  try {
    for (const files of batches(added))
      await makingRoom(client, { files, folder, options }, () =>
        transfer(files, { folder, ...visibilityOf(options) }),
      )
    const { true: large = [], false: small = [] } = Object.groupBy(
      changed,
      ({ local }) => `${isLarge(local)}`,
    )
    await forEach(small, ({ local, remote: { id } }) =>
      bar.while([local], (onProgress) =>
        client.files.replace(id, Bun.file(local.place), { sha256: local.sha256, onProgress }),
      ),
    )
    for (const {
      local,
      remote: { id },
    } of large)
      await bar.while([local], (onProgress) => sendLarge(remote, client, local, { replaces: id, onProgress }))
  } finally {
    bar.end()
  }
  const gone = new Set(plan.obstacles.files)
  await discard(client, { files: removed.filter((file) => !gone.has(file)) }, options)
  if (total > 0) remote.terminal.warn(`Sent ${readableBytes(total)}`)
}

const keyOf = (folder: string, path: string) => (folder === '' ? path : `${folder}/${path}`)

async function removeObstacles(
  client: HoldfastClient,
  obstacles: Obstacles,
  { folder, options }: Pick<Work, 'folder' | 'options'>,
): Promise<void> {
  await discard(client, { files: obstacles.files }, options)
  for (const path of obstacles.folders) await deleteEmptyFolder(client, keyOf(folder, path))
}

/** Sends new files. Retries after it deleted empty folders of the server at their paths. */
async function makingRoom(
  client: HoldfastClient,
  { files, folder, options }: { files: readonly MeasuredFile[]; folder: string; options: SyncOptions },
  transfer: () => Promise<void>,
): Promise<void> {
  try {
    await transfer()
  } catch (error) {
    if (!options.delete || !(error instanceof HoldfastError) || error.status !== 409) throw error
    const keys = files.map(({ path }) => keyOf(folder, path))
    if ((await deleteEmptyFolders(client, keys)) === 0) throw error
    await transfer()
  }
}

/** Sends several files together, all or none, or a large one by itself, so that it can be resumed. */
async function send(
  remote: Remote,
  client: HoldfastClient,
  files: readonly MeasuredFile[],
  options: { folder: string; visibility?: Visibility } & TransferOptions,
): Promise<void> {
  const [file] = files
  if (!file || !isLarge(file)) {
    await sendFiles(client, files, options)
    return
  }
  const folder = [options.folder, parentOf(file.path)].filter(Boolean).join('/')
  await sendLarge(remote, client, file, { ...options, folder })
}

async function sendLarge(
  { environment }: Remote,
  client: HoldfastClient,
  file: MeasuredFile,
  options: ResumableOptions,
): Promise<void> {
  const { id } = await client.files.uploadResumable(
    { name: nameOf(file.path), content: Bun.file(file.place) },
    { ...options, memory: createMemory(environment), fingerprint: file.sha256 },
  )
  const { sha256 } = await client.files.details({ id })
  if (sha256 !== file.sha256)
    throw new Failure(`"${file.place}" changed while it was sent. Run the command again.`)
}

/** Runs `work` for several items at a time. After a failure, no other item begins. */
async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = [...items].reverse()
  const worker = async () => {
    for (let item = rest.pop(); item; item = rest.pop())
      await work(item).catch((error) => {
        rest.length = 0
        throw error
      })
  }
  await Promise.all(Array.from({ length: REPLACED_AT_ONCE }, worker))
}

/** Returns a bar over several transfers. */
function sharedBy(bar: Bar) {
  let sum = 0
  return {
    end: bar.end,
    async while(
      files: readonly MeasuredFile[],
      transfer: (onProgress: (progress: { loaded: number }) => void) => Promise<unknown>,
    ): Promise<void> {
      const bytes = sizeOf(files)
      let own = 0
      const reach = (loaded: number) => {
        sum += loaded - own
        own = loaded
        bar.reach(sum)
      }
      await transfer(({ loaded }) => reach(Math.min(loaded, bytes)))
      reach(bytes)
    },
  }
}

import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flushAccess } from '../../src/access/jobs.ts'
import type { PasswordCost } from '../../src/access/passwords.ts'
import type { Assets } from '../../src/api/assets.ts'
import type { Module } from '../../src/api/module.ts'
import type { HoldfastFile as FileView } from '../../src/client/types.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { type Config, readConfig } from '../../src/platform/config.ts'
import type { LogFields } from '../../src/platform/log.ts'
import { type Server, startServer } from '../../src/server.ts'
import type { ObjectStore } from '../../src/store/store.ts'
import type { DiskCalls } from '../../src/volume/capable.ts'
import { documentedFetch } from './documented.ts'
import { foldersOf, KIND, kindVariables, objectsFor, removeObjects } from './kind.ts'
import { IS_OVER_TLS, tlsVariables } from './over-tls.ts'
import { spawnHoldfast } from './process.ts'
import { type CatalogNow, readCatalogOf } from './read-catalog.ts'
import { openRows } from './rows.ts'

export type { FileView }

/** Clock that only moves when a test advances it. */
export class TestClock implements Clock {
  #now = Date.parse('2026-03-01T12:00:00.000Z')
  #monotonic = 0
  readonly now = () => this.#now
  readonly monotonic = () => this.#monotonic

  /** Called after each advance, with its milliseconds. */
  readonly listeners = new Set<(ms: number) => void>()

  /** Advances the wall clock and the monotonic clock. */
  advance(ms: number): void {
    this.#now += ms
    this.#monotonic += ms
    for (const listener of this.listeners) listener(ms)
  }

  /** Sets the wall clock, as an operator would. The monotonic clock does not change. */
  setWall(epochMs: number): void {
    this.#now = epochMs
  }
}

export interface HoldfastOptions {
  /** Additional environment variables. */
  environment?: Record<string, string>
  /** Existing data folder, as after a restart. By default a new one, removed with the server. */
  dataPath?: string
  /** True for a test that looks into the memory of a server, or expects exact counts: there is one on every kind. */
  isAlone?: boolean
  /** True for a test of what happens by the clock. By default, a server of this process leaves its jobs to the test. */
  runsJobs?: boolean
  /** Clock of a server in this process. A binary has its own. */
  clock?: Clock
}

export interface InsideOptions extends HoldfastOptions {
  /** Object store for the bytes. By default none, unless `HOLDFAST_KIND` is `objects`. */
  objects?: ObjectStore
  /** Files of the dashboard. By default none. */
  dashboard?: Assets
  /** Calls of the disk of the data folder, in place of the system's. */
  disk?: DiskCalls
  /** Cost of password hashes. By default next to nothing. */
  passwordCost?: PasswordCost
}

/** Running server with its own port and data folder. */
export interface Holdfast extends AsyncDisposable {
  /** Address, and its port: those of HTTPS where that is on. */
  url: string
  port: number
  dataPath: string
  /** Returns the server's time, in milliseconds since 1970. */
  now: () => number
  /** Committed state, read through a second connection. */
  readonly catalog: CatalogNow
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** Stops the server but does not remove its data folder. */
  stop: () => Promise<void>
}

/** Server in the test's own process, for tests that need its logs, its internals or a clock they control. */
export interface Inside extends Holdfast {
  config: Config
  server: Server
  /** Entries of the server's log. */
  logged: { message: string; error?: unknown }[]
  /** Lines of its security log. */
  securityLines: { message: string; fields: LogFields | undefined }[]
  fatal: unknown[]
  /** Returns true while a server receives bytes of the resumable upload at `path`. */
  isReceiving: (path: string) => boolean
  /** Saves what all servers have counted. */
  saveCounts: () => Promise<void>
}

/** Tests register thousands of accounts, and none guesses a password by its hash. */
const CHEAP: PasswordCost = { memoryCost: 8, timeCost: 1, parallelism: 1 }

export const BASE_URL = IS_OVER_TLS ? 'https://holdfast.test' : 'http://holdfast.test'

/** Starts a server for tests that only send requests: in this process, or the binary in `HOLDFAST_BIN`. */
export function startHoldfast(options: HoldfastOptions = {}): Promise<Holdfast> {
  return process.env['HOLDFAST_BIN'] ? startBinary(options) : startInside(options)
}

/** Opens the catalog for reading on first use. A server that stops must be the last to close it. */
function lookInto(dataPath: string) {
  let opened: CatalogNow | undefined
  return {
    catalog: () => {
      opened ??= readCatalogOf(dataPath)
      return opened
    },
    close: () => {
      opened?.close()
      opened = undefined
    },
  }
}

async function startBinary(options: HoldfastOptions): Promise<Holdfast> {
  const environment = { BASE_URL, ...options.environment }
  const { url, port, dataPath, fetch, child, ...holdfast } = await spawnHoldfast({ ...options, environment })
  const reader = lookInto(dataPath)
  const stop = async () => {
    reader.close()
    child.kill('SIGTERM')
    await child.exited
  }
  return {
    url,
    port,
    dataPath,
    now: Date.now,
    get catalog() {
      return reader.catalog()
    },
    fetch,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
      reader.close()
      await holdfast[Symbol.asyncDispose]()
    },
  }
}

/** Returns the variables of an instance that has several servers. */
const sharedVariables = (dataPath: string) => (KIND === 'scale' ? kindVariables(dataPath) : {})

/** Returns the data folders of an instance: one server alone counts requests exactly. */
const foldersFor = (dataPath: string, environment: Record<string, string>) =>
  Object.keys(environment).some((name) => name.startsWith('RATE_LIMIT_')) ? [dataPath] : foldersOf(dataPath)

/** Responses with counts that each server saves at intervals. */
const COUNTED = /^\/(api\/(activity|files\/details|stats|keys|me|users|shares|metrics)|metrics)/

/** Saves what a server has counted. */
async function flush({ modules, deps }: Server): Promise<void> {
  const list: Module[] = Object.values(modules)
  await Promise.all([flushAccess(deps), ...list.map((module) => module.flush?.())])
}

/** Starts an instance in this process, also when the other tests use a binary. Its servers get requests in turn. */
export async function startInside(options: InsideOptions = {}): Promise<Inside> {
  const dataPath = options.dataPath ?? mkdtempSync(join(tmpdir(), 'holdfast-'))
  const environment = {
    BASE_URL,
    RATE_LIMIT_API: '0',
    RATE_LIMIT_HOSTING: '0',
    RATE_LIMIT_SITES: '0',
    RATE_LIMIT_S3: '0',
    RATE_LIMIT_UPLOADS: '0',
    ...sharedVariables(dataPath),
    ...tlsVariables(),
    ...options.environment,
  }
  const logged: Inside['logged'] = []
  const securityLines: Inside['securityLines'] = []
  const fatal: unknown[] = []
  const clock = options.clock ?? { now: Date.now, monotonic: () => performance.now() }
  const start = async (folder: string) => {
    const config = readConfig({ HOST: '127.0.0.1', ...environment, PORT: '0', DATA_PATH: folder })
    const server = await startServer({
      config,
      objects: options.objects ?? objectsFor(dataPath, clock),
      disk: options.disk,
      clock,
      random: {
        bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
        id: () => Bun.randomUUIDv7(),
      },
      log: {
        notice: (message, fields) => securityLines.push({ message, fields }),
        info: (message) => logged.push({ message }),
        error: (message, error) => logged.push({ message, error }),
      },
      passwordCost: options.passwordCost ?? CHEAP,
      dashboard: options.dashboard ?? new Map(),
      runsJobs: options.runsJobs ?? false,
      // The clock of a test runs ahead of what passes through its connections.
      silenceMs: options.clock && Infinity,
      onFatal: (error) => fatal.push(error),
    })
    const { port, httpsPort } = server
    const url = httpsPort === undefined ? `http://127.0.0.1:${port}` : `https://127.0.0.1:${httpsPort}`
    return { config, server, url }
  }
  // A job runs on one server, when none has begun it a while ago.
  const makeJobsDue = () => {
    if (KIND === 'scale') openRows({ dataPath }).run('DELETE FROM jobs')
  }
  makeJobsDue()
  const first = await start(dataPath)
  const { config, url } = first
  const servers = [first]
  const folders = options.isAlone ? [dataPath] : foldersFor(dataPath, options.environment ?? {})
  for (const folder of folders.slice(1)) servers.push(await start(folder))
  const fetches = servers.map(({ url, server }) => documentedFetch(url, server.app))
  const isReceiving = (path: string) =>
    servers.some(({ server }) => server.modules.uploads.resumables.isBusy(path.split('/').at(-1) ?? ''))
  const saveCounts = async () => void (await Promise.all(servers.map(({ server }) => flush(server))))
  const runAll = async () => {
    makeJobsDue()
    for (const { server } of servers) await server.jobs.runAll()
  }
  let turn = 0
  const reader = lookInto(dataPath)
  let stopped: Promise<void> | undefined
  // The clock of PostgreSQL cannot be advanced, so the windows of its limits end earlier.
  const endWindows = (ms: number) =>
    openRows({ dataPath }).run(
      "UPDATE throttles SET ends_at = ends_at - CAST(? AS bigint) * interval '1 ms'",
      [ms],
    )
  if (KIND === 'scale' && clock instanceof TestClock) clock.listeners.add(endWindows)
  const stop = () => {
    reader.close()
    if (clock instanceof TestClock) clock.listeners.delete(endWindows)
    stopped ??= Promise.all(servers.map(({ server }) => server.stop(1000))).then(() => {
      // Servers of one database may lose theirs.
      for (const folder of folders.slice(1)) rmSync(folder, { recursive: true, force: true })
    })
    return stopped
  }
  return {
    url,
    port: Number(new URL(url).port),
    dataPath,
    now: clock.now,
    get catalog() {
      return reader.catalog()
    },
    config,
    server: { ...first.server, jobs: { ...first.server.jobs, runAll } },
    logged,
    securityLines,
    fatal,
    isReceiving,
    saveCounts,
    fetch: async (path, init) => {
      if (servers.length > 1 && COUNTED.test(path)) await saveCounts().catch(() => {})
      turn = (turn + 1) % fetches.length
      return (fetches[turn] ?? fetch)(path, init)
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
      reader.close()
      if (options.dataPath === undefined) await removeData(dataPath)
    },
  }
}

/** Lets the next start have another secret, which servers of one database refuse otherwise (`docs/scale-out.md`). */
export function allowOtherSecret(dataPath: string): void {
  if (KIND === 'scale') openRows({ dataPath }).run("DELETE FROM instance WHERE name = 'secretFingerprint'")
}

/** Removes a data folder and its objects. */
async function removeData(dataPath: string): Promise<void> {
  for (const folder of foldersOf(dataPath)) rmSync(folder, { recursive: true, force: true })
  await removeObjects(dataPath)
}

export const ADMIN = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }

export interface Account {
  /** `Cookie` header of the admin's session. */
  cookie: string
  userId: string
  /** API key with the three file scopes. */
  key: string
  /** Request headers with the API key. */
  withKey: { 'API-Key': string }
}

/** Registers the first account, with `setupToken` if the instance requires one, and creates an API key for it. */
export async function register(holdfast: Pick<Holdfast, 'fetch'>, setupToken?: string): Promise<Account> {
  const signedUp = await postJson(holdfast, '/api/auth/sign-up/email', { ...ADMIN, setupToken })
  const { user } = (await signedUp.json()) as { user: { id: string } }
  const cookie = cookieOf(signedUp)
  const key = await createKey(holdfast, cookie, {
    name: 'test',
    scopes: ['files:read', 'files:write', 'files:delete'],
  })
  return { cookie, userId: user.id, key, withKey: { 'API-Key': key } }
}

export async function createKey(
  holdfast: Pick<Holdfast, 'fetch'>,
  cookie: string,
  body: object,
): Promise<string> {
  const created = await postJson(holdfast, '/api/keys', body, { Cookie: cookie })
  if (created.status !== 200) throw new Error(`Cannot make a key: ${await created.text()}`)
  const { data } = (await created.json()) as { data: { key: { key: string } } }
  return data.key.key
}

/** Returns the cookie that a response sets, in the form of a `Cookie` header. */
export const cookieOf = (response: Response) => response.headers.get('set-cookie')?.split(';')[0] ?? ''

export function postJson(
  holdfast: Pick<Holdfast, 'fetch'>,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return holdfast.fetch(path, { method: 'POST', body: JSON.stringify(body), headers })
}

export interface UploadFields {
  folder?: string
  onConflict?: string | undefined
  visibility?: string | undefined
}

/** Uploads files, given by name, in one multipart request. */
export function sendUpload(
  holdfast: Pick<Holdfast, 'fetch'>,
  headers: Record<string, string>,
  upload: { files: Record<string, string | Uint8Array<ArrayBuffer>> } & UploadFields,
): Promise<Response> {
  const form = new FormData()
  for (const [name, content] of Object.entries(upload.files)) form.append('files', new Blob([content]), name)
  for (const name of ['folder', 'onConflict', 'visibility'] as const) {
    const field = upload[name]
    if (field !== undefined) form.append(name, field)
  }
  return holdfast.fetch('/api/files', { method: 'POST', body: form, headers })
}

/** Uploads one file and returns its description in the response. */
export async function upload(
  holdfast: Pick<Holdfast, 'fetch'>,
  headers: Record<string, string>,
  file: { name: string; content: string | Uint8Array<ArrayBuffer> } & UploadFields,
): Promise<FileView> {
  const { name, content, ...fields } = file
  const response = await sendUpload(holdfast, headers, { files: { [name]: content }, ...fields })
  const { data, error } = (await response.json()) as { data: { files: FileView[] } | null; error: unknown }
  const [stored] = data?.files ?? []
  if (!stored) throw new Error(`The upload was refused: ${JSON.stringify(error)}`)
  return stored
}

/** Returns the paths of all entries below a folder of the data folder, except the volume's marker. */
export function filesUnder(
  holdfast: Pick<Holdfast, 'dataPath'>,
  folder: 'uploads' | 'tmp' | 'versions' | 'trash',
): string[] {
  return (
    foldersOf(holdfast.dataPath)
      .map((dataPath) => join(dataPath, folder))
      .flatMap((path) => (existsSync(path) ? readdirSync(path, { recursive: true }).map(String) : []))
      // Local copies on their way to the cache stay as long as they are read.
      .filter((path) => path !== '.holdfast-volume' && !path.startsWith('fetched-'))
      .sort()
  )
}

/** Returns the length of all files that servers are receiving. */
export const stagedBytes = ({ dataPath }: Pick<Holdfast, 'dataPath'>): number =>
  foldersOf(dataPath)
    .flatMap((folder) => filesIn(join(folder, 'tmp')))
    .reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

/** Returns the `data` of a response. */
export const dataOf = async <Data>(response: Response): Promise<Data> =>
  ((await response.json()) as { data: Data }).data

/** Returns the message of a response that must be a failure. */
export async function messageOf(response: Response): Promise<string> {
  const { data, error } = (await response.json()) as { data: unknown; error: { message: string } }
  if (data !== null) throw new Error('The answer is not a failure')
  return error.message
}

/** Returns the status and the message of a response that must be a failure. */
export const refusalOf = async (response: Response): Promise<[number, string]> => [
  response.status,
  await messageOf(response),
]

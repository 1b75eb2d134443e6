import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Assets } from '../../src/modules/web/assets.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { type Config, readConfig } from '../../src/platform/config.ts'
import type { LogFields } from '../../src/platform/log.ts'
import { type Server, startServer } from '../../src/server.ts'
import type { ObjectStore } from '../../src/store/store.ts'
import { documentedFetch } from './documented.ts'
import { objectsFor, removeObjects } from './kind.ts'
import { spawnHoldfast } from './process.ts'
import { type CatalogNow, readCatalogNow } from './read-catalog.ts'

/** A clock that stands still until it is told to go on. */
export class TestClock implements Clock {
  #now = Date.parse('2026-03-01T12:00:00.000Z')
  #monotonic = 0
  readonly now = () => this.#now
  readonly monotonic = () => this.#monotonic

  /** Both clocks go on by `ms`. */
  advance(ms: number): void {
    this.#now += ms
    this.#monotonic += ms
  }

  /** Somebody sets the wall clock; the monotonic one knows nothing of it. */
  setWall(epochMs: number): void {
    this.#now = epochMs
  }
}

export interface HoldfastOptions {
  /** Environment variables beside the test's own. */
  environment?: Record<string, string>
  /** A data folder that exists, as after a restart; else a new one, removed with the server. */
  dataPath?: string
}

export interface InsideOptions extends HoldfastOptions {
  clock?: Clock
  /** The object store with the bytes; none unless said, or unless `HOLDFAST_KIND` is `objects`. */
  objects?: ObjectStore
  /** The web app's files; none unless said. */
  dashboard?: Assets
}

/** A real server on a real port with a real data folder. */
export interface Holdfast extends AsyncDisposable {
  url: string
  port: number
  dataPath: string
  /** The server's time, in milliseconds since 1970. */
  now: () => number
  /** What has been committed, read beside the server. */
  readonly catalog: CatalogNow
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** Stops the server and leaves its data folder. */
  stop: () => Promise<void>
}

/** One in the test's own process, for what only its inside shows, or what needs a clock that is told the time. */
export interface Inside extends Holdfast {
  config: Config
  server: Server
  /** What the server reported to its operator. */
  logged: { message: string; error?: unknown }[]
  /** Lines of its security log. */
  securityLines: { message: string; fields: LogFields | undefined }[]
  fatal: unknown[]
}

export const BASE_URL = 'http://holdfast.test'

/** Starts a server that is only spoken to: in this process, or, when `HOLDFAST_BIN` names a binary, that one. */
export function startHoldfast(options: HoldfastOptions = {}): Promise<Holdfast> {
  return process.env['HOLDFAST_BIN'] ? startBinary(options) : startInside(options)
}

/** Opens the catalog to read when it is first asked for; a server that stops must be the last to close it. */
function lookInto(dataPath: string) {
  let opened: CatalogNow | undefined
  return {
    catalog: () => {
      opened ??= readCatalogNow(join(dataPath, 'db', 'holdfast.sqlite'))
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

/** Starts a server in this process, also when the tests are about a binary. */
export async function startInside(options: InsideOptions = {}): Promise<Inside> {
  const dataPath = options.dataPath ?? mkdtempSync(join(tmpdir(), 'holdfast-'))
  const environment = {
    BASE_URL,
    RATE_LIMIT_API: '0',
    RATE_LIMIT_HOSTING: '0',
    RATE_LIMIT_UPLOADS: '0',
    ...options.environment,
  }
  const config = readConfig({ ...environment, PORT: '0', HOST: '127.0.0.1', DATA_PATH: dataPath })
  const logged: Inside['logged'] = []
  const securityLines: Inside['securityLines'] = []
  const fatal: unknown[] = []
  const clock = options.clock ?? { now: Date.now, monotonic: () => performance.now() }
  const server = await startServer({
    config,
    objects: options.objects ?? objectsFor(dataPath, clock),
    clock,
    random: { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)), id: () => Bun.randomUUIDv7() },
    log: {
      notice: (message, fields) => securityLines.push({ message, fields }),
      info: (message) => logged.push({ message }),
      error: (message, error) => logged.push({ message, error }),
    },
    dashboard: options.dashboard ?? new Map(),
    onFatal: (error) => fatal.push(error),
  })
  const url = `http://127.0.0.1:${server.port}`
  const reader = lookInto(dataPath)
  let stopped: Promise<void> | undefined
  const stop = () => {
    reader.close()
    stopped ??= server.stop(1000)
    return stopped
  }
  return {
    url,
    port: server.port,
    dataPath,
    now: clock.now,
    get catalog() {
      return reader.catalog()
    },
    config,
    server,
    logged,
    securityLines,
    fatal,
    fetch: documentedFetch(url, server.app),
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
      reader.close()
      if (options.dataPath === undefined) await removeData(dataPath)
    },
  }
}

/** Removes a data folder and its objects. */
async function removeData(dataPath: string): Promise<void> {
  rmSync(dataPath, { recursive: true, force: true })
  await removeObjects(dataPath)
}

export const ADMIN = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }

export interface Account {
  /** The `Cookie` header of the admin's session. */
  cookie: string
  userId: string
  /** An API key with the three file scopes. */
  key: string
  /** Request headers that carry the key. */
  withKey: { 'API-Key': string }
}

/** Registers the first account, with `setupToken` where the instance asks for one, and makes it an API key. */
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

/** The cookie that an answer sets, as it is sent back. */
export const cookieOf = (response: Response) => response.headers.get('set-cookie')?.split(';')[0] ?? ''

export function postJson(
  holdfast: Pick<Holdfast, 'fetch'>,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return holdfast.fetch(path, { method: 'POST', body: JSON.stringify(body), headers })
}

export interface FileView {
  id: string
  name: string
  key: string
  mimeType: string
  size: number
  folderId: string
  visibility: 'public' | 'private'
  url: string
  createdAt: string
  updatedAt: string
}

export interface UploadFields {
  folder?: string
  visibility?: string
}

/** Sends files by their names as one multipart request. */
export function sendUpload(
  holdfast: Pick<Holdfast, 'fetch'>,
  headers: Record<string, string>,
  upload: { files: Record<string, string | Uint8Array<ArrayBuffer>> } & UploadFields,
): Promise<Response> {
  const form = new FormData()
  for (const [name, content] of Object.entries(upload.files)) form.append('files', new Blob([content]), name)
  if (upload.folder !== undefined) form.append('folder', upload.folder)
  if (upload.visibility !== undefined) form.append('visibility', upload.visibility)
  return holdfast.fetch('/api/files', { method: 'POST', body: form, headers })
}

/** Uploads one file and answers with what the server says of it. */
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

/** The paths of everything under the data folder's `folder`, the volume's marker left out. */
export function filesUnder(
  holdfast: Pick<Holdfast, 'dataPath'>,
  folder: 'uploads' | 'tmp' | 'versions' | 'trash',
): string[] {
  return readdirSync(join(holdfast.dataPath, folder), { recursive: true })
    .map(String)
    .filter((path) => path !== '.holdfast-volume')
    .sort()
}

/** The failure envelope's message, for an answer that must be one. */
export async function messageOf(response: Response): Promise<string> {
  const { data, error } = (await response.json()) as { data: unknown; error: { message: string } }
  if (data !== null) throw new Error('The answer is not a failure')
  return error.message
}

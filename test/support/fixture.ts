import { afterAll, beforeAll } from 'bun:test'
import { join } from 'node:path'
import { type Access, addUser, type User } from './accounts.ts'
import { type Api, apiOf } from './api.ts'
import {
  type Account,
  ADMIN,
  BASE_URL,
  createKey,
  type Holdfast,
  type HoldfastOptions,
  type Inside,
  type InsideOptions,
  register,
  sendUpload,
  startHoldfast,
  startInside,
} from './holdfast.ts'
import { type ProcessOptions, registerWith, spawnHoldfast } from './process.ts'
import { trashOf } from './trash.ts'

/** Requests of an instance's first account, and what a test prepares with it. */
interface Client {
  /** API client that sends the key of the first account. */
  api: Api
  /** API client that sends its session. */
  bySession: Api
  admin: User
  trash: ReturnType<typeof trashOf>
  /** Returns the path of an object key in the data folder. */
  path: (key: string) => string
  /** Adds an account and signs it in. */
  addUser: (role: Access['role'], customScopes?: readonly string[]) => Promise<User>
  /** Creates an API key of the first account. Returns an API client that sends it. */
  byKey: (...scopes: string[]) => Promise<Api>
  /** Uploads files, given by name, in one request with the key. */
  sendUpload: (
    files: Record<string, string | Uint8Array<ArrayBuffer>>,
    fields?: Omit<Parameters<typeof sendUpload>[2], 'files'>,
  ) => Promise<Response>
}

/** Instance with its first account and that account's API key. */
export type Registered<Started extends Holdfast> = Started & Account & Client

function clientOf(holdfast: Holdfast & Account): Client {
  const session = {
    get withKey() {
      return { Cookie: holdfast.cookie, Origin: BASE_URL }
    },
  }
  const bySession = apiOf(holdfast, session)
  const api = apiOf(holdfast, holdfast)
  let keys = 0
  return {
    api,
    bySession,
    trash: trashOf(api),
    path: (key) => join(holdfast.dataPath, 'uploads', key),
    admin: {
      email: ADMIN.email,
      api: bySession,
      get id() {
        return holdfast.userId
      },
      get cookie() {
        return holdfast.cookie
      },
      get withSession() {
        return session.withKey
      },
    },
    addUser: (role, customScopes = []) => addUser(holdfast, { role, customScopes }),
    byKey: async (...scopes) => {
      keys += 1
      const key = await createKey(holdfast, holdfast.cookie, { name: `with scopes ${keys}`, scopes })
      return apiOf(holdfast, { withKey: { 'API-Key': key } })
    },
    sendUpload: (files, fields) => sendUpload(holdfast, holdfast.withKey, { files, ...fields }),
  }
}

/** Registers the first account of an instance. */
async function registered<Started extends Holdfast>(started: Started): Promise<Registered<Started>> {
  try {
    const withAccount = Object.assign(started, await register(started))
    return Object.assign(withAccount, clientOf(withAccount))
  } catch (error) {
    await started[Symbol.asyncDispose]()
    throw error
  }
}

/** Like `startHoldfast`, with the first account. */
export const startWithAccount = async (options?: HoldfastOptions): Promise<Registered<Holdfast>> =>
  registered(await startHoldfast(options))

/** Like `startInside`, with the first account. */
export const startInsideWithAccount = async (options?: InsideOptions): Promise<Registered<Inside>> =>
  registered(await startInside(options))

/** Like `spawnHoldfast`, with the first account. */
export async function spawnWithAccount(options?: ProcessOptions) {
  const started = await spawnHoldfast(options)
  const { cookie, withKey } = await registerWith(started)
  const sendUploads = (files: Record<string, string | Uint8Array<ArrayBuffer>>) =>
    sendUpload(started, withKey, { files })
  return Object.assign(started, {
    cookie,
    withKey,
    api: apiOf(started, { withKey }),
    sendUpload: sendUploads,
  })
}

/** Starts a server on the data folder of a stopped one, or on a copy, with the credentials of its first account. */
export async function startAgain(
  { dataPath, cookie, userId, key, withKey }: Pick<Holdfast, 'dataPath'> & Account,
  options: InsideOptions = {},
): Promise<Registered<Inside>> {
  const started = await startInside({ dataPath, ...options })
  const again = Object.assign(started, { cookie, userId, key, withKey })
  return Object.assign(again, clientOf(again))
}

/** Runs one instance for all tests of a file. The handle's clients can be taken from it before it has started. */
function forFile<Started extends Holdfast>(start: () => Promise<Registered<Started>>): Registered<Started> {
  let running: Registered<Started> | undefined
  beforeAll(async () => {
    running = await start()
  })
  afterAll(() => running?.[Symbol.asyncDispose]())
  // Every property is read from the running instance, except the clients, which read it when they send.
  const handle = new Proxy({} as Registered<Started>, {
    get: (_, name) => {
      if (name in client) return Reflect.get(client, name)
      if (!running) throw new Error(`The instance has not started: it has no ${String(name)}`)
      return Reflect.get(running, name)
    },
  })
  const client = clientOf(handle)
  return handle
}

/** Runs one instance with its first account for all tests of a file that only send requests. */
export const withHoldfast = (options?: HoldfastOptions): Registered<Holdfast> =>
  forFile(() => startWithAccount(options))

/** Runs one instance in the test's own process, with its first account, for all tests of a file. */
export const withInside = (options?: InsideOptions): Registered<Inside> =>
  forFile(() => startInsideWithAccount(options))

import { prepareNodes } from '../scale/nodes.ts'
import { HUNG_MS } from '../support/eventually.ts'
import { startPostgres } from '../support/postgres.ts'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import type { Answer, Send } from './operation.ts'

export interface World extends AsyncDisposable {
  send: Send
  /** Returns the server's output, for a report. */
  output: () => string
}

export interface WorldOptions {
  /** Main module, by default the project's. */
  program?: string
  /** Number of servers. More than one share a PostgreSQL and an object store. */
  servers: number
}

/** Starts servers with an account. Requests go to one server after the other. */
export async function startWorld({ servers, ...options }: WorldOptions): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const environment = { LOG_FORMAT: 'json', ...(servers > 1 && (await shareEngines(stack))) }
  const started: HoldfastProcess[] = []
  for (let count = 0; count < servers; count += 1)
    started.push(stack.use(await spawnHoldfast({ ...options, environment })))
  const { cookie, withKey } = await registerWith(serverAt(started, 0))
  const credentials = { member: withKey, admin: { Cookie: cookie }, visitor: {} }
  let requests = 0
  const send: Send = async (path, { as = 'member', headers, ...init }) => {
    const signal = AbortSignal.timeout(HUNG_MS)
    const { url } = serverAt(started, requests++)
    try {
      const all = { ...headers, ...credentials[as] }
      return await readAnswer(await fetch(`${url}${path}`, { ...init, headers: all, signal }))
    } catch (error) {
      return { status: 0, data: String(error), bytes: new Uint8Array() }
    }
  }
  const owned = stack.move()
  return {
    send,
    output: () => started.map(({ output }) => output()).join(''),
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  }
}

/** Starts engines for several servers. @returns Environment of each server. */
async function shareEngines(stack: AsyncDisposableStack): Promise<Record<string, string>> {
  const postgres = stack.use(await startPostgres())
  return stack.use(await prepareNodes(postgres)).environment
}

/** Returns the server of a request. */
function serverAt(servers: readonly HoldfastProcess[], request: number): HoldfastProcess {
  const server = servers[request % servers.length]
  if (!server) throw new Error('No server was started')
  return server
}

async function readAnswer(response: Response): Promise<Answer> {
  const bytes = await response.bytes()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  const { data, error } = isJson
    ? JSON.parse(Buffer.from(bytes).toString())
    : { data: undefined, error: null }
  const location = response.headers.get('location')
  return { status: response.status, data: error ?? location ?? data, bytes }
}

import { registerWith, spawnHoldfast } from '../support/process.ts'
import type { Answer, Send } from './operation.ts'

/** Upper bound of a request's time, in milliseconds. */
const DEADLINE_MS = 30_000

export interface World extends AsyncDisposable {
  send: Send
  /** Returns the server's output, for a report. */
  output: () => string
}

/** Starts a server with an account. @param program Main module, by default the project's. */
export async function startWorld(program?: string): Promise<World> {
  const server = await spawnHoldfast(program === undefined ? {} : { program })
  const { cookie, withKey } = await registerWith(server)
  const credentials = { member: withKey, admin: { Cookie: cookie }, visitor: {} }
  const send: Send = async (path, { as = 'member', headers, ...init }) => {
    const signal = AbortSignal.timeout(DEADLINE_MS)
    try {
      const all = { ...headers, ...credentials[as] }
      return await readAnswer(await fetch(`${server.url}${path}`, { ...init, headers: all, signal }))
    } catch (error) {
      return { status: 0, data: String(error), bytes: new Uint8Array() }
    }
  }
  return { send, output: server.output, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
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

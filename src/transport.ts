import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import {
  beginExchange,
  exchangeOf,
  type PlainRequest,
  type ReadyAnswer,
  type SentAtOnce,
} from './http/exchange.ts'

export interface TransportOptions {
  host: string
  /** 0 takes any free port. */
  port: number
  /** Bun's route patterns of the paths that send stored bytes. */
  bytePaths: readonly string[]
  /** Answers what needs no `Request`; `undefined` sends it on to `fetch`. Only for `bytePaths`. */
  shortcut: (request: PlainRequest) => ReadyAnswer | undefined
  fetch: (request: Request) => Promise<Response>
  /** Told about failures that no answer can carry any more. */
  onError: (error: unknown) => void
}

export interface Transport {
  port: number
  /** Stops accepting, lets what is in flight finish for at most `graceMs`, then cuts it. */
  stop: (graceMs: number) => Promise<void>
}

/** Seconds a connection may stay silent: an upload may pause for half a minute. */
const IDLE_SECONDS = 60
/** Bodies up to this length are written in one piece. */
const SMALL_BYTES = 256 * 1024

/**
 * Listens on one port with two doors. `Bun.serve` alone would do, if it kept `Content-Length` on a streamed
 * body (https://github.com/oven-sh/bun/issues/10507) and told how much of a body left when the client hangs
 * up. It does neither, so the paths that send stored bytes are answered through `node:http` on the very
 * same server, and all others natively. The day the test "Bun still drops Content-Length" fails, this
 * module can go.
 */
export function listen(options: TransportOptions): Transport {
  const { host, port, bytePaths, shortcut, fetch, onError } = options
  const httpServer = createServer((incoming, outgoing) => {
    const ready = shortcut(plainRequest(incoming))
    if (ready) {
      outgoing.writeHead(ready.status, ready.headers)
      outgoing.end(ready.bytes)
      return
    }
    answerBytes({ incoming, outgoing, fetch }).catch((error) => {
      onError(error)
      outgoing.destroy()
    })
  })
  const server = withServeOptions(
    {
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      routes: {
        ...Object.fromEntries(bytePaths.map((path) => [path, false])),
        '/*': (request: Request, server: Bun.Server<unknown>) => {
          beginExchange(request, server.requestIP(request)?.address ?? '')
          return fetch(request)
        },
      },
    },
    () => httpServer.listen(port, host),
  )
  return { port: server.port ?? port, stop: (graceMs) => stopWithin(server, graceMs) }
}

/** Runs `start`, which calls `Bun.serve` once, with more options for that call. */
function withServeOptions(more: object, start: () => void): Bun.Server<unknown> {
  const serve = Bun.serve
  let server: Bun.Server<unknown> | undefined
  const extended = (options: object) => {
    server = Reflect.apply(serve, Bun, [{ ...options, ...more }])
    return server
  }
  try {
    Object.assign(Bun, { serve: extended })
    start()
  } finally {
    Object.assign(Bun, { serve })
  }
  if (!server) throw new Error('node:http no longer listens through Bun.serve')
  return server
}

/** How often a stopping server looks whether its last request has ended, in milliseconds. */
const STOP_POLL_MS = 10

async function stopWithin(server: Bun.Server<unknown>, graceMs: number): Promise<void> {
  // Idle keep-alive connections would hold a graceful stop open, so only requests are waited for.
  void server.stop(false)
  for (let waited = 0; server.pendingRequests > 0 && waited < graceMs; waited += STOP_POLL_MS) {
    await Bun.sleep(STOP_POLL_MS)
  }
  await server.stop(true)
}

const plainRequest = ({ method = '', url = '', headers, socket }: IncomingMessage): PlainRequest => ({
  method,
  target: url,
  headers,
  peer: socket.remoteAddress ?? '',
})

interface Incoming {
  incoming: IncomingMessage
  outgoing: ServerResponse
  fetch: TransportOptions['fetch']
}

async function answerBytes({ incoming, outgoing, fetch }: Incoming): Promise<void> {
  const request = toRequest(incoming)
  if (!request) {
    outgoing.writeHead(400, ['connection', 'close', 'content-length', '0'])
    outgoing.end()
    return
  }
  const response = await fetch(request)
  const { onDelivered, onSentAtOnce } = exchangeOf(request)
  let bytes = 0
  try {
    bytes = await send(response, outgoing, onSentAtOnce)
  } catch (error) {
    bytes = error instanceof BrokenBody ? error.bytesSent : 0
    throw error
  } finally {
    onDelivered?.(bytes)
  }
}

/** The request as the app knows it, or `undefined` when its head is not one we can trust. */
function toRequest(incoming: IncomingMessage): Request | undefined {
  const { method = 'GET', url = '/', rawHeaders } = incoming
  const headers = new Headers()
  let hosts = 0
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.toLowerCase() === 'host') hosts += 1
    headers.append(name, rawHeaders[index + 1] ?? '')
  }
  // Two hosts are two opinions about who is asked (RFC 9112 §3.2).
  if (hosts > 1) return undefined
  const body = method === 'GET' || method === 'HEAD' ? null : bodyOf(incoming)
  // A backslash would be taken for a slash; encoded it stays what it is.
  const target = url.startsWith('/') ? url.replaceAll('\\', '%5C') : '/'
  const request = new Request(`http://localhost${target}`, { method, headers, body })
  beginExchange(request, incoming.socket.remoteAddress ?? '')
  return request
}

const bodyOf = (incoming: IncomingMessage) =>
  Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array>

/** A body that failed while it was sent: the connection is cut, never padded or ended as if complete. */
class BrokenBody extends Error {
  override readonly name = 'BrokenBody'
  readonly bytesSent: number

  constructor(bytesSent: number, cause: unknown) {
    super('A response body broke while it was sent', { cause })
    this.bytesSent = bytesSent
  }
}

/** Statuses whose answers have no body and so no length (RFC 9110 §8.6). */
const BODILESS = new Set([204, 304])

/** Writes the response and resolves with the number of body bytes that were handed to the socket. */
async function send(
  response: Response,
  outgoing: ServerResponse,
  onSentAtOnce: ((sent: SentAtOnce) => void) | undefined,
): Promise<number> {
  const headers = [...response.headers].flat()
  const length = response.headers.get('content-length')
  if (response.body && Number(length) > SMALL_BYTES) {
    outgoing.writeHead(response.status, headers)
    return sendStream(response.body, outgoing)
  }
  const bytes = await response.bytes()
  if (length === null && !BODILESS.has(response.status)) headers.push('content-length', String(bytes.length))
  outgoing.writeHead(response.status, headers)
  outgoing.end(bytes)
  onSentAtOnce?.({ headers, bytes })
  return bytes.length
}

/** Pulls from `body` only as fast as the client reads. */
async function sendStream(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<number> {
  const reader = body.getReader()
  const socket = watch(outgoing)
  let handed = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || socket.closed()) break
      handed += value.length
      if (!outgoing.write(value)) await socket.drained()
    }
    if (socket.closed()) {
      await reader.cancel()
      return handed - socket.unsent()
    }
    outgoing.end()
    return handed
  } catch (error) {
    throw new BrokenBody(handed, error)
  }
}

/** Follows a response that is being written: whether its client left, and what it had not taken by then. */
function watch(outgoing: ServerResponse) {
  let closed = outgoing.destroyed
  let unsent = 0
  let resume: (() => void) | undefined
  outgoing.on('close', () => {
    closed = true
    resume?.()
  })
  outgoing.on('drain', () => {
    unsent = 0
    resume?.()
  })
  return {
    closed: () => closed,
    /** Bytes written that were still waiting in this process when the client was last seen. */
    unsent: () => unsent,
    drained: () =>
      new Promise<void>((resolve) => {
        unsent = outgoing.writableLength
        if (closed) resolve()
        else resume = resolve
      }),
  }
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal } from '../errors.ts'
import { beginExchange, exchangeOf, type PlainRequest, type ReadyAnswer } from '../http/exchange.ts'
import { hasTwoHosts, type IsStreamed, pathOfTarget, plainRequest, toRequest } from './request.ts'
import { BrokenBody, send, sendReady, writeReady } from './send.ts'
import { Turns } from './turns.ts'

export interface TransportOptions {
  host: string
  /** 0 takes any free port. */
  port: number
  /** Bun's route patterns of the paths that send stored bytes. */
  bytePaths: readonly string[]
  /** Which requests to `bytePaths` may have long bodies: these are read as they arrive, all others at once. */
  isStreamed: IsStreamed
  /** Answers what needs no `Request`; `undefined` sends it on to `fetch`. Only for `bytePaths`. */
  shortcut: (request: PlainRequest) => ReadyAnswer | undefined
  fetch: (request: Request) => Promise<Response>
  /** The answer to a request that the transport itself refuses, or that failed with no refusal. */
  refuse: (request: Request, refusal: Refusal | undefined) => Response
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

/**
 * Listens on one port with two doors. `Bun.serve` alone would do, if it kept `Content-Length` on a streamed
 * body (https://github.com/oven-sh/bun/issues/10507) and told how much of a body left when the client hangs
 * up. It does neither, so the paths that send stored bytes are answered through `node:http` on the very
 * same server, and so are uploads, because on such a server the native routes never say `100 Continue`. All
 * others are native. The day the test "Bun still drops Content-Length" fails, this
 * module can go.
 */
export function listen(options: TransportOptions): Transport {
  const { host, port, bytePaths, isStreamed, shortcut, fetch, refuse, onError } = options
  const turns = new Turns()
  const httpServer = createServer((incoming, outgoing) => {
    const broken = (error: unknown) => {
      onError(error)
      if (!outgoing.writableEnded) outgoing.destroy()
    }
    const plain = turns.isFree(incoming, outgoing) ? plainRequest(incoming) : undefined
    const ready = plain && shortcut(plain)
    if (ready && !(ready.body instanceof ReadableStream)) {
      writeReady(ready, ready.body, outgoing)
      ready.onDelivered(ready.body?.length ?? 0)
      return
    }
    const answer = () =>
      ready
        ? counted(ready.onDelivered, () => sendReady(ready, outgoing))
        : answerBytes({ incoming, outgoing, isStreamed, fetch, refuse })
    const abandon = () => {
      if (ready?.body instanceof ReadableStream) void ready.body.cancel()
    }
    turns.take(incoming, outgoing, { answer: () => answer().catch(broken), abandon })
  })
  // Its five seconds would go on counting while the same connection waits for the other door.
  httpServer.keepAliveTimeout = 0
  httpServer.on('connect', ({ url = '/' }: IncomingMessage, socket: Duplex) => {
    refuseTunnel({ url, socket, refuse }).catch(onError)
  })
  const server = withServeOptions(
    {
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      routes: {
        ...Object.fromEntries(bytePaths.map((path) => [path, false])),
        '/*': (request: Request, server: Bun.Server<unknown>) => {
          const exchange = beginExchange(request, server.requestIP(request)?.address ?? '')
          // The runtime would cut work that takes longer than a silent client may.
          const stay = () => server.timeout(request, 0)
          if (request.body) exchange.onReceived = stay
          else stay()
          return isBytePath(request, bytePaths) ? refuse(request, misspelled()) : fetch(request)
        },
      },
    },
    () => httpServer.listen(port, host),
  )
  return { port: server.port ?? port, stop: (graceMs) => stopWithin(server, graceMs) }
}

/**
 * Whether the path leads to stored bytes, although it came through the native door: it was spelled with
 * dots or escapes that the router does not see through, and the native door has no exact lengths.
 */
function isBytePath({ url }: Request, bytePaths: readonly string[]): boolean {
  const { pathname } = new URL(url)
  return bytePaths.some((path) =>
    path.endsWith('*') ? pathname.startsWith(path.slice(0, -1)) : pathname === path,
  )
}

const misspelled = () => new Refusal('not_found', 'Not found')

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

interface Incoming {
  incoming: IncomingMessage
  outgoing: ServerResponse
  isStreamed: IsStreamed
  fetch: TransportOptions['fetch']
  refuse: TransportOptions['refuse']
}

async function answerBytes({ incoming, outgoing, isStreamed, fetch, refuse }: Incoming): Promise<void> {
  const request = await toRequest(incoming, isStreamed)
  const response = hasTwoHosts(incoming.rawHeaders) ? refuse(request, twoHosts()) : await fetch(request)
  const { onDelivered, onSent } = exchangeOf(request)
  try {
    await counted(onDelivered, () => send(response, outgoing, onSent))
  } catch (error) {
    if (!outgoing.headersSent) await send(refuse(request, undefined), outgoing, undefined)
    throw error
  } finally {
    // What was not read of the request is dropped, so that the connection stays in step.
    if (!incoming.complete) await request.body?.cancel().catch(() => {})
  }
}

/** Tells `onDelivered` how many bytes `sending` handed to the client, also when it broke. */
async function counted(
  onDelivered: ((bytes: number) => void) | undefined,
  sending: () => Promise<number>,
): Promise<void> {
  try {
    const bytes = await sending()
    onDelivered?.(bytes)
  } catch (error) {
    onDelivered?.(error instanceof BrokenBody ? error.bytesSent : 0)
    throw error
  }
}

interface Tunnel {
  url: string
  socket: Duplex
  refuse: TransportOptions['refuse']
}

/** Answers CONNECT, for which `node:http` hands over the bare socket. We are nobody's proxy. */
async function refuseTunnel({ url, socket, refuse }: Tunnel): Promise<void> {
  const request = new Request(`http://localhost${pathOfTarget(url)}`)
  beginExchange(request, '')
  const headers = { Allow: 'GET, HEAD, OPTIONS' }
  const response = refuse(
    request,
    new Refusal('method_not_allowed', 'CONNECT is not allowed here', { headers }),
  )
  const body = await response.text()
  response.headers.set('Content-Length', String(Buffer.byteLength(body)))
  response.headers.set('Connection', 'close')
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${response.status} Method Not Allowed\r\n${lines.join('')}\r\n${body}`)
}

const twoHosts = () => new Refusal('invalid', 'A request must name one host')

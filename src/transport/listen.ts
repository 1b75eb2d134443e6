import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Refusal, StartError } from '../errors.ts'
import { formatHttpDate } from '../http/date.ts'
import { exchangeOf, type PlainRequest, type ReadyAnswer } from '../http/exchange.ts'
import { answerAndClose } from './bare-socket.ts'
import { Connections } from './connections.ts'
import { framingProblem, unreadable } from './framing.ts'
import { dropRest, framingOf, type IsStreamed, pathOfTarget, plainRequest, toRequest } from './request.ts'
import { BrokenBody, send, sendReady, writeReady } from './send.ts'
import { Turns } from './turns.ts'

export interface TransportOptions {
  host: string
  /** 0 takes any free port. */
  port: number
  /** Which requests may have long bodies: these are read as they arrive, all others at once. */
  isStreamed: IsStreamed
  /** Answers what needs no `Request`; `undefined` sends it on to `fetch`. */
  shortcut: (request: PlainRequest) => ReadyAnswer | undefined
  fetch: (request: Request) => Promise<Response>
  /** The answer to a request that the transport itself refuses, or that failed with no refusal. */
  refuse: (request: Request, refusal: Refusal | undefined) => Response
  /** Told about failures that no answer can carry any more. */
  onError: (error: unknown) => void
  /** Milliseconds since 1970. */
  now: () => number
  /** Milliseconds after which a client that neither sends nor takes anything is left; 60,000 unless said. */
  silenceMs?: number
}

export interface Transport {
  port: number
  /** Stops accepting, lets what is in flight finish for at most `graceMs`, then cuts it. */
  stop: (graceMs: number) => Promise<void>
}

/** Milliseconds a client may stay silent: an upload may pause for half a minute. */
const SILENCE_MS = 60_000

/**
 * Listens through `node:http`. The routes of `Bun.serve` are faster, but on 1.4.5 they drop `Content-Length`
 * from a streamed body (https://github.com/oven-sh/bun/issues/10507), do not tell how much of a body left
 * when the client hangs up, and lose or mix up the answers on a connection whose client does not wait for
 * one before it asks for the next. The day the test "Bun still drops Content-Length" fails, look again.
 *
 * @throws {StartError} when the address or the port cannot be had.
 */
export function listen(options: TransportOptions): Transport {
  const { host, port } = options
  const more = {
    development: false, // or the runtime would show source code to whoever meets a bug
    idleTimeout: 0, // or it would cut work that takes long
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  }
  const server = withServeOptions(more, () => createHttpServer(options).listen(port, host))
  if (!server) {
    throw new StartError(
      `Cannot listen on "${host}", port ${port}: HOST must be an address of this machine, such as 0.0.0.0, and PORT a port that is free and that you may use.`,
    )
  }
  return { port: server.port ?? port, stop: (graceMs) => stopWithin(server, graceMs) }
}

function createHttpServer(options: TransportOptions): HttpServer {
  const { refuse, onError, now, silenceMs = SILENCE_MS } = options
  const state = { turns: new Turns(), connections: new Connections() }
  const refuseOn = (socket: Duplex, target: string, refusal: Refusal) => {
    const response = refuse(new Request(`http://localhost${pathOfTarget(target)}`), refusal)
    response.headers.set('Date', formatHttpDate(now()))
    answerAndClose(socket, response).catch(onError)
  }
  return (
    createServer(
      { requireHostHeader: false, requestTimeout: 0, keepAliveTimeout: silenceMs },
      (incoming, outgoing) => answer(options, state, { incoming, outgoing, wantBody: () => {} }),
    )
      .on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) =>
        answer(options, state, { incoming, outgoing, wantBody: continueLater(outgoing) }),
      )
      // RFC 9110 §10.1.1 lets a server pass over expectations that it does not know.
      .on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) =>
        answer(options, state, { incoming, outgoing, wantBody: () => {} }),
      )
      .on('connect', ({ url = '/' }: IncomingMessage, socket: Duplex) => refuseOn(socket, url, noTunnel()))
      .on('clientError', (error: Error, socket: Duplex) => {
        const pending = state.connections.pending(socket)
        // Nothing may be written into the middle of an answer.
        if (!socket.writable || pending?.headersSent) return socket.destroy()
        if (!pending?.req.complete) return refuseOn(socket, '/', unreadable(error))
        // What cannot be read stands behind a request that could: that one still gets its answer.
        pending.shouldKeepAlive = false
        return pending.once('close', () => socket.destroy())
      })
      .setTimeout(silenceMs, (socket: Socket) => {
        if (state.connections.isLeft(socket)) socket.destroy()
        else socket.setTimeout(silenceMs)
      })
      .on('error', () => {}) // that it cannot listen is seen by the missing server
  )
}

/**
 * Says `100 Continue` when it is called, but not behind the answer. An answer that comes before closes the
 * connection: nobody knows whether the body follows.
 */
function continueLater(outgoing: ServerResponse): () => void {
  const keepsAlive = outgoing.shouldKeepAlive
  outgoing.shouldKeepAlive = false
  let isAsked = false
  return () => {
    if (isAsked || outgoing.headersSent || outgoing.destroyed) return
    isAsked = true
    outgoing.shouldKeepAlive = keepsAlive
    outgoing.writeContinue()
  }
}

interface Incoming {
  incoming: IncomingMessage
  outgoing: ServerResponse
  /** Called before the body is read. */
  wantBody: () => void
}

interface State {
  turns: Turns
  connections: Connections
}

/** Answers at once with what is ready, with anything else in its turn. */
function answer(options: TransportOptions, { turns, connections }: State, exchange: Incoming): void {
  const { incoming, outgoing } = exchange
  const ready = turns.isFree(incoming, outgoing) ? readyAnswer(options, incoming) : undefined
  if (ready && !(ready.body instanceof ReadableStream)) {
    connections.begin(incoming.socket, outgoing)
    writeReady(ready, ready.body, outgoing)
    ready.onDelivered(ready.body?.length ?? 0)
    return
  }
  const run = () => {
    connections.begin(incoming.socket, outgoing)
    if (!ready) return answerRequest(options, exchange)
    return counted(ready.onDelivered, () => sendReady(ready, outgoing))
  }
  const broken = (error: unknown) => {
    options.onError(error)
    if (!outgoing.writableEnded) outgoing.destroy()
  }
  const abandon = () => {
    if (ready?.body instanceof ReadableStream) void ready.body.cancel()
  }
  turns.take(incoming, outgoing, { answer: () => run().catch(broken), abandon })
}

function readyAnswer({ shortcut, onError }: TransportOptions, incoming: IncomingMessage) {
  const plain = plainRequest(incoming)
  try {
    return plain && shortcut(plain)
  } catch (error) {
    onError(error)
    return undefined
  }
}

/** Runs `start`, which calls `Bun.serve` once, with more options for that call; `undefined` if it failed. */
function withServeOptions(more: object, start: () => void): Bun.Server<unknown> | undefined {
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

async function answerRequest(
  { isStreamed, fetch, refuse }: TransportOptions,
  { incoming, outgoing, wantBody }: Incoming,
): Promise<void> {
  const request = await toRequest(incoming, { isStreamed, wantBody })
  try {
    const problem = framingProblem(framingOf(incoming))
    const response = problem ? refuse(request, problem) : await fetch(request)
    const { onDelivered, onSent } = exchangeOf(request)
    await counted(onDelivered, () => send(response, outgoing, onSent))
  } catch (error) {
    if (!outgoing.headersSent) await send(refuse(request, undefined), outgoing, undefined)
    throw error
  } finally {
    if (!incoming.complete) {
      await request.body?.cancel().catch(() => {})
      dropRest(incoming)
    }
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

/** We are nobody's proxy. */
const noTunnel = () =>
  new Refusal('method_not_allowed', 'CONNECT is not allowed here', {
    headers: { Allow: 'GET, HEAD, OPTIONS' },
  })

import { beginExchange, type ClientSide, exchangeOf, type PlainRequest } from '../http/exchange.ts'
import type { WireResponse } from '../http/wire.ts'
import type { Refusal } from '../platform/errors.ts'
import type { BadHead, RequestHead } from './head.ts'
import type { IncomingBody } from './incoming-body.ts'
import type { Output } from './send.ts'
import { BrokenBody, sendResponse } from './send.ts'

/** Responds to requests that need no `Request`; one for which both functions return `undefined` goes to `fetch`. */
export interface FastPath {
  /** Prefix of the targets that it may respond to. */
  readonly prefix: string
  /** Responds at once. */
  cached: (request: PlainRequest) => WireResponse | undefined
  /** Responds when the connection has its time slice. */
  fresh: (request: PlainRequest) => WireResponse | undefined | Promise<WireResponse | undefined>
}

/** Services that responses need. */
export interface ResponseOptions {
  fastPath: FastPath
  fetch: (request: Request) => Promise<Response>
  /**
   * Returns the response to a request that the transport refuses itself, or that failed without a refusal.
   */
  refuse: (request: Request, refusal: Refusal | undefined) => Response
  /** Called for failures that no response reports. */
  onError: (error: unknown) => void
  /** Returns the current HTTP-date. */
  date: () => string
}

/** Connection that a response is sent on. */
export interface Channel {
  readonly options: ResponseOptions
  readonly client: ClientSide
  readonly output: Output
  /** True when the connection closes after the response. */
  readonly closes: boolean
  /** Closes the connection after the response. */
  finish: () => void
}

/**
 * Handles a request. Resolves when the whole response was sent or the client has disconnected.
 *
 * @throws when the response broke off: the connection must be cut.
 */
export async function respond(
  head: RequestHead,
  body: IncomingBody | undefined,
  channel: Channel,
): Promise<void> {
  const { fetch, refuse, onError } = channel.options
  const request = toRequest(head, body, channel.client)
  const sending = { request, knowsChunks: head.knowsChunks }
  if (head.target === '*') return sendOn(channel, serverOptions(), sending)
  try {
    await sendOn(channel, await fetch(request), sending)
  } catch (error) {
    if (error instanceof BrokenBody) throw error
    onError(error)
    await sendOn(channel, refuse(request, undefined), sending)
  }
}

/** Refuses a request with a bad head, of which only method, target and host are known. */
export async function refuseHead(
  { method, target, host = '', refusal }: BadHead,
  channel: Channel,
): Promise<void> {
  const { options, client } = channel
  const init = { method: method === 'HEAD' ? 'HEAD' : 'GET', headers: { host } }
  const request = begun(target, client, init)
  await sendOn(channel, options.refuse(request, refusal), { request, knowsChunks: false })
}

/** Returns the response to `OPTIONS *` (RFC 9110 §9.3.7). */
const serverOptions = () =>
  new Response(null, {
    status: 204,
    headers: { Allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT', 'X-Content-Type-Options': 'nosniff' },
  })

async function sendOn(
  channel: Channel,
  response: Response,
  { request, knowsChunks }: { request: Request; knowsChunks: boolean },
): Promise<void> {
  if (response.headers.get('connection') === 'close') {
    response.headers.delete('connection')
    channel.finish()
  }
  const { options, output, closes } = channel
  const { onDelivered, isHead } = exchangeOf(request)
  try {
    const sending = { output, date: options.date(), knowsChunks, closes, isHead }
    const bytes = await sendResponse(response, sending)
    onDelivered?.(bytes)
  } catch (error) {
    onDelivered?.(error instanceof BrokenBody ? error.bytesSent : 0)
    throw error
  }
}

/** Creates the app's `Request`. Its body is read from the client on demand. */
function toRequest(
  { method, target, headers, expectsContinue }: RequestHead,
  body: IncomingBody | undefined,
  client: ClientSide,
): Request {
  const isWanted = body && method !== 'GET' && method !== 'HEAD'
  const whole = isWanted && !expectsContinue ? body.whole() : undefined
  return begun(target, client, {
    method,
    headers: new Headers(headers),
    body: !isWanted ? null : (whole ?? streamOf(body)),
  })
}

function begun(target: string, client: ClientSide, init: RequestInit): Request {
  // With a shorter host the framework would miss the path.
  const request = new Request(`http://localhost${pathOfTarget(target)}`, init)
  beginExchange(request, client)
  return request
}

const PARENT_SEGMENT = /(?<=\/)(?:\.|%2e){2}(?=\/|$)/gi

/**
 * Returns path and query of a request target, also in absolute form (RFC 9112 §3.2.2). A backslash, which the
 * URL parser would turn into a slash, stays one. A segment `..`, which it would resolve, becomes a name that does
 * not exist; it may drop a segment `.`, which leads nowhere.
 */
function pathOfTarget(target: string): string {
  const origin = target.replace(/^https?:\/\/[^/?]*/i, '')
  if (!origin.startsWith('/')) return origin.startsWith('?') ? `/${origin}` : '/'
  const [path = ''] = origin.split('?', 1)
  return path.replaceAll('\\', '%5C').replace(PARENT_SEGMENT, '%00') + origin.slice(path.length)
}

/** Creates a stream that reads the body on demand. */
const streamOf = (body: IncomingBody): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      pull: async (controller) => {
        const chunk = await body.read()
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
      cancel: () => body.drop(),
    },
    { highWaterMark: 0 },
  )

import type { Random } from '../platform/random.ts'
import type { ShortBodies } from './short-bodies.ts'

/** Safe methods (RFC 9110 §9.2.1 and RFC 4918 §9.1) among those that are served. */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PROPFIND'])

/** Connection of a request, as far as the request needs it. */
export interface ClientSide {
  /** Address at the other end of the socket. */
  readonly peer: string
  /** Returns a signal that is aborted when the client disconnects. The first call creates it. */
  readonly leaving: () => AbortSignal
  /** Memory budget for bodies that are parsed whole. */
  readonly shortBodies: ShortBodies
  /** True when the server itself decrypts the connection. */
  readonly isEncrypted: boolean
}

/**
 * Context of a request, shared by transport and app, beyond what `Request` and `Response` carry. Keyed by the
 * request, because the framework rebuilds the response.
 */
export interface Exchange extends ClientSide {
  /** True when the response has no body, so that none should be opened. */
  readonly isHead: boolean
  /** Address of the client: the peer, or what a trusted proxy names. */
  clientAddress: string
  /** Id of the request in the log and in its response. */
  requestId?: string
  /** `Set-Cookie` lines of the response, beside the session's. */
  cookies?: string[]
  /** Version of the shared database before the request changed anything. */
  version?: number
  /**
   * Called once, when the transport has finished the response, with the number of body bytes that the client took:
   * fewer than its length when the client disconnected early.
   */
  onDelivered?: (bytesSent: number) => void
}

const exchanges = new WeakMap<Request, Exchange>()

/** Begins the exchange of a request that has just arrived. */
export function beginExchange(request: Request, client: ClientSide): Exchange {
  const exchange: Exchange = { ...client, isHead: request.method === 'HEAD', clientAddress: client.peer }
  exchanges.set(request, exchange)
  return exchange
}

/** @throws {Error} When `request` did not arrive through the transport. */
export function exchangeOf(request: Request): Exchange {
  const exchange = exchanges.get(request)
  if (!exchange) throw new Error('A request has no exchange')
  return exchange
}

/** Returns a signal that is aborted when the client of `request` disconnects, for work that takes long. */
export const leavingOf = (request: Request): AbortSignal => exchangeOf(request).leaving()

/** Device that a request comes from, as lists and the security log show it. */
export interface Device {
  ipAddress: string
  userAgent: string
}

/** Maximum length of a `User-Agent` in characters, because it is stored. */
const MAX_USER_AGENT = 512

/** Returns the device that a request comes from. */
export const deviceOf = (request: Request): Device => ({
  ipAddress: exchangeOf(request).clientAddress,
  userAgent: (request.headers.get('user-agent') ?? '').slice(0, MAX_USER_AGENT),
})

/** Returns the id that a proxy in front gave the request, if it is a plain one, or a new one. */
export const requestIdOf = (random: Random, given: string | null | undefined): string =>
  /^[\w-]{8,64}$/.test(given ?? '') ? String(given) : random.id()

/** Returns the path of a request as sent, without its query. */
export const pathOf = ({ url }: Request): string =>
  url.slice(url.indexOf('/', url.indexOf('//') + 2)).replace(/\?.*/s, '')

/** Returns a path as the log has it: without the secret of a signed upload. */
export const loggedPath = (path: string): string => path.replace(/^(\/api\/uploads\/signed\/)[^/]+/, '$1…')

/** Returns the request with another method, in the same exchange. */
export function restate(request: Request, method: string): Request {
  const restated = new Request(request, { method })
  exchanges.set(restated, exchangeOf(request))
  return restated
}

/**
 * Returns the request with the method that its client means, in an exchange for that method. The transport still frames
 * the response by the method on the wire.
 */
export function reinterpret(request: Request, method: string): Request {
  const reinterpreted = new Request(request, { method })
  exchanges.set(reinterpreted, { ...exchangeOf(request), isHead: method === 'HEAD' })
  return reinterpreted
}

/** Request as it arrived, without a `Request` for it. */
export interface PlainRequest {
  method: string
  /** Path and query as sent. */
  target: string
  /** Values by lower-case name, those of several lines joined. */
  headers: Readonly<Record<string, string | undefined>>
  peer: string
}

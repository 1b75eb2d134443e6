import type { ShortBodies } from './short-bodies.ts'

/** The connection of a request, as far as the request has to know it. */
export interface ClientSide {
  /** The address at the other end of the socket. */
  readonly peer: string
  /** Returns a signal that is aborted when the client disconnects. It is made at the first call. */
  readonly leaving: () => AbortSignal
  /** Where bodies that are parsed whole are collected. */
  readonly shortBodies: ShortBodies
}

/**
 * Context of a request, shared by transport and app, beyond what `Request` and `Response` carry. Keyed by the
 * request, because the framework rebuilds the response.
 */
export interface Exchange extends ClientSide {
  /** Whether the answer goes out without its body, so that none should be opened. */
  readonly isHead: boolean
  /** What tells this request from others in the log and in its answer. */
  requestId?: string
  /**
   * Called once, when the transport is done with the answer, with the number of body bytes that were handed
   * to the client: fewer than its length when the client left early.
   */
  onDelivered?: (bytesSent: number) => void
}

const exchanges = new WeakMap<Request, Exchange>()

/** Begins the exchange of a request that has just come in. */
export function beginExchange(request: Request, { peer, leaving, shortBodies }: ClientSide): Exchange {
  const exchange: Exchange = { peer, leaving, shortBodies, isHead: request.method === 'HEAD' }
  exchanges.set(request, exchange)
  return exchange
}

/** @throws when `request` did not come in through the transport. */
export function exchangeOf(request: Request): Exchange {
  const exchange = exchanges.get(request)
  if (!exchange) throw new Error('A request has no exchange')
  return exchange
}

/** Returns a signal that is aborted when the client of `request` disconnects, for work that takes long. */
export const leavingOf = (request: Request): AbortSignal => exchangeOf(request).leaving()

/** The same request by another method, within the same exchange. */
export function restate(request: Request, method: string): Request {
  const restated = new Request(request, { method })
  exchanges.set(restated, exchangeOf(request))
  return restated
}

/**
 * The same request by the method that its client means. On the wire it keeps its own: whether a response to it
 * has a body is decided by the method that was sent.
 */
export function reinterpret(request: Request, method: string): Request {
  const reinterpreted = new Request(request, { method })
  exchanges.set(reinterpreted, { ...exchangeOf(request), isHead: method === 'HEAD' })
  return reinterpreted
}

/** Request as it came in, of which no `Request` was made. */
export interface PlainRequest {
  method: string
  /** Path and query as they were sent. */
  target: string
  /** Values by lower-case name, those of several lines joined. */
  headers: Readonly<Record<string, string | undefined>>
  peer: string
}

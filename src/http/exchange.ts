/**
 * What the two ends of a request tell each other beyond what `Request` and `Response` carry: the transport
 * knows the peer's address and how many bytes left, the app knows who cares.
 */
const peers = new WeakMap<Request, string>()
const heads = new WeakSet<Request>()
const receipts = new WeakMap<Response, (bytesSent: number) => void>()

export function setPeer(request: Request, address: string): void {
  peers.set(request, address)
}

/** The address at the other end of the socket; empty when unknown. */
export const peerOf = (request: Request): string => peers.get(request) ?? ''

/**
 * The GET that a HEAD asks about. The framework would answer a HEAD by reading the whole body of its GET to
 * measure it; so it only ever sees the GET, and `isHead` tells who must not open a body.
 */
export function getForHead(request: Request): Request {
  const get = new Request(request, { method: 'GET' })
  setPeer(get, peerOf(request))
  heads.add(get)
  return get
}

/** The same request under another URL. */
export function copyOf(request: Request, url: string): Request {
  const copy = new Request(url, request)
  setPeer(copy, peerOf(request))
  if (heads.has(request)) heads.add(copy)
  return copy
}

export const isHead = (request: Request): boolean => heads.has(request)

/**
 * Has `receipt` called once, when the transport is done with `response`, with the number of body bytes
 * that were handed to the client: fewer than its length when the client left early.
 */
export function onDelivered(response: Response, receipt: (bytesSent: number) => void): Response {
  receipts.set(response, receipt)
  return response
}

export function delivered(response: Response, bytesSent: number): void {
  receipts.get(response)?.(bytesSent)
  receipts.delete(response)
}

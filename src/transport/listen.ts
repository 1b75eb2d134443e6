import { ShortBodies } from '../http/short-bodies.ts'
import { errorCode, StartError } from '../platform/errors.ts'
import { parseAddress } from '../platform/networks.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { Crowd, type CrowdLimits } from './crowd.ts'
import { Fairness } from './fairness.ts'
import { Intake } from './intake.ts'
import { Patience } from './patience.ts'
import type { ClientSocket } from './socket.ts'

export interface TransportOptions extends Omit<ConnectionOptions, 'fairness' | 'intake' | 'shortBodies'> {
  host: string
  /** Port to listen on; 0 for any free one. */
  port: number
  connectionLimits: CrowdLimits
  /** Called when a connection was refused because too many are open; at most once a minute. */
  onCrowd: (address: string) => void
  /** Returns milliseconds of a monotonic clock. */
  monotonic: () => number
  /** Idle timeout in milliseconds; 60,000 by default. */
  silenceMs?: number | undefined
  /** Milliseconds in which a body that is parsed whole must arrive; 30,000 by default. */
  shortBodyMs?: number
}

export interface Transport {
  port: number
  /**
   * Stops accepting, drains requests in flight, then cuts them and waits for their ends: `graceMs` in total.
   */
  stop: (graceMs: number) => Promise<void>
}

/** Default idle timeout in milliseconds: an upload may pause for half a minute. */
const SILENCE_MS = 60_000
/** Interval between two checks of each connection, in milliseconds. */
const WATCH_MS = 1000
/** Minimum time between two reports of refused connections, in milliseconds. */
const TELL_MS = 60_000
/** Interval at which a stopping server checks for its last request, in milliseconds. */
const STOP_POLL_MS = 10
/** Share of the grace period for transfers; the rest is for ending those that were cut. */
const TRANSFER_SHARE = 0.95

/**
 * Serves HTTP/1.1 (RFC 9112) over plain sockets. The runtime's servers cannot do all that a file host needs.
 * `Bun.serve` drops the length of a streamed body and does not report how much of one the client received
 * (https://github.com/oven-sh/bun/issues/10507). `node:http` costs twice as much per request, and has no
 * backpressure by bytes in either direction.
 *
 * @throws {StartError} when the address or the port is not available.
 */
export function listen(options: TransportOptions): Transport {
  const { monotonic, silenceMs = SILENCE_MS } = options
  const requests = new Set<Promise<unknown>>()
  const fetch = (request: Request) => {
    const response = options.fetch(request)
    const ended = response.catch(() => {}).finally(() => requests.delete(ended))
    requests.add(ended)
    return response
  }
  const fairness = new Fairness()
  const connections = new Map<Connection, Patience>()
  const intake = new Intake(connections)
  const shared = { ...options, fetch, fairness, intake, shortBodies: new ShortBodies(options.shortBodyMs) }
  const crowd = new Crowd(options.connectionLimits)
  const tellOfCrowd = atMostOnceA(TELL_MS, options, options.onCrowd)
  const listener = openListener(options, {
    open: (socket) => {
      const peer = peerOf(socket)
      if (peer === undefined || !crowd.enter(peer)) {
        if (peer !== undefined) tellOfCrowd(peer)
        socket.terminate()
        return
      }
      socket.data = new Connection(socket, peer, shared)
      connections.set(socket.data, new Patience(socket.data, silenceMs, monotonic()))
      intake.opened(socket.data)
    },
    data: ({ data: connection }, chunk) => connection?.take(chunk),
    drain: ({ data: connection }) => connection?.output.drained(),
    end: ({ data: connection }) => connection?.clientEnded(),
    close: ({ data: connection }) => {
      if (!connection) return
      connection.closed()
      intake.closed(connection)
      crowd.leave(connection.client.peer)
      connections.delete(connection)
    },
    error: ({ data: connection }, error) => {
      options.onError(error)
      connection?.leave()
    },
  })
  const watch = () => {
    const now = monotonic()
    for (const [connection, patience] of connections) if (patience.isOver(now)) connection.leave()
  }
  const watching = setInterval(watch, Math.min(WATCH_MS, silenceMs / 4))

  async function stop(graceMs: number): Promise<void> {
    listener.stop()
    const transferMs = Math.trunc(graceMs * TRANSFER_SHARE)
    for (const connection of connections.keys()) connection.finish()
    await waitWhile(() => connections.keys().some(({ phase }) => phase === 'answering'), transferMs)
    clearInterval(watching)
    for (const connection of connections.keys()) connection.leave()
    await waitWhile(() => requests.size > 0, graceMs - transferMs)
  }
  return { port: listener.port, stop }
}

/**
 * Returns the address of a client, IPv4 as such on a socket of both families; `undefined` for a client that has reset its
 * connection already.
 */
const peerOf = ({ remoteAddress }: ClientSocket): string | undefined =>
  remoteAddress?.startsWith('::ffff:') ? parseAddress(remoteAddress) : remoteAddress

/** Returns a function that reports unless it has within the last milliseconds. */
function atMostOnceA(
  ms: number,
  { monotonic }: Pick<TransportOptions, 'monotonic'>,
  report: (text: string) => void,
): (text: string) => void {
  let toldAt = Number.NEGATIVE_INFINITY
  return (text) => {
    if (monotonic() - toldAt < ms) return
    toldAt = monotonic()
    report(text)
  }
}

async function waitWhile(holds: () => boolean, limitMs: number): Promise<void> {
  const limit = AbortSignal.timeout(limitMs)
  while (holds() && !limit.aborted) await Bun.sleep(STOP_POLL_MS)
}

/**
 * Listens for a moment, so that a start that cannot listen changes nothing.
 *
 * @throws {StartError} when the address or the port is not available.
 */
export function assertCanListen(place: Pick<TransportOptions, 'host' | 'port'>): void {
  openListener(place, { data: () => {} }).stop(true)
}

function openListener(
  { host, port }: Pick<TransportOptions, 'host' | 'port'>,
  socket: Bun.SocketHandler<Connection | undefined>,
): Bun.TCPSocketListener<Connection | undefined> {
  try {
    return Bun.listen<Connection | undefined>({
      hostname: host,
      port,
      exclusive: true,
      allowHalfOpen: true,
      socket,
    })
  } catch (cause) {
    throw new StartError(whyNot({ host, port }, errorCode(cause)), { cause })
  }
}

function whyNot({ host, port }: Pick<TransportOptions, 'host' | 'port'>, code: string | undefined): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} is already in use on "${host}". Stop the other program, or set PORT.`
  if (code === 'EACCES')
    return `This user may not listen on port ${port}. Set PORT to 1024 or more, and put a proxy in front of it.`
  return `"${host}" is not an address of this machine. Set HOST, for example to 0.0.0.0 for all of its addresses.`
}

import { ShortBodies } from '../http/short-bodies.ts'
import { StartError } from '../platform/errors.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { Crowd, type CrowdLimits } from './crowd.ts'
import { Fairness } from './fairness.ts'
import { Patience } from './patience.ts'

export interface TransportOptions extends Omit<ConnectionOptions, 'fairness' | 'shortBodies'> {
  host: string
  /** 0 takes any free port. */
  port: number
  connectionLimits: CrowdLimits
  /** Told about a connection that was refused because too many are open; at most once a minute. */
  onCrowd: (address: string) => void
  /** Milliseconds on a clock that never goes back. */
  monotonic: () => number
  /** Milliseconds after which a client that neither sends nor takes anything is left; 60,000 unless said. */
  silenceMs?: number
  /** Milliseconds in which a body that is parsed whole must arrive; 30,000 unless said. */
  shortBodyMs?: number
}

export interface Transport {
  port: number
  /** Stops accepting, lets what is in flight finish, then cuts it and waits for its ends: `graceMs` in all. */
  stop: (graceMs: number) => Promise<void>
}

/** Milliseconds a client may stay silent: an upload may pause for half a minute. */
const SILENCE_MS = 60_000
/** How often each connection is looked at, in milliseconds. */
const WATCH_MS = 1000
/** Least time between two reports of refused connections, in milliseconds. */
const TELL_MS = 60_000
/** How often a stopping server looks whether its last request has ended, in milliseconds. */
const STOP_POLL_MS = 10
/** Part of the time for a stop in which transfers may finish; the rest is for ending those that were cut. */
const TRANSFER_SHARE = 0.95

/**
 * Speaks HTTP/1.1 (RFC 9112) over plain sockets. What the runtime brings for that cannot do all that the
 * serving of files needs: `Bun.serve` drops the length of a streamed body and does not tell how much of one
 * the client took (https://github.com/oven-sh/bun/issues/10507); `node:http` costs twice as much for each
 * request, and holds neither side of a connection back by bytes.
 *
 * @throws {StartError} when the address or the port cannot be had.
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
  const shared = { ...options, fetch, fairness, shortBodies: new ShortBodies(options.shortBodyMs) }
  const crowd = new Crowd(options.connectionLimits)
  let toldAt = Number.NEGATIVE_INFINITY
  const tellOfCrowd = (address: string) => {
    if (monotonic() - toldAt < TELL_MS) return
    toldAt = monotonic()
    options.onCrowd(address)
  }
  const connections = new Map<Connection, Patience>()
  const listener = openListener(options, {
    open: (socket) => {
      if (!crowd.enter(socket.remoteAddress)) {
        tellOfCrowd(socket.remoteAddress)
        socket.terminate()
        return
      }
      socket.data = new Connection(socket, shared)
      connections.set(socket.data, new Patience(socket.data, silenceMs, monotonic()))
    },
    data: ({ data: connection }, chunk) => connection?.take(chunk),
    drain: ({ data: connection }) => connection?.output.drained(),
    end: ({ data: connection }) => connection?.clientEnded(),
    close: ({ data: connection }) => {
      if (!connection) return
      connection.closed()
      crowd.leave(connection.peer)
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

async function waitWhile(holds: () => boolean, limitMs: number): Promise<void> {
  const limit = AbortSignal.timeout(limitMs)
  while (holds() && !limit.aborted) await Bun.sleep(STOP_POLL_MS)
}

/**
 * Listens for a moment, for a start that must change nothing when it cannot.
 *
 * @throws {StartError} when the address or the port cannot be had.
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
    throw new StartError(
      `Cannot listen on "${host}", port ${port}: HOST must be an address of this machine, such as 0.0.0.0, and PORT a port that is free and that you may use.`,
      { cause },
    )
  }
}

import { ShortBodies } from '../http/short-bodies.ts'
import { errorCode, StartError } from '../platform/errors.ts'
import { parseAddress } from '../platform/networks.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { Crowd, type CrowdLimits } from './crowd.ts'
import { Fairness } from './fairness.ts'
import { Intake } from './intake.ts'
import { Patience } from './patience.ts'
import type { ResponseOptions } from './respond.ts'
import type { ClientSocket } from './socket.ts'
import { type Certificate, Handshakes } from './tls.ts'

/** Port for TLS beside the plain one. */
export interface TlsOptions {
  /** Port to listen on; 0 for any free one. */
  port: number
  /** Returns the certificate for a new connection. While there is none, connections are refused. */
  certificate: () => Certificate | undefined
  /** Returns handlers of a client's connections to the plain port, in place of the server's. */
  plain: (peer: string) => Partial<Pick<ResponseOptions, 'fastPath' | 'fetch'>>
}

export interface TransportOptions
  extends Omit<ConnectionOptions, 'fairness' | 'intake' | 'shortBodies' | 'isEncrypted'> {
  host: string
  /** Port to listen on; 0 for any free one. */
  port: number
  tls?: TlsOptions | undefined
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
  /** Port for TLS, if there is one. */
  tlsPort: number | undefined
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
  const { monotonic, silenceMs = SILENCE_MS, tls } = options
  const requests = new Set<Promise<unknown>>()
  const fetch = (request: Request) => {
    const response = options.fetch(request)
    const ended = response.catch(() => {}).finally(() => requests.delete(ended))
    requests.add(ended)
    return response
  }
  const clients = new Clients({ ...options, fetch }, silenceMs)
  const handshakes = new Handshakes(monotonic)
  const listener = openListener(options, {
    ...clients.handlers,
    open: (socket) => {
      const peer = clients.admit(socket)
      if (peer !== undefined) clients.begin(socket, peer, { ...tls?.plain(peer), isEncrypted: false })
    },
    close: (socket) => {
      clients.handlers.close(socket)
      if (socket.data) clients.release(socket.data.client.peer)
    },
  })
  const tlsListener = tls && listenWithTls(options, tls, { clients, handshakes })
  const watching = setInterval(
    () => {
      handshakes.watch()
      clients.watch()
    },
    Math.min(WATCH_MS, silenceMs / 4),
  )

  async function stop(graceMs: number): Promise<void> {
    listener.stop()
    tlsListener?.stop()
    handshakes.stop()
    const { connections } = clients
    const transferMs = Math.trunc(graceMs * TRANSFER_SHARE)
    for (const connection of connections.keys()) connection.finish()
    await waitWhile(() => connections.keys().some(({ phase }) => phase === 'answering'), transferMs)
    clearInterval(watching)
    for (const connection of connections.keys()) connection.leave()
    await waitWhile(() => requests.size > 0, graceMs - transferMs)
  }
  return { port: listener.port, tlsPort: tlsListener?.port, stop }
}

type Peers = { clients: Clients; handshakes: Handshakes }

/** Listens for TLS. A connection counts from the moment it is accepted, and serves from the end of its handshake. */
function listenWithTls(
  options: TransportOptions,
  { port, certificate }: TlsOptions,
  { clients, handshakes }: Peers,
): Bun.TCPSocketListener<undefined> {
  return openListener<undefined>(
    { host: options.host, port, variable: 'HTTPS_PORT' },
    {
      open: (socket) => {
        const current = certificate()
        const peer = current && clients.admit(socket)
        if (!current) socket.terminate()
        if (!current || peer === undefined) return
        handshakes.begin(socket, {
          certificate: current,
          handlers: clients.handlers,
          succeeded: (encrypted) => clients.begin(encrypted, peer, { isEncrypted: true }),
          closed: () => clients.release(peer),
        })
      },
      // The runtime requires this one or `data`, which it would call with encrypted bytes.
      drain: () => {},
    },
  )
}

type Socket = Bun.Socket<Connection | undefined>

/** Open connections of a server, on all of its ports. */
class Clients {
  readonly connections = new Map<Connection, Patience>()
  readonly #options: TransportOptions
  readonly #silenceMs: number
  readonly #shared: Omit<ConnectionOptions, 'isEncrypted'>
  readonly #intake = new Intake(this.connections)
  readonly #crowd: Crowd
  readonly #tellOfCrowd: (address: string) => void

  constructor(options: TransportOptions, silenceMs: number) {
    this.#options = options
    this.#silenceMs = silenceMs
    const shortBodies = new ShortBodies(options.shortBodyMs)
    this.#shared = { ...options, fairness: new Fairness(), intake: this.#intake, shortBodies }
    this.#crowd = new Crowd(options.connectionLimits)
    this.#tellOfCrowd = atMostOnceA(TELL_MS, options, options.onCrowd)
  }

  /** Returns the address of a client that may connect. Past a limit, its connection is closed. */
  admit(socket: ClientSocket): string | undefined {
    const peer = peerOf(socket)
    if (peer !== undefined && this.#crowd.enter(peer)) return peer
    if (peer !== undefined) this.#tellOfCrowd(peer)
    socket.terminate()
    return undefined
  }

  /** Releases the place of a client that was admitted. */
  release(peer: string): void {
    this.#crowd.leave(peer)
  }

  /** Serves a connection. */
  begin(
    socket: Socket,
    peer: string,
    own: Pick<ConnectionOptions, 'isEncrypted'> & Partial<ConnectionOptions>,
  ): void {
    socket.data = new Connection(socket, peer, { ...this.#shared, ...own })
    this.connections.set(socket.data, new Patience(socket.data, this.#silenceMs, this.#options.monotonic()))
    this.#intake.opened(socket.data)
  }

  readonly handlers = {
    data: ({ data: connection }: Socket, chunk: Buffer): void => connection?.take(chunk),
    drain: ({ data: connection }: Socket): void => connection?.output.drained(),
    end: ({ data: connection }: Socket): void => connection?.clientEnded(),
    close: ({ data: connection }: Socket): void => {
      if (!connection) return
      connection.closed()
      this.#intake.closed(connection)
      this.connections.delete(connection)
    },
    error: ({ data: connection }: Socket, error: Error): void => {
      this.#options.onError(error)
      connection?.leave()
    },
  }

  /** Closes connections whose clients are too slow. */
  watch(): void {
    const now = this.#options.monotonic()
    for (const [connection, patience] of this.connections) if (patience.isOver(now)) connection.leave()
  }
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

interface Place {
  host: string
  port: number
  /** Variable that sets the port. */
  variable?: string
}

/**
 * Listens for a moment, so that a start that cannot listen changes nothing.
 *
 * @throws {StartError} when the address or the port is not available.
 */
export function assertCanListen(place: Place): void {
  openListener(place, { data: () => {} }).stop(true)
}

function openListener<Data>(place: Place, socket: Bun.SocketHandler<Data>): Bun.TCPSocketListener<Data> {
  try {
    return Bun.listen<Data>({
      hostname: place.host,
      port: place.port,
      exclusive: true,
      allowHalfOpen: true,
      socket,
    })
  } catch (cause) {
    throw new StartError(whyNot(place, errorCode(cause)), { cause })
  }
}

function whyNot({ host, port, variable = 'PORT' }: Place, code: string | undefined): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} is already in use on "${host}". Stop the other program, or set ${variable}.`
  if (code === 'EACCES')
    return `This user may not listen on port ${port}. Set ${variable} to 1024 or more, and put a proxy in front of it.`
  return `"${host}" is not an address of this machine. Set HOST, for example to 0.0.0.0 for all of its addresses.`
}

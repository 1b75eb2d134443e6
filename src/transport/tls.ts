import type { Connection } from './connection.ts'

/** Certificate with its chain, and its private key, in PEM. */
export interface Certificate {
  cert: string
  key: string
}

/** Time in which a client must finish its handshake, in milliseconds. */
const HANDSHAKE_MS = 10_000
/** The one protocol that is offered, as ALPN has it on the wire (RFC 7301 §3.1). */
const HTTP_1_1 = Buffer.from('\x08http/1.1')

type Encrypted = Bun.Socket<Connection | undefined>

interface Handshake {
  certificate: Certificate
  /** Handlers of the encrypted connection. */
  handlers: Bun.SocketHandler<Connection | undefined> & { close: (socket: Encrypted) => void }
  /** Called with the encrypted connection before its first byte. */
  succeeded: (socket: Encrypted) => void
  /** Called when the connection is closed, however far it came. */
  closed: () => void
}

/**
 * Handshakes of TLS (RFC 8446) under way. The runtime's own TLS listener reports a connection after its handshake, so one
 * that never ends it would neither be counted nor closed. Here a plain listener accepts, and the socket is upgraded.
 */
export class Handshakes {
  readonly #monotonic: () => number
  /** Time at which each began. */
  readonly #begun = new Map<Encrypted, number>()

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  /** Begins the handshake of a connection that was just accepted, whose socket is useless afterwards. */
  begin(accepted: Bun.Socket<undefined>, { certificate, handlers, succeeded, closed }: Handshake): void {
    const [, encrypted] = accepted.upgradeTLS<Connection | undefined>({
      tls: { ...certificate, ALPNProtocols: HTTP_1_1 },
      socket: {
        ...handlers,
        handshake: (socket, isSuccess) => {
          this.#begun.delete(socket)
          if (isSuccess) succeeded(socket)
          else socket.terminate()
        },
        close: (socket) => {
          this.#begun.delete(socket)
          handlers.close(socket)
          closed()
        },
      },
    })
    this.#begun.set(encrypted, this.#monotonic())
  }

  /** Closes the connections whose handshakes take too long. */
  watch(): void {
    const limit = this.#monotonic() - HANDSHAKE_MS
    for (const [encrypted, since] of this.#begun) if (since <= limit) encrypted.terminate()
  }

  /** Closes all connections without a finished handshake. */
  stop(): void {
    for (const encrypted of this.#begun.keys()) encrypted.terminate()
  }
}

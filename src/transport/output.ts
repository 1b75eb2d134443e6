import type { Fairness } from './fairness.ts'
import type { ClientSocket } from './socket.ts'

/** The sending side of a connection: keeps what the system did not take, and counts what it did. */
export class Output {
  readonly #socket: Pick<ClientSocket, 'write'>
  readonly #fairness: Fairness
  #unsent: Uint8Array | undefined
  #flushing: PromiseWithResolvers<void> | undefined
  #hasLeft = false
  #taken = 0

  constructor(socket: Pick<ClientSocket, 'write'>, fairness: Fairness) {
    this.#socket = socket
    this.#fairness = fairness
  }

  /** Bytes that the system took in all. */
  get taken(): number {
    return this.#taken
  }

  /** Whether the client has left, so that nothing can be sent any more. */
  get hasLeft(): boolean {
    return this.#hasLeft
  }

  /** Whether bytes wait for the client to take those before them. */
  get isBlocked(): boolean {
    return this.#unsent !== undefined
  }

  /**
   * Sends `bytes`, which must stay as they are until `flushed`.
   *
   * @throws while others wait: they would be lost.
   */
  write(bytes: Uint8Array): void {
    if (this.#unsent) throw new Error('Bytes are waiting to be sent before these')
    this.#send(bytes)
  }

  #send(bytes: Uint8Array): void {
    if (this.#hasLeft || bytes.length === 0) return
    const count = this.#socket.write(bytes)
    this.#taken += Math.max(0, count)
    if (count < 0) this.leave()
    else this.#unsent = count < bytes.length ? bytes.subarray(count) : undefined
  }

  /** Resolves when it is this connection's turn to send `bytes` more of a long body. */
  turn(bytes: number): Promise<void> | undefined {
    return this.#fairness.turn(bytes, 'sending')
  }

  /** Resolves when nothing is waiting any more, or the client has left. */
  flushed(): Promise<void> | undefined {
    if (!this.#unsent) return undefined
    this.#flushing ??= Promise.withResolvers()
    return this.#flushing.promise
  }

  /** The system takes more. */
  drained(): void {
    if (this.#unsent) this.#send(this.#unsent)
    if (!this.#unsent) this.#flush()
  }

  /** The client has left. */
  leave(): void {
    this.#hasLeft = true
    this.#unsent = undefined
    this.#flush()
  }

  #flush(): void {
    this.#flushing?.resolve()
    this.#flushing = undefined
  }
}

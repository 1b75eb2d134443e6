import type { Fairness } from './fairness.ts'
import type { ClientSocket } from './socket.ts'

/** Sending side of a connection: buffers what the kernel did not accept, and counts what it did. */
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

  /** Returns the total number of bytes accepted by the kernel. */
  get taken(): number {
    return this.#taken
  }

  /** True when the client has disconnected, so nothing can be sent any more. */
  get hasLeft(): boolean {
    return this.#hasLeft
  }

  /** True when bytes wait for the client to read earlier ones. */
  get isBlocked(): boolean {
    return this.#unsent !== undefined
  }

  /**
   * Sends `bytes`, which must not change until `flushed`.
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

  /** Resolves when this connection may send `bytes` more of a long body. */
  turn(bytes: number): Promise<void> | undefined {
    return this.#fairness.turn(bytes, 'sending')
  }

  /** Resolves when the buffer is empty, or the client has disconnected. */
  flushed(): Promise<void> | undefined {
    if (!this.#unsent) return undefined
    this.#flushing ??= Promise.withResolvers()
    return this.#flushing.promise
  }

  /** Continues to send: the kernel accepts more. */
  drained(): void {
    if (this.#unsent) this.#send(this.#unsent)
    if (!this.#unsent) this.#flush()
  }

  /** Discards the buffer: the client has disconnected. */
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

import type { Connection } from './connection.ts'

/** Time a connection stays open after its last response, in milliseconds. */
const LINGER_MS = 5000

/** Minimum rate, in bytes per millisecond over the idle timeout, at which a client must read and send. */
const MIN_BYTES_PER_MS = 1

/** Rate of a transfer, measured over windows of the idle timeout. */
class Rate {
  readonly #windowMs: number
  #window: { since: number; bytes: number } | undefined

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /**
   * Returns true when a window has ended in which the client was too slow.
   *
   * @param isClients True while the server waits for the client.
   * @param bytes Bytes transferred so far.
   */
  isLow(now: number, isClients: boolean, bytes: number): boolean {
    if (!isClients) this.#window = undefined
    else this.#window ??= { since: now, bytes }
    if (!this.#window || now - this.#window.since < this.#windowMs) return false
    if (bytes - this.#window.bytes < this.#windowMs * MIN_BYTES_PER_MS) return true
    this.#window = { since: now, bytes }
    return false
  }
}

/** Timeouts of one connection. */
export class Patience {
  readonly #connection: Connection
  readonly #silenceMs: number
  /** Time of the client's latest activity, and the bytes it had sent by then. */
  #silent: { since: number; received: number }
  #inHead: { since: number; heads: number } | undefined
  readonly #reading: Rate
  readonly #sending: Rate
  #droppingSince: number | undefined
  #lingeringSince: number | undefined

  /**
   * @param silenceMs Idle timeout in milliseconds; half of it is the deadline of a head.
   * @param now Milliseconds of a monotonic clock.
   */
  constructor(connection: Connection, silenceMs: number, now: number) {
    this.#connection = connection
    this.#silenceMs = silenceMs
    this.#silent = { since: now, received: 0 }
    this.#reading = new Rate(silenceMs)
    this.#sending = new Rate(silenceMs)
  }

  /** Returns true when a timeout has passed. Called periodically. */
  isOver(now: number): boolean {
    const { output, received, isReceiving } = this.#connection
    return (
      this.#isSilent(now) ||
      this.#headTakesLong(now) ||
      this.#reading.isLow(now, output.isBlocked, output.taken) ||
      this.#sending.isLow(now, isReceiving, received.bytes) ||
      this.#dropsLong(now) ||
      this.#lingersLong(now)
    )
  }

  #isSilent(now: number): boolean {
    const { received, isWaitingForClient, output } = this.#connection
    const isSilent = isWaitingForClient && !output.isBlocked && received.bytes === this.#silent.received
    if (!isSilent) this.#silent = { since: now, received: received.bytes }
    return now - this.#silent.since >= this.#silenceMs
  }

  #headTakesLong(now: number): boolean {
    const { isInHead, received } = this.#connection
    const { heads } = received
    if (!isInHead) this.#inHead = undefined
    else if (this.#inHead?.heads !== heads) this.#inHead = { since: now, heads }
    return this.#inHead !== undefined && now - this.#inHead.since >= this.#silenceMs / 2
  }

  /** True when a client takes too long to send the rest of a body whose response was already sent. */
  #dropsLong(now: number): boolean {
    if (!this.#connection.isDropping) this.#droppingSince = undefined
    else this.#droppingSince ??= now
    return this.#droppingSince !== undefined && now - this.#droppingSince >= this.#silenceMs
  }

  #lingersLong(now: number): boolean {
    if (this.#connection.phase !== 'lingering') return false
    this.#lingeringSince ??= now
    return now - this.#lingeringSince >= Math.min(LINGER_MS, this.#silenceMs)
  }
}

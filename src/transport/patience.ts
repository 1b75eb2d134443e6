import type { Connection } from './connection.ts'

/** How long a connection stays open behind its last answer, in milliseconds. */
const LINGER_MS = 5000

/** Bytes that a client which is sent something must take in a millisecond, over as long as it may be silent. */
const MIN_BYTES_PER_MS = 1

/** Knows how long a client may take. */
export class Patience {
  readonly #connection: Connection
  readonly #silenceMs: number
  /** When the client was last seen to do something, and what it had sent by then. */
  #silent: { since: number; received: number }
  #inHead: { since: number; heads: number } | undefined
  #blocked: { since: number; taken: number } | undefined
  #droppingSince: number | undefined
  #lingeringSince: number | undefined

  /**
   * @param silenceMs How long a client may neither send nor take anything; half of it is enough for a head.
   * @param now Milliseconds on a clock that never goes back.
   */
  constructor(connection: Connection, silenceMs: number, now: number) {
    this.#connection = connection
    this.#silenceMs = silenceMs
    this.#silent = { since: now, received: 0 }
  }

  /** Whether the client is to be left. Asked now and then. */
  isOver(now: number): boolean {
    return (
      this.#isSilent(now) ||
      this.#headTakesLong(now) ||
      this.#readsSlowly(now) ||
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

  #readsSlowly(now: number): boolean {
    const { isBlocked, taken } = this.#connection.output
    if (!isBlocked) this.#blocked = undefined
    else this.#blocked ??= { since: now, taken }
    if (!this.#blocked || now - this.#blocked.since < this.#silenceMs) return false
    if (taken - this.#blocked.taken < this.#silenceMs * MIN_BYTES_PER_MS) return true
    this.#blocked = { since: now, taken }
    return false
  }

  /** Whether a client takes long to send the rest of a body that was answered already. */
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

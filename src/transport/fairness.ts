/** Bytes of long bodies sent per tick: about a millisecond of work. */
const BYTES_PER_TURN = 1024 ** 2

/** Cost of a request that is not served from the cache, in bytes that could be sent instead. */
export const REQUEST_COST = BYTES_PER_TURN / 4

const LANES = ['sending', 'reading', 'changing', 'taking'] as const
/** Work classes: streaming a response body, a safe request, an unsafe request, receiving a body. */
export type Lane = (typeof LANES)[number]

interface Waiter {
  bytes: number
  resolve: () => void
}

/**
 * Round-robin scheduler of the whole server. A socket write that the kernel accepts in full never yields, so
 * one fast client could monopolize the event loop. Each tick spends a bounded amount of work, taken from the
 * lanes in rotation, so no request waits behind a flood in another lane. Cached responses bypass it.
 */
export class Fairness {
  #left = BYTES_PER_TURN
  readonly #waiting: Record<Lane, Waiter[]> = { sending: [], reading: [], changing: [], taking: [] }
  /** Number of turns given so far; it selects the next lane. */
  #count = 0
  #isRunning = false

  /** Resolves when `bytes` may be sent, or work of the same cost may be done. */
  turn(bytes: number, lane: Lane): Promise<void> | undefined {
    this.#begin()
    if (this.#left > 0) {
      this.#left -= bytes
      return undefined
    }
    return new Promise((resolve) => this.#waiting[lane].push({ bytes, resolve }))
  }

  #begin(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    setImmediate(() => this.#end())
  }

  #end(): void {
    this.#isRunning = false
    this.#left = BYTES_PER_TURN
    while (this.#left > 0) {
      const next = this.#next()
      if (!next) return
      this.#left -= next.bytes
      next.resolve()
      this.#begin()
    }
  }

  #next(): Waiter | undefined {
    for (const _ of LANES) {
      this.#count += 1
      const lane = LANES[this.#count % LANES.length]
      const next = lane && this.#waiting[lane].shift()
      if (next) return next
    }
    return undefined
  }
}

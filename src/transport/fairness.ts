/** Bytes of long bodies that are sent before other clients are looked after: about a millisecond of work. */
const BYTES_PER_TURN = 1024 ** 2

/** What a request costs that takes the long way, in the bytes that could be sent instead. */
export const REQUEST_COST = BYTES_PER_TURN / 4

const LANES = ['sending', 'reading', 'changing', 'taking'] as const
/** Work classes: sending a long body, answering a safe request, answering another one, taking in a body. */
export type Lane = (typeof LANES)[number]

interface Waiter {
  bytes: number
  resolve: () => void
}

/**
 * Keeps those who are sent long bodies, and those who ask all at once, from holding up everyone else: what the
 * system takes at once it takes from one after another, and meanwhile nobody's request would be read. The lanes
 * take turns, so that nobody waits behind a flood in another. Answers that are ready need no turn. One for the
 * whole server.
 */
export class Fairness {
  #left = BYTES_PER_TURN
  readonly #waiting: Record<Lane, Waiter[]> = { sending: [], reading: [], changing: [], taking: [] }
  /** How many turns were looked for: whose it is, by the lane. */
  #count = 0
  #isRunning = false

  /** Resolves when `bytes` may be sent, or work that costs as much may be done. */
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

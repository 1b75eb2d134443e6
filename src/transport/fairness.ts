/** Bytes of long bodies that are sent before other clients are looked after: about a millisecond of work. */
const BYTES_PER_TURN = 1024 ** 2

/** What a request costs that takes the long way, in the bytes that could be sent instead. */
export const REQUEST_COST = BYTES_PER_TURN / 4

/**
 * Keeps those who are sent long bodies, and those who ask all at once, from holding up everyone else: what the
 * system takes at once it takes from one after another, and meanwhile nobody's request would be read. Answers
 * that are ready need no turn. One for the whole server.
 */
export class Fairness {
  #left = BYTES_PER_TURN
  readonly #waiting: { bytes: number; resolve: () => void }[] = []
  #isRunning = false

  /** Resolves when `bytes` may be sent, or work that costs as much may be done. */
  turn(bytes: number): Promise<void> | undefined {
    this.#begin()
    if (this.#left > 0) {
      this.#left -= bytes
      return undefined
    }
    return new Promise((resolve) => this.#waiting.push({ bytes, resolve }))
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
      const next = this.#waiting.shift()
      if (!next) return
      this.#left -= next.bytes
      next.resolve()
      this.#begin()
    }
  }
}

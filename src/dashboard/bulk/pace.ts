/** Requests of bulk work in a minute: half of the API's default limit. The other half is left to the pages. */
const REQUESTS_PER_MINUTE = 150
/** Fewer than this would make no progress to speak of. */
const MIN_PER_MINUTE = 10
const MINUTE_MS = 60_000

/** Holds bulk work back so that the limit on requests leaves room for the pages. */
export class Pace {
  readonly #now: () => number
  #perMinute = REQUESTS_PER_MINUTE
  /** When the requests of the last minute left. */
  #sent: number[] = []

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Counts a request and returns 0, or returns the milliseconds until there is room for one. */
  take(): number {
    const now = this.#now()
    this.#sent = this.#sent.filter((at) => now - at < MINUTE_MS)
    const oldest = this.#sent.at(-this.#perMinute)
    if (oldest !== undefined) return oldest + MINUTE_MS - now
    this.#sent.push(now)
    return 0
  }

  /** Sends half as many from now on, because the server refused one. */
  slowDown(): void {
    this.#perMinute = Math.max(MIN_PER_MINUTE, Math.floor(this.#perMinute / 2))
  }
}

/** The pace of uploads, deletes, moves and changes of visibility together. */
export const pace = new Pace()

/** Requests of bulk work per minute: half of the API's default limit, so that pages keep the other half. */
const REQUESTS_PER_MINUTE = 150
/** Minimum of requests per minute. */
const MIN_PER_MINUTE = 10
const MINUTE_MS = 60_000

/** Rate limiter for bulk work that leaves room for the pages. */
export class Pace {
  readonly #now: () => number
  #perMinute = REQUESTS_PER_MINUTE
  /** Times of the requests in the last minute. */
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

  /** Halves the rate after the server refused a request. */
  slowDown(): void {
    this.#perMinute = Math.max(MIN_PER_MINUTE, Math.floor(this.#perMinute / 2))
  }
}

/** Shared rate of uploads, deletions, moves and changes of visibility. */
export const pace = new Pace()

/** Waits until the time is over or `signal` aborts. */
export function sleep(ms: number, signal = new AbortController().signal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal.aborted) resolve()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  return promise.finally(() => clearTimeout(timer))
}

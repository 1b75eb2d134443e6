interface RateLimitOptions {
  /** Requests that one bucket may make in a window; 0 turns the limit off. */
  limit: number
  /** Length of the window in milliseconds. Default a minute. */
  windowMs?: number
  /** Milliseconds on a clock that never goes back. */
  monotonic: () => number
  /** The most buckets held at once, 2 or more. Default 100,000; past it the oldest are forgotten. */
  maxBuckets?: number
}

export interface RateLimiter {
  /** Counts a request: 0 when it is allowed, else the whole seconds (at least 1) until it would be. */
  take(bucket: string): number
  /** What `take` would return, without counting. */
  peek(bucket: string): number
  /** Forgets what a bucket has used of its minute. */
  forget(bucket: string): void
  /** How many buckets are held in memory, ended windows included. */
  readonly size: number
}

/** One bucket's minute, from its first request. */
interface Window {
  count: number
  /** Exclusive, in milliseconds of the monotonic clock. */
  endsAt: number
}

const WINDOW_MS = 60_000

/**
 * Makes a limiter that counts requests in a fixed minute from each bucket's first one.
 *
 * Windows are kept in two generations. Every one lasts a minute, so when the young generation is a minute
 * old the whole of the old one has ended and is dropped at once: no timer, no scan. A young generation that
 * is full ages early, which is how the oldest buckets make room in a flood.
 */
export function createRateLimiter({
  limit,
  windowMs = WINDOW_MS,
  monotonic,
  maxBuckets = 100_000,
}: RateLimitOptions): RateLimiter {
  const maxYoung = Math.max(1, Math.floor(maxBuckets / 2))
  let young = new Map<string, Window>()
  let old = new Map<string, Window>()
  let youngEndsAt = monotonic() + windowMs

  const open = (bucket: string, now: number): Window => {
    const endsAt = now + windowMs
    if (now >= youngEndsAt || young.size >= maxYoung) {
      old = young
      young = new Map()
      youngEndsAt = endsAt
    }
    const window = { count: 0, endsAt }
    young.set(bucket, window)
    return window
  }

  const held = (bucket: string, now: number): Window | undefined => {
    const window = young.get(bucket) ?? old.get(bucket)
    return window !== undefined && now < window.endsAt ? window : undefined
  }

  const waitOf = (window: Window, now: number): number =>
    window.count < limit ? 0 : Math.ceil((window.endsAt - now) / 1000)

  return {
    take(bucket) {
      if (limit === 0) return 0
      const now = monotonic()
      const window = held(bucket, now) ?? open(bucket, now)
      const wait = waitOf(window, now)
      if (wait === 0) window.count += 1
      return wait
    },
    peek(bucket) {
      const now = monotonic()
      const window = limit === 0 ? undefined : held(bucket, now)
      return window ? waitOf(window, now) : 0
    },
    forget(bucket) {
      young.delete(bucket)
      old.delete(bucket)
    },
    get size() {
      return young.size + old.size
    },
  }
}

interface RateLimitOptions {
  /** Requests that one bucket may make in a window; 0 turns the limit off. */
  limit: number
  /** Length of the window in milliseconds. Default a minute. */
  windowMs?: number
  /** Returns milliseconds on a clock that never goes back. */
  monotonic: () => number
  /** Most buckets at once, 2 or more. Default 100,000; past it the oldest are evicted. */
  maxBuckets?: number
}

export interface RateLimiter {
  /** Counts a request. Returns 0 if it is allowed, else the whole seconds (at least 1) until it would be. */
  take(bucket: string): number
  /** Returns the same as `take`, without counting. */
  peek(bucket: string): number
  /** Resets a bucket. */
  forget(bucket: string): void
  /** Number of buckets in memory, ended windows included. */
  readonly size: number
}

/** Window of one bucket, from its first request. */
interface Window {
  count: number
  /** Exclusive, in milliseconds of the monotonic clock. */
  endsAt: number
}

const WINDOW_MS = 60_000

/**
 * Returns a limiter with a fixed window for each bucket, from its first request.
 *
 * Windows live in two generations. All windows are equally long: when the young generation is one window old, every
 * window of the old generation has ended. It is evicted whole, without a timer or a scan. In a flood the young
 * generation fills up and ages early, which evicts the oldest buckets.
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

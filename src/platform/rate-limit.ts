import { isIPv4 } from 'node:net'
import { LRUCache } from 'lru-cache'
import { groupsOf, parseAddress } from './networks.ts'

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

/** Count of one bucket by all servers. */
export interface SharedCount {
  count: number
  /** Time to the end of the window, in milliseconds. */
  endsInMs: number
}

/** Adds to the counts of buckets that servers share, and returns the sums. */
export type AddShared = (
  counts: ReadonlyMap<string, number>,
  windowMs: number,
) => Promise<ReadonlyMap<string, SharedCount>>

/** Window of one bucket, from its first request. */
interface Window {
  count: number
  /** Part of the count that the other servers know. */
  shared: number
  /** Exclusive, in milliseconds of the monotonic clock. */
  endsAt: number
}

const WINDOW_MS = 60_000
/** Maximum buckets that are exchanged at a time. */
const MAX_EXCHANGED = 1000

/**
 * Limiter with a fixed window for each bucket, from its first request.
 *
 * Windows live in two generations. All windows are equally long: when the young generation is one window old, every
 * window of the old generation has ended. It is evicted whole, without a timer or a scan. In a flood the young
 * generation fills up and ages early, which evicts the oldest buckets.
 */
export class RateLimiter {
  readonly #limit: number
  readonly #windowMs: number
  readonly #monotonic: () => number
  readonly #maxYoung: number
  #young = new Map<string, Window>()
  #old = new Map<string, Window>()
  #youngEndsAt: number

  constructor({ limit, windowMs = WINDOW_MS, monotonic, maxBuckets = 100_000 }: RateLimitOptions) {
    this.#limit = limit
    this.#windowMs = windowMs
    this.#monotonic = monotonic
    this.#maxYoung = Math.max(1, Math.floor(maxBuckets / 2))
    this.#youngEndsAt = monotonic() + windowMs
  }

  /** Number of buckets in memory, ended windows included. */
  get size(): number {
    return this.#young.size + this.#old.size
  }

  /** Counts a request. Returns 0 if it is allowed, else the whole seconds (at least 1) until it would be. */
  readonly take = (bucket: string): number => {
    if (this.#limit === 0) return 0
    const now = this.#monotonic()
    const window = this.#held(bucket, now) ?? this.#open(bucket, now)
    const wait = this.#waitOf(window, now)
    if (wait === 0) window.count += 1
    return wait
  }

  /** Returns the same as `take`, without counting. */
  peek(bucket: string): number {
    const now = this.#monotonic()
    const window = this.#limit === 0 ? undefined : this.#held(bucket, now)
    return window ? this.#waitOf(window, now) : 0
  }

  /** Resets a bucket. */
  forget(bucket: string): void {
    this.#young.delete(bucket)
    this.#old.delete(bucket)
  }

  /**
   * Adds what was counted since the last exchange to the counts of all servers, and adopts the sums: those of the
   * buckets that counted most.
   *
   * @param name Name that no other limiter has.
   */
  async exchange(name: string, add: AddShared): Promise<void> {
    const busiest = this.#counted()
      .sort((one, other) => other.more - one.more)
      .slice(0, MAX_EXCHANGED)
    if (busiest.length === 0) return
    const sums = await add(
      new Map(busiest.map(({ bucket, more }) => [`${name} ${bucket}`, more])),
      this.#windowMs,
    )
    const then = this.#monotonic()
    for (const { bucket, window, more } of busiest) {
      const sum = sums.get(`${name} ${bucket}`)
      if (!sum) continue
      const since = window.count - window.shared - more
      Object.assign(window, { count: sum.count + since, shared: sum.count, endsAt: then + sum.endsInMs })
    }
  }

  /** Returns the windows that counted more than the other servers know. */
  #counted() {
    const now = this.#monotonic()
    return [...this.#old, ...this.#young]
      .map(([bucket, window]) => ({ bucket, window, more: window.count - window.shared }))
      .filter(({ window, more }) => more > 0 && now < window.endsAt)
  }

  #open(bucket: string, now: number): Window {
    const endsAt = now + this.#windowMs
    if (now >= this.#youngEndsAt || this.#young.size >= this.#maxYoung) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngEndsAt = endsAt
    }
    const window = { count: 0, shared: 0, endsAt }
    this.#young.set(bucket, window)
    return window
  }

  #held(bucket: string, now: number): Window | undefined {
    const window = this.#young.get(bucket) ?? this.#old.get(bucket)
    return window !== undefined && now < window.endsAt ? window : undefined
  }

  #waitOf(window: Window, now: number): number {
    return window.count < this.#limit ? 0 : Math.ceil((window.endsAt - now) / 1000)
  }
}

/**
 * Returns the name under which an address is counted. One client can own a whole IPv6 /64, so that is one name. An
 * IPv4-mapped address is the IPv4 address. Text that is no address is its own name.
 */
export const rateLimitBucket = (address: string): string =>
  // Without a colon it is IPv4 or no address at all: its own name either way.
  address.includes(':') ? BUCKETS.memo(address) : address

/** Buckets of addresses with a colon, as many as are remembered. A client with a whole /64 can send from more. */
const BUCKETS = new LRUCache<string, string>({
  max: 16_384,
  memoMethod: (text) => {
    const address = parseAddress(text)
    if (address === undefined) return text
    return isIPv4(address) ? address : `${groupsOf(address).slice(0, 4).join(':')}::/64`
  },
})

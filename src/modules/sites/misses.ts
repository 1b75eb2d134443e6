import type { Context } from '../../access/context.ts'
import { RateLimiter, rateLimitBucket } from '../../platform/rate-limit.ts'
import { WriteBehind } from '../../platform/write-behind.ts'
import type { SiteMiss } from '../../store/rows.ts'
import { pathOf } from './answer.ts'

/** Paths in memory, of all sites, until they are saved. */
const MAX_PENDING = 1000
/** Maximum length of a path, in characters. Longer ones are typed by no visitor. */
const MAX_PATH = 500
const BUDGET_WINDOW_MS = 3_600_000
/** Misses of one address that are noted in an hour, so that a scanner does not push out what visitors miss. */
const BUDGET = 100

/** Paths that visitors of sites asked for in vain. */
export class Misses {
  readonly #deps: Pick<Context, 'clock'>
  readonly #pending: WriteBehind<SiteMiss>
  readonly #budget: RateLimiter

  constructor(deps: Pick<Context, 'clock' | 'store'>) {
    const { clock, store } = deps
    this.#deps = deps
    this.#budget = new RateLimiter({
      ...{ limit: BUDGET, windowMs: BUDGET_WINDOW_MS, maxBuckets: 10_000 },
      monotonic: clock.monotonic,
    })
    this.#pending = new WriteBehind<SiteMiss>({
      merge: (miss, { count, lastAt }) => {
        miss.count += count
        miss.lastAt = lastAt
      },
      save: (misses) => store.transact(() => store.sites.addMisses(misses, clock.now())),
    })
  }

  /**
   * Notes a request that found no page. Paths of hidden files, which only scanners ask for, are left out.
   *
   * @param path Path as sent.
   */
  note(siteId: string, path: string, address: string): void {
    const key = `${siteId} ${path}`
    if (path.length > MAX_PATH || !pathOf(path) || this.#pending.size >= MAX_PENDING) return
    if (this.#budget.take(rateLimitBucket(address)) > 0) return
    const lastAt = this.#deps.clock.now()
    this.#pending.add(key, { siteId, path, count: 1, lastAt })
  }

  flush(): Promise<void> {
    return this.#pending.flush()
  }
}

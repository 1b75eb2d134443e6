import type { Clock } from '../platform/clock.ts'
import { DAY_MS, utcDay } from '../platform/time.ts'
import { WriteBehind } from '../platform/write-behind.ts'
import type { Core } from '../store/core.ts'
import type { KeyRequests, KeyRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

/** Requests made with an API key on one UTC day, and the time of the last of them. */
type Usage = KeyRequests & { usedAt: number }

/** Counts of requests made with API keys, each for the UTC day of the request. */
export class KeyUsage {
  readonly #clock: Clock
  readonly #counts: WriteBehind<Usage>

  constructor({ store, clock }: { store: Store; clock: Clock }) {
    this.#clock = clock
    this.#counts = new WriteBehind<Usage>({
      merge(usage, newer) {
        usage.count += newer.count
        usage.usedAt = Math.max(usage.usedAt, newer.usedAt)
      },
      save: (usages) =>
        store.transact(function* () {
          for (const usage of usages) {
            yield* store.apiRequests.add(usage)
            yield* store.keys.used(usage.keyId, usage.usedAt)
          }
        }),
    })
  }

  /** Counts a request made with an API key, successful or not. */
  used({ id: keyId, userId }: KeyRow): void {
    const usedAt = this.#clock.now()
    const day = utcDay(usedAt)
    this.#counts.add(`${day} ${keyId}`, { userId, keyId, day, count: 1, usedAt })
  }

  flush(): Promise<void> {
    return this.#counts.flush()
  }
}

/** Removes the request counts of days past the retention in the settings. */
export async function pruneApiRequests({ store, clock }: Pick<Core, 'store' | 'clock'>): Promise<void> {
  const { apiRequestRetentionDays } = store.settings.current()
  const firstDay = utcDay(Math.max(0, clock.now() - apiRequestRetentionDays * DAY_MS))
  await store.removeInSlices((limit) => store.apiRequests.removeBefore(firstDay, limit))
}

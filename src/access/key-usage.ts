import type { Deps } from '../deps.ts'
import { DAY_MS, utcDay } from '../platform/time.ts'
import type { KeyRequests, KeyRow } from '../store/rows.ts'

/** Requests that are not in the catalog yet, and when the last of them was made. */
type Usage = KeyRequests & { usedAt: number }

/** Keys whose counts are saved in one transaction, so that other requests wait no longer than for these. */
const SLICE_ROWS = 50

export type KeyUsage = ReturnType<typeof createKeyUsage>

/**
 * Counts requests made with API keys in memory, for the UTC day on which they were made, until `flush` adds
 * them to the store. A crash loses what was counted since the last flush.
 */
export function createKeyUsage({ store, clock }: Pick<Deps, 'store' | 'clock'>) {
  let counts = new Map<string, Usage>()
  let saving = Promise.resolve()

  function add(usage: Usage): void {
    const name = `${usage.day} ${usage.keyId}`
    const counted = counts.get(name)
    if (!counted) {
      counts.set(name, usage)
      return
    }
    counted.count += usage.count
    counted.usedAt = Math.max(counted.usedAt, usage.usedAt)
  }

  /** A request was made with `key`, whatever becomes of it. */
  function used({ id: keyId, userId }: KeyRow): void {
    const usedAt = clock.now()
    add({ userId, keyId, day: utcDay(usedAt), count: 1, usedAt })
  }

  /** Adds the counts to the catalog, after a flush that is still at it; what fails is kept for the next time. */
  function flush(): Promise<void> {
    saving = saving.catch(() => {}).then(save)
    return saving
  }

  async function save(): Promise<void> {
    const left = [...counts.values()]
    counts = new Map()
    try {
      while (left.length > 0) {
        await store.transact(() => {
          for (const usage of left.slice(0, SLICE_ROWS)) {
            store.apiRequests.add(usage)
            store.keys.used(usage.keyId, usage.usedAt)
          }
        })
        left.splice(0, SLICE_ROWS)
      }
    } catch (error) {
      for (const usage of left) add(usage)
      throw error
    }
  }

  return { used, flush }
}

/** Forgets the request counts of days that ended longer ago than settings say. */
export async function pruneApiRequests({
  store,
  clock,
  settings,
}: Pick<Deps, 'store' | 'clock' | 'settings'>): Promise<void> {
  const { apiRequestRetentionDays } = settings.current()
  const firstKept = utcDay(Math.max(0, clock.now() - apiRequestRetentionDays * DAY_MS))
  await store.removeInSlices((limit) => store.apiRequests.removeBefore(firstKept, limit))
}

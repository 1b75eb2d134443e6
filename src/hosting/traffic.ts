import type { DayTraffic, FileTraffic } from '../catalog/traffic.ts'
import type { Deps } from '../deps.ts'

const DAY_MS = 86_400_000
/** UTC days for which counts are kept, today included. */
const FILE_DAYS = 30
const TOTAL_DAYS = 366
/** Counts forgotten in one transaction: each is on a page of its own, and other requests wait for them all. */
const SLICE_ROWS = 100

export type Traffic = ReturnType<typeof createTraffic>

/**
 * Counts hosting traffic in memory, for the UTC day on which it happened, until `flush` adds it to the
 * catalog. A crash loses what was counted since the last flush.
 */
export function createTraffic({ catalog, clock }: Pick<Deps, 'catalog' | 'clock'>) {
  let days = new Map<string, DayTraffic>()
  let files = new Map<string, FileTraffic>()
  let saving = Promise.resolve()

  const daysAgo = (days: number) => new Date(clock.now() - days * DAY_MS).toISOString().slice(0, 10)
  const today = () => daysAgo(0)

  function dayOf(day: string): DayTraffic {
    const counted = days.get(day) ?? { day, requests: 0, bytes: 0, notFound: 0 }
    days.set(day, counted)
    return counted
  }

  function fileOf(day: string, fileId: string): FileTraffic {
    const counted = files.get(`${day} ${fileId}`) ?? { day, fileId, requests: 0, bytes: 0 }
    files.set(`${day} ${fileId}`, counted)
    return counted
  }

  /** A request that a file answered, and the bytes of it that were handed to the client. */
  function served(fileId: string, bytes: number): void {
    const day = today()
    for (const counted of [dayOf(day), fileOf(day, fileId)]) {
      counted.requests += 1
      counted.bytes += bytes
    }
  }

  /** A request that found nothing it may have. */
  function missed(): void {
    dayOf(today()).notFound += 1
  }

  /**
   * Adds the counts to the catalog in one transaction; if that fails they are kept for the next time. Once
   * it resolves, everything counted before the call is there: what an earlier call saves is waited for.
   */
  function flush(): Promise<void> {
    saving = saving.catch(() => {}).then(save)
    return saving
  }

  async function save(): Promise<void> {
    if (days.size === 0) return
    const [flushedDays, flushedFiles] = [days, files]
    days = new Map()
    files = new Map()
    try {
      await catalog.transact(() => {
        for (const counted of flushedDays.values()) catalog.traffic.addDay(counted)
        for (const counted of flushedFiles.values()) catalog.traffic.addFile(counted)
      })
    } catch (error) {
      for (const { day, requests, bytes, notFound } of flushedDays.values()) {
        const counted = dayOf(day)
        counted.requests += requests
        counted.bytes += bytes
        counted.notFound += notFound
      }
      for (const { day, fileId, requests, bytes } of flushedFiles.values()) {
        const counted = fileOf(day, fileId)
        counted.requests += requests
        counted.bytes += bytes
      }
      throw error
    }
  }

  /** Forgets counts that are past their retention (spec: Hosting traffic counting). */
  async function prune(): Promise<void> {
    const window = { filesBefore: daysAgo(FILE_DAYS - 1), daysBefore: daysAgo(TOTAL_DAYS - 1) }
    while (catalog.traffic.isStale(window)) {
      await catalog.transact(() => catalog.traffic.prune(window, SLICE_ROWS))
    }
  }

  return { served, missed, flush, prune }
}

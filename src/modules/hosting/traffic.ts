import type { Deps } from '../../deps.ts'
import { DAY_MS, utcDay } from '../../platform/time.ts'
import { type DayTraffic, FILE_TRAFFIC_DAYS, type FileTraffic } from '../../store/rows.ts'

/** UTC days for which the totals are kept, today included. */
const TOTAL_DAYS = 366
/** Counts of files saved or forgotten in one transaction: each is on pages of its own, and requests wait for all. */
const SLICE_ROWS = 50

/** What was counted for one UTC day since the last flush. */
interface CountedDay {
  total: DayTraffic
  /** By file id. */
  files: Map<string, FileTraffic>
}

export type Traffic = ReturnType<typeof createTraffic>

/**
 * Counts hosting traffic in memory, for the UTC day on which it happened, until `flush` adds it to the
 * store. A crash loses what was counted since the last flush.
 */
export function createTraffic({ store, clock }: Pick<Deps, 'store' | 'clock'>) {
  let days = new Map<string, CountedDay>()
  let saving = Promise.resolve()
  const all = { requests: 0, bytes: 0, notFound: 0 }
  let latest = { number: Number.NaN, name: '' }

  const daysAgo = (days: number) => utcDay(clock.now() - days * DAY_MS)

  function today(): string {
    const number = Math.floor(clock.now() / DAY_MS)
    if (number !== latest.number) latest = { number, name: daysAgo(0) }
    return latest.name
  }

  function dayOf(day: string): CountedDay {
    const known = days.get(day)
    if (known) return known
    const counted = { total: { day, requests: 0, bytes: 0, notFound: 0 }, files: new Map() }
    days.set(day, counted)
    return counted
  }

  function fileOf({ total, files }: CountedDay, fileId: string): FileTraffic {
    const known = files.get(fileId)
    if (known) return known
    const counted = { day: total.day, fileId, requests: 0, bytes: 0 }
    files.set(fileId, counted)
    return counted
  }

  function add(counted: { requests: number; bytes: number }, requests: number, bytes: number): void {
    counted.requests += requests
    counted.bytes += bytes
  }

  /** A request that a file answered, and the bytes of it that were handed to the client. */
  function served(fileId: string, bytes: number): void {
    const day = dayOf(today())
    add(all, 1, bytes)
    add(day.total, 1, bytes)
    add(fileOf(day, fileId), 1, bytes)
  }

  /** A request that found nothing it may have. */
  function missed(): void {
    all.notFound += 1
    dayOf(today()).total.notFound += 1
  }

  /**
   * Adds the counts to the catalog; what fails is kept for the next time. Once it resolves, everything counted
   * before the call is there: what an earlier call saves is waited for.
   */
  function flush(): Promise<void> {
    saving = saving.catch(() => {}).then(save)
    return saving
  }

  async function save(): Promise<void> {
    const flushed = days
    days = new Map()
    try {
      for (const [day, counted] of flushed) {
        await saveDay(counted)
        flushed.delete(day)
      }
    } catch (error) {
      for (const { total, files } of flushed.values()) {
        const day = dayOf(total.day)
        add(day.total, total.requests, total.bytes)
        day.total.notFound += total.notFound
        for (const { fileId, requests, bytes } of files.values()) add(fileOf(day, fileId), requests, bytes)
      }
      throw error
    }
  }

  /**
   * Saves some files at a time, so that requests are answered between, and the total with the last of them. In the
   * order of their ids they share pages: in any other, twice as much would be written.
   */
  async function saveDay({ total, files }: CountedDay): Promise<void> {
    const ids = [...files.keys()].sort()
    for (let saved = 0; saved <= ids.length; saved += SLICE_ROWS) {
      const some = ids.slice(saved, saved + SLICE_ROWS)
      await store.transact(() => {
        for (const id of some) store.traffic.addFile(fileOf({ total, files }, id))
        if (saved + SLICE_ROWS > ids.length) store.traffic.addDay(total)
      })
      for (const id of some) files.delete(id)
    }
  }

  /** Forgets counts that are past their retention (spec: Hosting traffic counting). */
  async function prune(): Promise<void> {
    const window = { filesBefore: daysAgo(FILE_TRAFFIC_DAYS - 1), daysBefore: daysAgo(TOTAL_DAYS - 1) }
    while (store.traffic.isStale(window)) {
      await store.transact(() => store.traffic.prune(window, SLICE_ROWS))
    }
  }

  return {
    served,
    missed,
    flush,
    prune,
    /** What this process counted, whether or not it is saved. */
    sinceStart: () => ({ ...all }),
  }
}

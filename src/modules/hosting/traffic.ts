import type { Clock } from '../../platform/clock.ts'
import { DAY_MS, utcDay } from '../../platform/time.ts'
import { WriteBehind } from '../../platform/write-behind.ts'
import { type DayTraffic, FILE_TRAFFIC_DAYS } from '../../store/rows.ts'
import type { Door } from '../../store/store.ts'

/** UTC days of which the catalog retains the totals, today included. */
const TOTAL_DAYS = 366
/** Counts of files removed in one transaction: each is on pages of its own, and requests wait for all. */
const SLICE_ROWS = 50

/** Key of the total. It sorts after all file ids, so that the total is saved with the last file. */
const TOTAL_KEY = '~'

/** Traffic of one file, or of all files, by UTC day. */
interface Counted {
  key: string
  days: DayTraffic[]
}

const createCounted = (key: string): Counted => ({ key, days: [] })

function merge({ days }: Counted, newer: Counted): void {
  for (const { day, requests, bytes, notFound } of newer.days) {
    const counted = days.find((present) => present.day === day)
    if (counted) {
      counted.requests += requests
      counted.bytes += bytes
      counted.notFound += notFound
    } else days.push({ day, requests, bytes, notFound })
  }
}

/** Hosting traffic, counted for the UTC day on which it happened. */
export class Traffic {
  readonly #store: Door
  readonly #clock: Clock
  readonly #counts: WriteBehind<Counted>
  readonly #all = { requests: 0, bytes: 0, notFound: 0 }
  #latest = { number: Number.NaN, day: '' }

  constructor({ store, clock }: { store: Door; clock: Clock }) {
    this.#store = store
    this.#clock = clock
    this.#counts = new WriteBehind<Counted>({
      merge,
      save: (counts) =>
        store.transact(function* () {
          const counted = counts.flatMap(({ key, days }) => days.map((day) => ({ fileId: key, ...day })))
          yield* store.traffic.addFiles(counted.filter(({ fileId }) => fileId !== TOTAL_KEY))
          for (const { fileId, ...day } of counted) if (fileId === TOTAL_KEY) yield* store.traffic.addDay(day)
        }),
    })
  }

  /** Counts a response with a file, and its bytes that were delivered. */
  served(fileId: string, bytes: number): void {
    this.#all.requests += 1
    this.#all.bytes += bytes
    for (const counted of [this.#today(fileId), this.#today(TOTAL_KEY)]) {
      counted.requests += 1
      counted.bytes += bytes
    }
  }

  /** Counts a request that found no file, or none that it may have. */
  missed(): void {
    this.#all.notFound += 1
    this.#today(TOTAL_KEY).notFound += 1
  }

  flush(): Promise<void> {
    return this.#counts.flush()
  }

  /** Removes counts past their retention. */
  async prune(): Promise<void> {
    const window = {
      filesBefore: this.#daysAgo(FILE_TRAFFIC_DAYS - 1),
      daysBefore: this.#daysAgo(TOTAL_DAYS - 1),
    }
    while (await this.#store.traffic.isStale(window)) {
      await this.#store.transact(() => this.#store.traffic.prune(window, SLICE_ROWS))
    }
  }

  /** Returns the counts since the process started. */
  sinceStart() {
    return { ...this.#all }
  }

  /** Returns today's counts of a file or of the total, to be changed in place. */
  #today(key: string): DayTraffic {
    const number = Math.floor(this.#clock.now() / DAY_MS)
    if (number !== this.#latest.number) this.#latest = { number, day: this.#daysAgo(0) }
    const { day } = this.#latest
    const { days } = this.#counts.at(key, createCounted)
    const latest = days.at(-1)
    if (latest?.day === day) return latest
    const counted = { day, requests: 0, bytes: 0, notFound: 0 }
    days.push(counted)
    return counted
  }

  #daysAgo(days: number): string {
    return utcDay(this.#clock.now() - days * DAY_MS)
  }
}

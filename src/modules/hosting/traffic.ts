import type { Clock } from '../../platform/clock.ts'
import { DAY_MS, utcDay } from '../../platform/time.ts'
import { WriteBehind } from '../../platform/write-behind.ts'
import { FILE_TRAFFIC_DAYS } from '../../store/rows.ts'
import type { Store } from '../../store/store.ts'

/** UTC days of which the catalog retains the totals, today included. */
const TOTAL_DAYS = 366
/** Counts of files removed in one transaction: each is on pages of its own, and requests wait for all. */
const SLICE_ROWS = 50

/** Traffic of one UTC day: of one file, or of all if `fileId` is missing. */
interface Counted {
  day: string
  fileId?: string
  requests: number
  bytes: number
  notFound: number
}

function add(counted: Omit<Counted, 'day'>, { requests, bytes, notFound }: Omit<Counted, 'day'>): void {
  counted.requests += requests
  counted.bytes += bytes
  counted.notFound += notFound
}

/** Hosting traffic, counted for the UTC day on which it happened. */
export class Traffic {
  readonly #store: Store
  readonly #clock: Clock
  readonly #counts: WriteBehind<Counted>
  readonly #all = { requests: 0, bytes: 0, notFound: 0 }
  #latest = { number: Number.NaN, day: '' }

  constructor({ store, clock }: { store: Store; clock: Clock }) {
    this.#store = store
    this.#clock = clock
    this.#counts = new WriteBehind<Counted>({
      merge: add,
      save: (counts) =>
        store.transact(function* () {
          for (const { fileId, ...counted } of counts) {
            if (fileId === undefined) yield* store.traffic.addDay(counted)
            else yield* store.traffic.addFile({ fileId, ...counted })
          }
        }),
    })
  }

  /** Counts a response with a file, and its bytes that were delivered. */
  served(fileId: string, bytes: number): void {
    const counted = { day: this.#today(), requests: 1, bytes, notFound: 0 }
    this.#counts.add(`${counted.day} ${fileId}`, { fileId, ...counted })
    this.#count(counted)
  }

  /** Counts a request that found no file, or none that it may have. */
  missed(): void {
    this.#count({ day: this.#today(), requests: 0, bytes: 0, notFound: 1 })
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

  /** Adds to the total of a day. Its key sorts after the keys of the day's files, so it is saved with the last. */
  #count(counted: Counted): void {
    add(this.#all, counted)
    this.#counts.add(`${counted.day}~`, counted)
  }

  #today(): string {
    const number = Math.floor(this.#clock.now() / DAY_MS)
    if (number !== this.#latest.number) this.#latest = { number, day: this.#daysAgo(0) }
    return this.#latest.day
  }

  #daysAgo(days: number): string {
    return utcDay(this.#clock.now() - days * DAY_MS)
  }
}

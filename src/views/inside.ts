import { DAY_MS, utcDay } from '../platform/time.ts'
import type { FileRow } from '../store/rows.ts'
import type { TreeCore } from '../store/store.ts'
import { Counts, filesBelow } from './tree.ts'

interface Amount {
  count: number
  size: number
}

interface Traffic {
  requests: number
  bytes: number
}

/** Figures of all that a limited caller reaches. Its files are named by their ids, because they may leave. */
export interface Inside {
  counts: Counts
  versions: Amount
  trash: Amount
  /** Ids of the largest and of the newest files. */
  largest: readonly string[]
  newest: readonly string[]
  /** Hosting traffic by day, and of the most requested files by their ids. */
  days: ReadonlyMap<string, Traffic>
  top: ReadonlyMap<string, Traffic>
}

/** Time for which figures are cached, in milliseconds. */
const CACHED_MS = 60_000
/** Maximum number of reaches whose figures are cached. */
const MAX_CACHED = 100
/** Number of files whose versions and traffic are read at a time. */
const SLICE = 1000
/** Length of the lists of files. */
const FIRST = 5
const COLUMNS = ['id', 'size', 'mimeType', 'visibility', 'createdAt'] as const
type Counted = Pick<FileRow, (typeof COLUMNS)[number]>

type Deps = Pick<TreeCore, 'store' | 'nextTurn' | 'clock'>

/**
 * Returns a function that reads the figures of what a limited caller reaches, and caches them for a minute. It reads the rows
 * in time slices: the totals that triggers maintain are those of the instance.
 *
 * @param days Number of days of traffic, today included.
 */
export function createInside(days: number): (deps: Deps) => Promise<Inside> {
  const cached = new Map<string, { until: number; figures: Promise<Inside> }>()
  return (deps) => {
    const now = deps.clock.monotonic()
    for (const [name, { until }] of cached) if (until <= now || cached.size >= MAX_CACHED) cached.delete(name)
    const name = deps.store.reach.fingerprint
    const known = cached.get(name)
    if (known) return known.figures
    const figures = readInside(deps, utcDay(deps.clock.now() - (days - 1) * DAY_MS))
    cached.set(name, { until: now + CACHED_MS, figures })
    figures.catch(() => cached.delete(name))
    return figures
  }
}

async function readInside(deps: Deps, from: string): Promise<Inside> {
  const { store } = deps
  // Requests share the figures, so none of them ends the reading.
  using snapshot = await store.readers.snapshot(new AbortController().signal)
  const counts = new Counts()
  const [largest, newest] = [new First('size'), new First('createdAt')]
  const rest = new Rest(deps, from)
  const folderIds: string[] = []
  const tops = (await snapshot.entries()).map(({ folderId }) => ({ id: folderId }))
  for await (const { folderId, files } of filesBelow(deps, snapshot, { tops, columns: COLUMNS })) {
    if (files.length === 0) folderIds.push(folderId)
    for (const file of files) for (const counted of [counts, largest, newest]) counted.add(file)
    await rest.add(files.map(({ id }) => id))
  }
  await rest.end()
  counts.folders = folderIds.length
  const { versions, days, top } = rest
  const trash = await store.trash.totalIn(folderIds)
  return { counts, versions, trash, largest: largest.ids, newest: newest.ids, days, top }
}

/** First files of an order. */
class First {
  readonly #by: 'size' | 'createdAt'
  #files: Counted[] = []

  constructor(by: 'size' | 'createdAt') {
    this.#by = by
  }

  add(file: Counted): void {
    const last = this.#files[FIRST - 1]
    if (last && last[this.#by] > file[this.#by]) return
    this.#files.push(file)
    this.#files.sort(
      (one, other) =>
        other[this.#by] - one[this.#by] || other.createdAt - one.createdAt || (one.id < other.id ? -1 : 1),
    )
    this.#files.length = Math.min(this.#files.length, FIRST)
  }

  get ids(): readonly string[] {
    return this.#files.map(({ id }) => id)
  }
}

/** Versions and traffic of files. */
class Rest {
  readonly versions: Amount = { count: 0, size: 0 }
  readonly days = new Map<string, Traffic>()
  top = new Map<string, Traffic>()
  readonly #deps: Deps
  readonly #from: string
  #ids: string[] = []

  constructor(deps: Deps, from: string) {
    this.#deps = deps
    this.#from = from
  }

  async add(ids: readonly string[]): Promise<void> {
    this.#ids.push(...ids)
    if (this.#ids.length >= SLICE) await this.end()
  }

  /** Reads what belongs to the files so far. */
  async end(): Promise<void> {
    const { versions, traffic } = this.#deps.store
    const ids = this.#ids
    this.#ids = []
    const { count, size } = await versions.totalOf(ids)
    this.versions.count += count
    this.versions.size += size
    for (const { date, requests, bytes } of await traffic.daysOf(ids, this.#from)) {
      const before = this.days.get(date) ?? { requests: 0, bytes: 0 }
      this.days.set(date, { requests: before.requests + requests, bytes: before.bytes + bytes })
    }
    const found = await traffic.topOf(ids, FIRST)
    const top = [...this.top, ...found.map(({ fileId, ...counted }) => [fileId, counted] as const)]
    this.top = new Map(
      top.sort(([a, one], [b, other]) => other.requests - one.requests || (a < b ? -1 : 1)).slice(0, FIRST),
    )
  }
}

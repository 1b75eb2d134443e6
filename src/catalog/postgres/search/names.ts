import { RANK, type Rank, rankOf } from '../../../platform/fold.ts'
import type { Position } from '../../tree/search.ts'
import type { Connection } from '../connection.ts'
import { NameQueries, type NameQueriesOptions, type Query } from './query.ts'
import { endOfSpan, type Period, periodsOf } from './spans.ts'

/** Hits of one read, more than a page has: those in folders outside the tree are left out. */
const MAX_HITS = 250
/** Maximum hits of all ranks that are put in order here. */
const FEW = 3000
/** Maximum names with the trigrams of a text that are compared with it to find a few hits. */
const MAX_COMPARED = 1_000_000
/** Maximum hits at the beginning of names that are read without periods. */
const MAX_BEGINNINGS = 10_000
/** Approximate hits of a period, more than a read returns. */
const PER_PERIOD = 500
/** Maximum periods of a read. */
const MAX_PERIODS = 10

export type Name = Position & { tie: string }
interface Sampled {
  createdAt: number
  /** Missing when the name has the trigrams of the text, but not the text. */
  rank: Rank | undefined
}

/**
 * Reader of the best names of a search, of files or of folders. An index returns the names that have a text, but in no order.
 * Few of them are read whole. A sample divides the time of many into periods, of which the newest are read.
 */
export class NameReader {
  readonly kind: NameQueriesOptions['kind']
  readonly #text: string
  readonly #queries: NameQueries
  readonly #run: (query: Query) => Promise<unknown[][]>
  #sample: readonly Sampled[] = []
  /** Time of the newest of all names. */
  #newest = 0
  /** All names that have the text, unless they are many. */
  #few: readonly unknown[][] | undefined

  private constructor(connection: Connection, options: NameQueriesOptions) {
    this.kind = options.kind
    this.#text = options.search.text
    this.#queries = new NameQueries(options)
    this.#run = async ({ text, values }) => (await connection.query(text, values)).rows
  }

  /** Opens a reader and reads its sample, and all names that have the text if they are few. */
  static async open(connection: Connection, options: NameQueriesOptions): Promise<NameReader> {
    const reader = new NameReader(connection, options)
    const rows = await reader.#run(reader.#queries.sample())
    reader.#sample = rows.map(([createdAt, name]) => ({
      createdAt: Number(createdAt),
      rank: reader.#rankIn(String(name)),
    }))
    reader.#newest = Number(rows[0]?.[2] ?? 0)
    reader.#few = await reader.#readFew()
    return reader
  }

  /** Reads the best names after a position, in no order. `end` is the position of what is not read. */
  async read(from: Position | undefined): Promise<{ names: Iterable<Name>; end?: Position }> {
    const names = new Map<string, Name>()
    const add = (rows: readonly unknown[][]) => {
      for (const [id, createdAt, text] of rows) {
        const name = String(text)
        const rank = this.#rankIn(name)
        if (rank !== undefined)
          names.set(String(id), { tie: String(id), createdAt: Number(createdAt), name, rank })
      }
    }
    if (this.#few) {
      add(this.#few)
      return { names: names.values() }
    }
    for (const rank of this.#queries.ranks) {
      if (from && from.rank > rank) continue
      const { rows, end } = await this.#readRank(rank, from?.rank === rank ? from : undefined)
      add(rows)
      if (end) return { names: names.values(), end }
    }
    return { names: names.values() }
  }

  async #readFew(): Promise<unknown[][] | undefined> {
    const { ranks, namesPerSampled } = this.#queries
    const hits = this.#sample.filter(({ rank }) => rank !== undefined).length * namesPerSampled
    const isMany = hits > FEW || this.#sample.length * namesPerSampled > MAX_COMPARED
    if (isMany || !ranks.every((rank) => this.#queries.hasIndex(rank))) return undefined
    const rows = await this.#run(this.#queries.everything(FEW))
    return rows.length > FEW ? undefined : rows
  }

  /** Reads the newest names of a rank after a position. Names of better ranks may be among them. */
  async #readRank(
    rank: Rank,
    from: Position | undefined,
  ): Promise<{ rows: unknown[][]; end?: Position | undefined }> {
    const queries = this.#queries
    const part = { from, count: MAX_HITS }
    // The query of a rank reads better ranks, too, and that of words all that have the same trigrams.
    const worst = (sampled: Sampled) => sampled.rank ?? RANK.word
    const times = this.#sample.filter((sampled) => worst(sampled) <= rank).map(({ createdAt }) => createdAt)
    const isFew =
      times.length === 0 ||
      (queries.isBeginning(rank) && times.length * queries.namesPerSampled <= MAX_BEGINNINGS)
    if (isFew && queries.hasIndex(rank)) {
      const rows = await this.#run(queries.part(rank, part))
      return { rows, end: endOf(rows, rank) }
    }
    if (queries.hasPeriods(rank)) return await this.#readPeriods(rank, from, times)
    const near = await this.#run(queries.near(rank, part))
    const isEnough = near.length >= MAX_HITS || queries.areAllNear(rank)
    const rows = isEnough ? near : await this.#run(queries.part(rank, part))
    return { rows, end: endOf(rows, rank) }
  }

  async #readPeriods(rank: Rank, from: Position | undefined, times: readonly number[]) {
    const rows: unknown[][] = []
    const read = async (period: Period) => {
      const count = MAX_HITS - rows.length
      rows.push(...(await this.#run(this.#queries.part(rank, { from, count, period }))))
    }
    const last = Math.min(from?.createdAt ?? Number.POSITIVE_INFINITY, endOfSpan(this.#newest))
    const size = Math.ceil(PER_PERIOD / this.#queries.namesPerSampled)
    let reads = 0
    for (const period of periodsOf(times, size, last)) {
      await read(period)
      const end = endOf(rows, rank)
      if (end) return { rows, end }
      reads += 1
      if (reads === MAX_PERIODS && period.first > 0)
        return { rows, end: { rank, createdAt: period.first, tie: '' } }
    }
    return { rows }
  }

  #rankIn(name: string): Rank | undefined {
    return this.#text === '' ? RANK.exact : rankOf(name, this.#text)
  }
}

/** Returns the position after the time of the last row when there may be more. All rows of that time are read. */
const endOf = (rows: readonly unknown[][], rank: Rank): Position | undefined =>
  rows.length < MAX_HITS ? undefined : { rank, createdAt: Number(rows.at(-1)?.[1]), tie: '' }

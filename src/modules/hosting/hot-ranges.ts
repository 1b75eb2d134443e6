import type { ByteRange } from '../../http/range.ts'
import type { PreparedAnswer } from '../../http/wire.ts'
import { SecondChance } from './second-chance.ts'

export interface RangeLimits {
  /** Longest range that is kept, in bytes. */
  rangeBytes: number
  /** Bytes kept in all. */
  totalBytes: number
  /** Ranges remembered that were asked for once. */
  remembered: number
}

const LIMITS: RangeLimits = { rangeBytes: 128 * 1024, totalBytes: 8 * 1024 ** 2, remembered: 64 }
/** What an answer costs beside its body, and a range that is only remembered, roughly, in bytes. */
const ANSWER_BYTES = 1024
const REMEMBERED_BYTES = 64

/**
 * The answers to ranges of one large file that are asked for again and again: the index of an archive of map tiles,
 * the beginning of a video. A range that is asked for the first time is only remembered, so that reading through
 * the file keeps nothing of it and drops nothing that is kept.
 */
export class HotRanges {
  readonly #limits: RangeLimits
  readonly #kept = new SecondChance<PreparedAnswer>()
  /** Longest ago first. */
  readonly #askedOnce = new Set<string>()
  #keptBytes = 0

  constructor(limits: RangeLimits = LIMITS) {
    this.#limits = limits
  }

  /** Bytes that all of it takes, roughly. Only `offer` changes it. */
  get bytes(): number {
    return this.#keptBytes + this.#askedOnce.size * REMEMBERED_BYTES
  }

  get(range: ByteRange): PreparedAnswer | undefined {
    return this.#kept.get(nameOf(range))
  }

  /** Keeps the answer to a range that was asked for before, or remembers that it was. */
  offer(range: ByteRange, make: () => PreparedAnswer): void {
    const name = nameOf(range)
    if (range.last - range.first >= this.#limits.rangeBytes || this.#kept.get(name)) return
    if (this.#askedOnce.delete(name)) this.#keep(name, make())
    else this.#remember(name)
  }

  #remember(name: string): void {
    this.#askedOnce.add(name)
    const [oldest = ''] = this.#askedOnce
    if (this.#askedOnce.size > this.#limits.remembered) this.#askedOnce.delete(oldest)
  }

  #keep(name: string, answer: PreparedAnswer): void {
    this.#keptBytes += weightOf(answer)
    while (this.#keptBytes > this.#limits.totalBytes) {
      const dropped = this.#kept.dropNext()
      if (!dropped) break
      this.#keptBytes -= weightOf(dropped)
    }
    this.#kept.add(name, answer)
  }
}

/** However it was asked for. */
const nameOf = ({ first, last }: ByteRange) => `${first}-${last}`

const weightOf = ({ body }: PreparedAnswer) => body.length + ANSWER_BYTES

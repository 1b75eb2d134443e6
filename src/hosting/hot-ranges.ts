import type { ByteRange } from '../http/range.ts'
import type { PreparedAnswer } from '../http/wire.ts'

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
  /** Least recently used first. */
  readonly #kept = new Map<string, PreparedAnswer>()
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
    const name = nameOf(range)
    const answer = this.#kept.get(name)
    if (answer) {
      this.#kept.delete(name)
      this.#kept.set(name, answer)
    }
    return answer
  }

  /** Keeps the answer to a range that was asked for before, or remembers that it was. */
  offer(range: ByteRange, make: () => PreparedAnswer): void {
    const name = nameOf(range)
    if (range.last - range.first >= this.#limits.rangeBytes || this.#kept.has(name)) return
    if (this.#askedOnce.delete(name)) this.#keep(name, make())
    else this.#remember(name)
  }

  #remember(name: string): void {
    this.#askedOnce.add(name)
    if (this.#askedOnce.size <= this.#limits.remembered) return
    for (const oldest of this.#askedOnce) {
      this.#askedOnce.delete(oldest)
      return
    }
  }

  #keep(name: string, answer: PreparedAnswer): void {
    this.#kept.set(name, answer)
    this.#keptBytes += weightOf(answer)
    for (const [oldest, dropped] of this.#kept) {
      if (this.#keptBytes <= this.#limits.totalBytes) return
      this.#kept.delete(oldest)
      this.#keptBytes -= weightOf(dropped)
    }
  }
}

/** However it was asked for. */
const nameOf = ({ first, last }: ByteRange) => `${first}-${last}`

const weightOf = ({ body }: PreparedAnswer) => body.length + ANSWER_BYTES

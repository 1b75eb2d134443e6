import type { PreparedAnswer } from '../http/wire.ts'

export interface PartLimits {
  /** Largest body that is kept. */
  partBytes: number
  /** Bytes of bodies kept in all. */
  totalBytes: number
  /** Ranges that are remembered, kept or not. */
  ranges: number
}

const LIMITS: PartLimits = { partBytes: 128 * 1024, totalBytes: 8 * 1024 ** 2, ranges: 256 }

/**
 * The answers to ranges of a large file that are asked for again and again: the index of an archive of map tiles,
 * the beginning of a video. One that is asked for the first time is only remembered, so that reading through the
 * file keeps nothing of it.
 */
export class HotParts {
  readonly #limits: PartLimits
  /** By the range as it was asked for, least recently used first; `undefined` until it is asked for again. */
  readonly #parts = new Map<string, PreparedAnswer | undefined>()
  #lastUsed: string | undefined
  #bytes = 0

  constructor(limits: PartLimits = LIMITS) {
    this.#limits = limits
  }

  /** Bytes of all bodies that are kept. */
  get bytes(): number {
    return this.#bytes
  }

  get(range: string): PreparedAnswer | undefined {
    const part = this.#parts.get(range)
    if (part && range !== this.#lastUsed) this.#put(range, part)
    return part
  }

  /** Whether the answer to `range`, whose body has `length` bytes, is to be kept: it was asked for before. */
  isWanted(range: string, length: number): boolean {
    if (length > this.#limits.partBytes) return false
    const isKnown = this.#parts.has(range)
    if (!isKnown) this.#put(range, undefined)
    return isKnown
  }

  keep(range: string, part: PreparedAnswer): void {
    this.#bytes += part.body.length
    this.#put(range, part)
  }

  #put(range: string, part: PreparedAnswer | undefined): void {
    this.#parts.delete(range)
    this.#parts.set(range, part)
    this.#lastUsed = range
    for (const [oldest, dropped] of this.#parts) {
      if (this.#parts.size <= this.#limits.ranges && this.#bytes <= this.#limits.totalBytes) break
      this.#bytes -= dropped?.body.length ?? 0
      this.#parts.delete(oldest)
    }
  }
}

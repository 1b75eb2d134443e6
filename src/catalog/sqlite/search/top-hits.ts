import { comparePositions, type Position } from '../../tree/search.ts'

/** Result of a search that is not read yet. */
export interface Hit extends Position {
  tie: number
}

/** Returns a negative number when one hit comes before the other. */
export const compareHits = (one: Hit, other: Hit): number =>
  comparePositions(one, other) || other.tie - one.tie

/** Best hits of a search after a position, in order. */
export class TopHits {
  readonly #count: number
  readonly #after: Hit | undefined
  readonly #hits: Hit[] = []

  /** @param after Position that hits begin after. Its tie is a number, as those of hits. */
  constructor(count: number, after: Position | undefined) {
    this.#count = count
    this.#after = after && { ...after, tie: Number(after.tie) }
  }

  get all(): Hit[] {
    return this.#hits
  }

  /** Adds a hit if it is among the best. */
  offer(hit: Hit): void {
    const hits = this.#hits
    if (this.#after && compareHits(hit, this.#after) <= 0) return
    const last = hits[this.#count - 1]
    if (last && compareHits(hit, last) >= 0) return
    let at = hits.length
    for (let before = hits[at - 1]; before && compareHits(hit, before) < 0; before = hits[at - 1]) at -= 1
    hits.splice(at, 0, hit)
    if (hits.length > this.#count) hits.pop()
  }

  /** Returns true when no hit of a rank, or a worse one, that is as old as `newest` or older is among the best. */
  isSettled(rank: number, newest: number): boolean {
    const last = this.#hits[this.#count - 1]
    return last !== undefined && (last.rank < rank || (last.rank === rank && last.createdAt > newest))
  }
}

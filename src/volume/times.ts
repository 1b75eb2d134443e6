/** How far a time may get ahead of the clock before it follows the clock again, in milliseconds. */
const MAX_AHEAD_MS = 60_000

/**
 * Modification times of which no two are alike. Validators are made of them (spec: open points §6), while the
 * system gives all files of some milliseconds the same: one that takes the place of another would pass for it.
 */
export class DistinctTimes {
  #last = 0

  /** The given time in whole milliseconds, or a little later. */
  next(mtimeMs: number): number {
    const time = Math.floor(mtimeMs)
    const isTaken = time <= this.#last && this.#last - time < MAX_AHEAD_MS
    this.#last = isTaken ? this.#last + 1 : time
    return this.#last
  }
}

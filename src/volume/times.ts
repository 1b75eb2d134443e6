/** Maximum lead of an issued time over the clock, in milliseconds; beyond it, the clock is followed again. */
const MAX_AHEAD_MS = 60_000

/**
 * Issues strictly increasing modification times. ETags are built from size and mtime, and the kernel's clock
 * is coarse: without this a replaced file could keep its predecessor's ETag.
 */
export class DistinctTimes {
  #last = 0

  /** Returns the given time in whole milliseconds, or a little later. */
  next(mtimeMs: number): number {
    const time = Math.floor(mtimeMs)
    const isTaken = time <= this.#last && this.#last - time < MAX_AHEAD_MS
    this.#last = isTaken ? this.#last + 1 : time
    return this.#last
  }
}

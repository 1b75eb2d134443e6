/** Bytes in memory for all readers of large blobs together, beyond a chunk for each. */
const BUDGET_BYTES = 64 * 1024 ** 2

/** Memory that slow readers share. A reader that gets none reads by chunks, each requested when it is needed. */
export class ReadBudget {
  #free = BUDGET_BYTES

  /**
   * Takes memory for `bytes`.
   *
   * @param isAhead True for bytes that the reader does not need yet: those may take half of the budget only.
   * @returns Gives the memory back; `undefined` when there is none.
   */
  take(bytes: number, isAhead: boolean): (() => void) | undefined {
    if (this.#free - bytes < (isAhead ? BUDGET_BYTES / 2 : 0)) return undefined
    this.#free -= bytes
    let isTaken = true
    return () => {
      if (isTaken) this.#free += bytes
      isTaken = false
    }
  }
}

import type { Steps } from './query.ts'

/** Maximum rows removed by one transaction of a large removal. */
const SLICE_ROWS = 250
/** Time slice of such a transaction in milliseconds. After a longer one, the next removes fewer rows. */
const SLICE_MS = 10

/**
 * Returns a function that removes many rows in separate transactions, yielding to other requests between them. It
 * takes a function that removes up to `limit` rows and returns how many, and returns the number of removed rows.
 */
export const removeInSlices =
  (transact: <Value>(work: () => Steps<Value>) => Promise<Value>, monotonic: () => number) =>
  async (removeSome: (limit: number) => Steps<number>): Promise<number> => {
    let rows = SLICE_ROWS
    for (let total = 0; ; ) {
      const limit = rows
      const removed = await transact(function* () {
        const began = monotonic()
        const count = yield* removeSome(limit)
        const isSlow = monotonic() - began > SLICE_MS
        rows = isSlow ? Math.ceil(limit / 2) : Math.min(SLICE_ROWS, limit + 10)
        return count
      })
      total += removed
      if (removed < limit) return total
    }
  }

/** Times in milliseconds, both inclusive. */
export interface Period {
  first: number
  last: number
}

/** Bits by which a time in milliseconds is shifted: spans are 4 seconds to 2 years long, each 16 times another. */
const SHIFTS = [12, 16, 20, 24, 28, 32, 36]
const LONGEST = Math.max(...SHIFTS)
/** Factor that leaves room for the position of a shift in the number of a span. */
const ROOM = 8

/**
 * Expression of the numbers of the spans that a time of creation is in, one of each length. Few of them cover any period,
 * so one index finds the names of a period that have a text.
 */
export const SPANS = `(ARRAY[${SHIFTS.map((shift, n) => `(created_at >> ${shift}) * ${ROOM} + ${n}`).join(', ')}])`

/** Returns the numbers of the fewest spans that cover the times from `first` to `last`, both inclusive. */
export function spansOf(first: number, last: number): number[] {
  const spans: number[] = []
  let [start, end] = [first, last + 1]
  for (const [n, shift] of SHIFTS.entries()) {
    const length = 2 ** shift
    // A longer span begins at each multiple of so many of these.
    const step = 2 ** ((SHIFTS[n + 1] ?? Number.POSITIVE_INFINITY) - shift)
    let [at, stop] = [Math.floor(start / length), Math.ceil(end / length)]
    for (; at < stop && at % step !== 0; at += 1) spans.push(at * ROOM + n)
    for (; at < stop && stop % step !== 0; stop -= 1) spans.push((stop - 1) * ROOM + n)
    if (at === stop) break
    start = at * length
    end = stop * length
  }
  return spans
}

const startOf = (time: number, shift: number) => Math.floor(time / 2 ** shift) * 2 ** shift

/** Returns the starts of the spans that a time is in, the longest span first. */
const startsOf = (time: number) => SHIFTS.toReversed().map((shift) => startOf(time, shift))

/** Returns the last millisecond of the longest span that a time is in. */
export const endOfSpan = (time: number): number => startOf(time, LONGEST) + 2 ** LONGEST - 1

/**
 * Divides the time up to `last` into periods, the latest first. Each has at least `size` of some times and fewer than twice as
 * many, besides those at its first millisecond. It begins with the longest span that allows that, so that few spans cover it.
 * The last period has the rest.
 */
export function* periodsOf(times: readonly number[], size: number, last: number): Generator<Period> {
  const older = times.filter((time) => time <= last).sort((one, other) => other - one)
  let [read, end] = [0, last]
  while (read + size <= older.length) {
    const oldest = older[read + size - 1] ?? 0
    const tooOld = older[read + 2 * size - 1] ?? -1
    const first = startsOf(oldest).find((start) => start > tooOld) ?? oldest
    yield { first, last: end }
    end = first - 1
    while ((older[read] ?? -1) > end) read += 1
  }
  yield { first: 0, last: end }
}

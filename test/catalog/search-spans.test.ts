import { expect, test } from 'bun:test'
import { type Period, periodsOf, spansOf } from '../../src/catalog/postgres/search/spans.ts'

const SECONDS = 1000
const HOURS = 3600 * SECONDS
const YEARS = 365 * 24 * HOURS
const NOW = 1_700_000_000_000

/** Returns the start and end of a span by its number: the position of its length is in the last three bits. */
function spanOf(number: number): Period {
  const length = 2 ** (12 + 4 * (number % 8))
  const first = Math.floor(number / 8) * length
  return { first, last: first + length - 1 }
}

test.each([
  [NOW, NOW],
  [NOW, NOW + 10 * SECONDS],
  [NOW - 3 * HOURS, NOW],
  [NOW - 7 * YEARS, NOW - 1],
  [0, NOW],
  [0, 2 ** 40 - 1],
])('the spans of %p to %p cover it without gaps, and at most 4 seconds more at each end', (first, last) => {
  const spans = spansOf(first, last)
    .map(spanOf)
    .sort((one, other) => one.first - other.first)

  for (const [n, span] of spans.entries()) if (n > 0) expect(span.first).toBe((spans[n - 1]?.last ?? 0) + 1)
  expect(first - (spans.at(0)?.first ?? Number.NaN)).toBeWithin(0, 4096)
  expect((spans.at(-1)?.last ?? Number.NaN) - last).toBeWithin(0, 4096)
  // Fifteen of each length at each end, and the longest ones.
  expect(spans.length).toBeLessThan(2 * 15 * 6 + (last - first) / 2 ** 36 + 1)
})

test.each([1, 2, 7])('periods have %p times or fewer than twice as many, and leave no gap', (size) => {
  // A burst, a year of few, and many at one moment.
  const burst = Array.from({ length: 100 }, (_, n) => NOW - 3 * YEARS + n * 40)
  const few = Array.from({ length: 50 }, (_, n) => NOW - (n * YEARS) / 50)
  const moment = Array.from({ length: 20 }, () => NOW - 2 * YEARS)
  const times = [...burst, ...few, ...moment, NOW + 1]
  const periods = [...periodsOf(times, size, NOW)]

  const [oldest] = periods.splice(-1)
  let end = NOW
  for (const period of periods) {
    expect(period.last).toBe(end)
    end = period.first - 1
    const within = times.filter((time) => time > end && time <= period.last)
    const atOldest = within.filter((time) => time === Math.min(...within))
    expect(within.length - atOldest.length).toBeLessThan(2 * size)
    expect(within.length).toBeGreaterThanOrEqual(size)
  }
  expect(oldest).toEqual({ first: 0, last: end })
  expect(times.filter((time) => time <= end).length).toBeLessThan(size)
  expect(periods.flatMap(({ first, last }) => spansOf(first, last)).length).toBeLessThan(100 * periods.length)
})

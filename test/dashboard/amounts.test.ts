import { describe, expect, test } from 'bun:test'
import { niceTop, niceTopOfBytes } from '../../src/dashboard/components/charts.tsx'
import { fromAmount, sayAmount, toAmount } from '../../src/dashboard/lib/amount.ts'
import { changesOf, problemsOf, RULES } from '../../src/dashboard/pages/settings/limits.ts'

const BYTES = RULES.maxUploadSize.units
const SECONDS = RULES.maxPresignTtl.units
const GB = 1024 ** 3

describe('an amount', () => {
  test.each([
    [5 * GB, BYTES, '5 GiB'],
    [1.5 * GB, BYTES, '1.5 GiB'],
    [1000, BYTES, '1,000 B'],
    [0, SECONDS, '0 seconds'],
    [90, SECONDS, '1.5 minutes'],
    [3601, SECONDS, '3,601 seconds'],
    [3600, SECONDS, '1 hour'],
    [604_800, SECONDS, '7 days'],
  ])('of %d is shown in its largest unit, and is the same when read again', (value, units, words) => {
    expect(sayAmount(value, units)).toBe(words)
    expect(fromAmount(toAmount(value, units))).toBe(value)
  })

  test.each([
    ['1,5', 3600, 5400],
    [' 2 ', 1, 2],
    ['', 1, undefined],
    ['ten', 1, undefined],
    ['1e300', 1, undefined],
  ])('typed as %j times %d is %p', (text, factor, value) => {
    expect(fromAmount({ text, factor })).toBe(value)
  })
})

describe('an axis', () => {
  test.each([
    [0, 2],
    [2, 2],
    [7, 8],
    [3, 4],
    [11, 20],
    [21, 30],
    [401, 600],
    [1001, 2000],
  ])('that holds %d ends at %d', (most, top) => {
    expect(niceTop(most)).toBe(top)
  })

  test('of bytes is round in their unit', () => {
    expect(niceTopOfBytes(3.2 * GB)).toBe(4 * GB)
    expect(niceTopOfBytes(0)).toBe(2)
  })
})

describe('edited limits', () => {
  const limits = {
    maxUploadSize: 5 * GB,
    defaultPresignTtl: 3600,
    maxPresignTtl: 604_800,
    hostingCacheMaxAge: 0,
    activityRetentionDays: 90,
    apiRequestRetentionDays: 90,
    trashDays: 30,
    versionDays: 30,
  }

  test('change only with another value', () => {
    const hostingCacheMaxAge = { text: '1', factor: 60 }
    const edits = { maxUploadSize: { text: '5120', factor: 1024 ** 2 }, hostingCacheMaxAge }

    expect(changesOf(limits, edits)).toEqual({ hostingCacheMaxAge: 60 })
    expect(problemsOf(limits, edits)).toEqual({})
  })

  test('are invalid out of range, or with a default above the maximum', () => {
    const problems = problemsOf(limits, {
      maxUploadSize: { text: '0', factor: 1 },
      maxPresignTtl: { text: '30', factor: 60 },
      activityRetentionDays: { text: '101', factor: 365 },
    })

    expect(problems).toEqual({
      maxUploadSize: 'This must be at least 1 B.',
      defaultPresignTtl: 'This is longer than the maximum expiry.',
      activityRetentionDays: 'This can be at most 100 years.',
    })
  })
})

import { describe, expect, test } from 'bun:test'
import { readDevice } from '../../src/dashboard/lib/device.ts'
import { formatDistance, formatWhen } from '../../src/dashboard/lib/format.ts'
import { dayFromNow, expiryOf } from '../../src/dashboard/lib/lifetime.ts'

const NOON = new Date('2026-03-01T12:00:00.000Z')

test.each([
  ['2026-03-01T11:59:30.000Z', 'just now'],
  ['2026-03-01T11:58:00.000Z', '2 minutes ago'],
  ['2026-03-01 09:00:00', '3 hours ago'],
  ['2026-02-28T12:00:00.000Z', 'yesterday'],
  ['2026-03-04T12:00:00.000Z', 'in 3 days'],
  ['2026-03-31T12:00:00.000Z', 'in 1 month'],
  ['2026-05-30T12:00:00.000Z', 'in 3 months'],
  ['2024-03-01T12:00:00.000Z', '2 years ago'],
])('%s is %s', (time, words) => {
  expect(formatDistance(time, NOON)).toBe(words)
})

test.each([
  ['2026-03-01T11:59:30.000Z', 'just now'],
  ['2026-03-01T11:58:00.000Z', '2 minutes ago'],
  ['2026-02-28T12:00:00.000Z', 'yesterday'],
  ['2025-12-24T12:00:00.000Z', 'Dec 24, 2025'],
])('%s is %s in a list', (time, words) => {
  expect(formatWhen(time, NOON)).toBe(words)
})

describe('an API key or a share expires', () => {
  test('some days from now, or never', () => {
    expect(expiryOf({ lifetime: '7', lastDay: '' }, NOON.getTime())).toBe('2026-03-08T12:00:00.000Z')
    expect(expiryOf({ lifetime: 'never', lastDay: '' })).toBeNull()
  })

  test("at the end of a valid day in the reader's zone", () => {
    const lastMoment = new Date(2026, 3, 5, 23, 59, 59, 999)

    expect(expiryOf({ lifetime: 'day', lastDay: '2026-04-05' })).toBe(lastMoment.toISOString())
    expect(expiryOf({ lifetime: 'day', lastDay: '' })).toBeUndefined()
  })

  test('days continue past the end of a month', () => {
    expect(dayFromNow(1, new Date(2026, 11, 31, 23, 30))).toBe('2027-01-01')
  })
})

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'Firefox', 'Linux', 'computer'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    'Safari',
    'iOS',
    'phone',
  ],
  ['curl/8.5.0', 'curl', undefined, 'program'],
  ['', undefined, undefined, 'program'],
])('the device of "%s" is named', (userAgent, browser, system, kind) => {
  expect<unknown>(readDevice(userAgent)).toEqual({ browser, system, kind })
})

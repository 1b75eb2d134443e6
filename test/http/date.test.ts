import { describe, expect, test } from 'bun:test'
import { parseHttpDate } from '../../src/http/conditional.ts'
import { formatHttpDate } from '../../src/http/wire.ts'

const NEW_YEAR = Date.UTC(2025, 0, 1)
const NOW = Date.UTC(2025, 5, 15, 12)

describe('formatHttpDate()', () => {
  test.each([
    [NEW_YEAR, 'Wed, 01 Jan 2025 00:00:00 GMT'],
    [NEW_YEAR + 999, 'Wed, 01 Jan 2025 00:00:00 GMT'],
    [0, 'Thu, 01 Jan 1970 00:00:00 GMT'],
    [784111777000, 'Sun, 06 Nov 1994 08:49:37 GMT'],
    [Date.UTC(2024, 1, 29, 23, 59, 59), 'Thu, 29 Feb 2024 23:59:59 GMT'],
    [Date.UTC(9999, 11, 31), 'Fri, 31 Dec 9999 00:00:00 GMT'],
  ])('writes %d as %s', (epochMs, expected) => {
    expect(formatHttpDate(epochMs)).toBe(expected)
  })
})

describe('parseHttpDate()', () => {
  test.each([
    ['Wed, 01 Jan 2025 00:00:00 GMT', NEW_YEAR],
    ['Wednesday, 01-Jan-25 00:00:00 GMT', NEW_YEAR],
    ['Wed Jan  1 00:00:00 2025', NEW_YEAR],
    ['Wed Jan 01 00:00:00 2025', NEW_YEAR],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 784111777000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 784111777000],
    ['Sun Nov  6 08:49:37 1994', 784111777000],
    ['Sun Nov 16 08:49:37 1994', 784975777000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Wed, 31 Dec 1969 23:59:59 GMT', -1000],
    ['Thu, 29 Feb 2024 23:59:59 GMT', Date.UTC(2024, 1, 29, 23, 59, 59)],
    ['Tue, 19 Jan 2038 03:14:07 GMT', 2 ** 31 * 1000 - 1000],
    ['Tue, 19 Jan 2038 03:14:08 GMT', 2 ** 31 * 1000],
    ['Fri, 01 Jan 2100 00:00:00 GMT', Date.UTC(2100, 0, 1)],
    ['Sat, 01 Jan 2174 00:00:00 GMT', Date.UTC(2174, 0, 1)],
    ['Fri, 31 Dec 9999 23:59:59 GMT', Date.UTC(9999, 11, 31, 23, 59, 59)],
    ['Fri, 01 Jan 0099 00:00:00 GMT', Date.parse('0099-01-01T00:00:00Z')],
  ])('reads %s', (text, expected) => {
    expect(parseHttpDate(text, NOW)).toBe(expected)
  })

  test('ignores a wrong day of the week', () => {
    expect(parseHttpDate('Mon, 01 Jan 2025 00:00:00 GMT', NOW)).toBe(NEW_YEAR)
  })

  test.each([
    ['today in 50 years', 'Saturday, 15-Jun-75 12:00:00 GMT', Date.UTC(2075, 5, 15, 12)],
    ['a second more', 'Sunday, 15-Jun-75 12:00:01 GMT', Date.UTC(1975, 5, 15, 12, 0, 1)],
    ['next year', 'Thursday, 01-Jan-26 00:00:00 GMT', Date.UTC(2026, 0, 1)],
    ['the year 70', 'Thursday, 01-Jan-70 00:00:00 GMT', Date.UTC(2070, 0, 1)],
    ['the year 76', 'Thursday, 01-Jan-76 00:00:00 GMT', Date.UTC(1976, 0, 1)],
    ['the year 99', 'Friday, 31-Dec-99 23:59:59 GMT', Date.UTC(1999, 11, 31, 23, 59, 59)],
    ['the year 00', 'Saturday, 01-Jan-00 00:00:00 GMT', Date.UTC(2000, 0, 1)],
  ])('takes a two-digit year for the nearest one up to 50 years ahead: %s', (_, text, expected) => {
    expect(parseHttpDate(text, NOW)).toBe(expected)
  })

  test.each([
    'Mon, 31 Feb 2025 00:00:00 GMT',
    'Mon, 29 Feb 2025 00:00:00 GMT',
    'Monday, 31-Feb-25 00:00:00 GMT',
    'Mon Feb 31 00:00:00 2025',
    'Wed, 00 Jan 2025 00:00:00 GMT',
    'Wed, 32 Jan 2025 00:00:00 GMT',
    'Thu, 31 Apr 2025 00:00:00 GMT',
    'Wed, 01 Jan 2025 24:00:00 GMT',
    'Wed, 01 Jan 2025 00:60:00 GMT',
    'Wed, 01 Jan 2025 00:00:60 GMT',
  ])('refuses a time that does not exist: %s', (text) => {
    expect(parseHttpDate(text, NOW)).toBeUndefined()
  })

  test.each([
    '',
    '2',
    'garbage',
    '1735689600',
    '1735689600000',
    '2025-01-01',
    '2025-01-01T00:00:00Z',
    'Wed, 01 Jan 2025 00:00:00 GMT, Wed, 01 Jan 2025 00:00:00 GMT',
    'Wed, 01 Jan 2025 00:00:00 UTC',
    'Wed, 01 Jan 2025 00:00:00 +0000',
    'Wed, 01 Jan 2025 00:00:00',
    'Wed, 1 Jan 2025 00:00:00 GMT',
    'Wed, 01 Jan 25 00:00:00 GMT',
    'Wed, 01-Jan-25 00:00:00 GMT',
    'Wednesday, 01 Jan 2025 00:00:00 GMT',
    'Wednesday, 01-Jan-2025 00:00:00 GMT',
    'Wed Jan 1 00:00:00 2025',
    'Wed Jan  1 00:00:00 2025 GMT',
    'wed, 01 jan 2025 00:00:00 gmt',
    'Xxx, 01 Jan 2025 00:00:00 GMT',
    'Wed, 01 Foo 2025 00:00:00 GMT',
    '01 Jan 2025 00:00:00 GMT',
    'Wed, 01 Jan 2025 0:00:00 GMT',
    ' Wed, 01 Jan 2025 00:00:00 GMT',
    'Wed, 01 Jan 2025 00:00:00 GMT\n',
    'Wed, 01 Jan 12025 00:00:00 GMT',
    'Wed, 01 Jan -025 00:00:00 GMT',
  ])('refuses what is not an HTTP-date: %j', (text) => {
    expect(parseHttpDate(text, NOW)).toBeUndefined()
  })

  test('reads back every day of four years', () => {
    for (let day = Date.UTC(2023, 0, 1); day < Date.UTC(2027, 0, 1); day += 86_400_000) {
      expect(parseHttpDate(formatHttpDate(day), NOW)).toBe(day)
    }
  })
})

import { describe, expect, test } from 'bun:test'
import {
  extensionOf,
  formatBytes,
  formatDuration,
  formatItems,
  parseTime,
  splitName,
} from '../../src/dashboard/lib/format.ts'
import { isWithin, joinKey, lastSegment, parentKey, trailOf } from '../../src/dashboard/lib/paths.ts'
import { measureSpeed } from '../../src/dashboard/uploads/batch.ts'

describe('amounts in words', () => {
  test.each([
    [0, '0 B'],
    [1023, '1,023 B'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [200 * 1024 ** 2, '200 MiB'],
    [3 * 1024 ** 4, '3 TiB'],
  ])('%d bytes are %s', (bytes, words) => {
    expect(formatBytes(bytes)).toBe(words)
  })

  test.each([
    [0.2, '1 second'],
    [59, '1 minute'],
    [90, '2 minutes'],
    [3599, '1 hour'],
    [86_400 * 7, '7 days'],
  ])('%d seconds are %s', (seconds, words) => {
    expect(formatDuration(seconds)).toBe(words)
  })

  test('files and folders are counted separately', () => {
    expect(formatItems({ files: 1, folders: 2 })).toBe('2 folders, 1 file')
    expect(formatItems({ files: 3, folders: 0 })).toBe('3 files')
  })

  test('both forms of a time are UTC', () => {
    expect(parseTime('2026-03-01 12:00:00').toISOString()).toBe('2026-03-01T12:00:00.000Z')
    expect(parseTime('2026-03-01T12:00:00.000Z').toISOString()).toBe('2026-03-01T12:00:00.000Z')
  })
})

test('keys are joined and split', () => {
  expect(joinKey('', 'a', '', 'b')).toBe('a/b')
  expect(['a/b/c', 'a'].map(parentKey)).toEqual(['a/b', ''])
  expect(['a/b', ''].map(lastSegment)).toEqual(['b', ''])
  expect(trailOf('a/b')).toEqual([
    { name: 'a', key: 'a' },
    { name: 'b', key: 'a/b' },
  ])
  expect(['a/b', 'ab', 'a'].map((key) => isWithin(key, 'a'))).toEqual([true, false, true])
  expect(isWithin('a', '')).toBe(true)
})

test('speed is that of the last seconds', () => {
  let now = 0
  const speed = measureSpeed(() => now)
  speed.add(1000)
  now = 2000
  speed.add(3000)

  expect(speed.current()).toBe(2000)
  now = 10_000
  expect(speed.current()).toBe(0)
})

describe('a long name is cut in its middle', () => {
  test.each([
    ['Invoice for the roof, second part.pdf', 'Invoice for the roof, second ', 'part.pdf'],
    ['DSC_20261123_0042.jpeg', 'DSC_20261123_', '0042.jpeg'],
    ['a report without an extension', 'a report without an exten', 'sion'],
    ['short.txt', 'short.txt', ''],
    ['صور العطلة الصيفية في الجبال.txt', 'صور العطلة الصيفية في الجبال.txt', ''],
  ])('%s', (name, start, end) => {
    expect(splitName(name)).toEqual([start, end])
  })

  test('never within a character', () => {
    expect(splitName('a name that ends with 😀😀😀😀').join('')).toBe('a name that ends with 😀😀😀😀')
    expect(splitName('a name that ends with 😀😀😀😀')[1]).toBe('😀😀😀😀')
  })

  test.each([
    ['archive.tar.gz', 'gz'],
    ['.env', ''],
    ['README', ''],
    ['1. a sentence with a dot', ''],
  ])('the extension of %s is "%s"', (name, extension) => {
    expect(extensionOf(name)).toBe(extension)
  })
})

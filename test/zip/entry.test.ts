import { describe, expect, test } from 'bun:test'
import { checkExtent } from '../../src/zip/entry.ts'

describe('checkExtent()', () => {
  test.each([
    ['empty', ''],
    ['absolute', '/a'],
    ['the root', '/'],
    ['the parent', '..'],
    ['the parent as a directory', '../'],
    ['a way up at the start', '../a'],
    ['a way up in the middle', 'a/../b'],
    ['a way up at the end', 'a/..'],
    ['a way up as a directory', 'a/../'],
    ['the folder itself', '.'],
    ['a dot segment at the start', './a'],
    ['a dot segment in the middle', 'a/./b'],
    ['a dot segment at the end', 'a/b/.'],
    ['an empty segment', 'a//b'],
    ['an empty segment at the end', 'a//'],
    ['a backslash', 'a\\b'],
    ['a way up with backslashes', '..\\a'],
    ['a NUL', 'a\0b'],
    ['a lone surrogate', 'a\ud800'],
  ])('refuses a path that is or has %s', (_, path) => {
    expect(() => checkExtent({ path, size: 0 })).toThrow(RangeError)
  })

  test.each([
    ['a', 1],
    ['a/', 2],
    ['a/b/c.txt', 9],
    ['...', 3],
    ['..a/b../.c', 10],
    ['a:b', 3],
    ['C:/a', 4],
    ['-rf', 3],
    [' ', 1],
    ['line\nbreak', 10],
    ['ä/日本/🙂', 14],
  ])('takes %j and counts its %i bytes', (path, pathBytes) => {
    expect(checkExtent({ path, size: 0 })).toBe(pathBytes)
  })

  test('accepts a path of 65,535 bytes and refuses one more', () => {
    const longest = `${'ä'.repeat(32_767)}a`

    expect(checkExtent({ path: longest, size: 0 })).toBe(65_535)
    expect(() => checkExtent({ path: `${longest}a`, size: 0 })).toThrow('its path has more than 65535 bytes')
  })

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses a size of %d', (size) => {
    expect(() => checkExtent({ path: 'a', size })).toThrow(RangeError)
  })

  test('refuses a directory with bytes', () => {
    expect(() => checkExtent({ path: 'a/', size: 1 })).toThrow(RangeError)
  })

  test('shows only the start of a long path in its message', () => {
    expect(() => checkExtent({ path: '../'.repeat(10_000), size: 0 })).toThrow(
      `Cannot archive "${'../'.repeat(33)}.": its path could lead outside the archive`,
    )
  })
})

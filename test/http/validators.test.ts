import { describe, expect, test } from 'bun:test'
import { namesEntityTag, scanEntityTags, strongMatch, weakMatch } from '../../src/http/conditional.ts'
import { fileValidators } from '../../src/http/file-response.ts'
import { formatHttpDate } from '../../src/http/wire.ts'

const NEW_YEAR = Date.UTC(2025, 0, 1)
const NOW = Date.UTC(2025, 5, 15, 12, 0, 0, 500)
const ETAG = '"14-1941f297c00"'

describe('fileValidators()', () => {
  test('returns hex size and milliseconds as the tag, and the modification time', () => {
    const validators = { etag: ETAG, lastModified: NEW_YEAR }
    expect(fileValidators({ size: 20, mtimeMs: NEW_YEAR, now: NOW })).toEqual(validators)
  })

  test('has parts of a millisecond in the tag and whole seconds in the date', () => {
    const validators = { etag: '"14-1941f297c01c00"', lastModified: NEW_YEAR }
    expect(fileValidators({ size: 20, mtimeMs: NEW_YEAR + 1.75, now: NOW })).toEqual(validators)
  })

  test('distinguishes two states of one size within one second', () => {
    const first = fileValidators({ size: 20, mtimeMs: NEW_YEAR + 1, now: NOW })
    const second = fileValidators({ size: 20, mtimeMs: NEW_YEAR + 2, now: NOW })

    expect(second.lastModified).toBe(first.lastModified)
    expect(second.etag).not.toBe(first.etag)
  })

  test('distinguishes an empty file from one byte at the same time', () => {
    expect(fileValidators({ size: 0, mtimeMs: NEW_YEAR, now: NOW }).etag).toBe('"0-1941f297c00"')
    expect(fileValidators({ size: 1, mtimeMs: NEW_YEAR, now: NOW }).etag).toBe('"1-1941f297c00"')
  })

  test.each([
    ['zero', 0, '"14-0"'],
    ['negative zero', -0, '"14-0"'],
    ['before 1970', -86_400_000, '"14--5265c00"'],
    ['a fraction before 1970', -0.5, '"14--1"'],
    ['not a number', Number.NaN, '"14-0"'],
    ['infinite', Number.POSITIVE_INFINITY, '"14-0"'],
    ['minus infinite', Number.NEGATIVE_INFINITY, '"14-0"'],
  ])('dates a modification time that is %s to the start of 1970', (_, mtimeMs, etag) => {
    const validators = fileValidators({ size: 20, mtimeMs, now: NOW })

    expect(validators).toEqual({ etag, lastModified: 0 })
    expect(formatHttpDate(validators.lastModified)).toBe('Thu, 01 Jan 1970 00:00:00 GMT')
    expect(scanEntityTags(validators.etag)).toEqual([etag])
  })

  test.each([
    ['the next millisecond', NOW + 1],
    ['tomorrow', NOW + 86_400_000],
    ['the year 10000', 253402300800000],
    ['past what a date can hold', 1e18],
  ])('dates a file from %s no later than now', (_, mtimeMs) => {
    const validators = fileValidators({ size: 20, mtimeMs, now: NOW })

    expect(validators.lastModified).toBe(NOW - 500)
    expect(scanEntityTags(validators.etag)).toHaveLength(1)
  })
})

// RFC 9110 §8.8.3.2, and what is not the prefix of a weak tag.
describe.each([
  ['W/"1"', 'W/"1"', false, true],
  ['W/"1"', 'W/"2"', false, false],
  ['W/"1"', '"1"', false, true],
  ['"1"', 'W/"1"', false, true],
  ['"1"', '"1"', true, true],
  ['"1"', '"2"', false, false],
  ['"a"', '"A"', false, false],
  ['w/"1"', '"1"', false, false],
])('%s beside %s', (a, b, strong, weak) => {
  test(`strongMatch() returns ${strong}`, () => {
    expect(strongMatch(a, b)).toBe(strong)
  })

  test(`weakMatch() returns ${weak}`, () => {
    expect(weakMatch(a, b)).toBe(weak)
  })
})

describe('scanEntityTags()', () => {
  test.each([
    ['"a"', ['"a"']],
    ['W/"a"', ['W/"a"']],
    ['""', ['""']],
    ['"a,b"', ['"a,b"']],
    ['"\\"', ['"\\"']],
    ['"é"', ['"é"']],
    ['"a", "b"', ['"a"', '"b"']],
    ['"a","b"', ['"a"', '"b"']],
    ['\t"a"\t,\t W/"b" ', ['"a"', 'W/"b"']],
    [',"a",, "b",', ['"a"', '"b"']],
  ])('lists the tags of %j', (value, expected) => {
    expect(scanEntityTags(value)).toEqual(expected)
  })

  test.each([
    '',
    ' ',
    ',',
    'a',
    '*',
    '"',
    '"a',
    'a"',
    'W/',
    'W/a',
    'W/"truc',
    'w/"a"',
    'W"a"',
    'W/ "a"',
    '"spaced etag"',
    '"tab\tbed"',
    '"\u007f"',
    '"\u0100"',
    '"a" "b"',
    '"a"x',
    '"a""b"',
  ])('finds no tag in %j', (value) => {
    expect(scanEntityTags(value)).toEqual([])
  })

  test.each([
    ['"a", b, "c"', ['"a"']],
    ['"a", "b c", "d"', ['"a"']],
    ['"a", *', ['"a"']],
    ['b, "a"', []],
  ])('ends at the first malformed element of %j', (value, expected) => {
    expect(scanEntityTags(value)).toEqual(expected)
  })

  test('reads a long hostile value in linear time', () => {
    // In quadratic time each would take far longer than a test may.
    const long = 2_000_000
    const hostile = [' '.repeat(long), '"'.repeat(long), `${'\t'.repeat(long)}x`, '"a" '.repeat(long)]

    for (const value of hostile) expect(scanEntityTags(value)).toEqual([])
  })
})

describe('namesEntityTag()', () => {
  test.each([
    [ETAG, true, true],
    [`W/${ETAG}`, false, true],
    ['*', true, true],
    [`"Z", ${ETAG}`, true, true],
    [`"Z", W/${ETAG}`, false, true],
    ['"Z"', false, false],
    ['*, "Z"', false, false],
    [`* ${ETAG}`, false, false],
    ['"*"', false, false],
    ['', false, false],
    [ETAG.replaceAll('"', ''), false, false],
    [ETAG.toUpperCase(), false, false],
    [`w/${ETAG}`, false, false],
  ])('value %s: strongly %p, weakly %p', (value, strong, weak) => {
    expect(namesEntityTag(value, ETAG, strongMatch)).toBe(strong)
    expect(namesEntityTag(value, ETAG, weakMatch)).toBe(weak)
  })
})

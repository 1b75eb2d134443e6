import { describe, expect, test } from 'bun:test'
import { evaluatePreconditions, rangeApplies } from '../../src/http/conditional.ts'
import { fileValidators } from '../../src/http/file-response.ts'

const LM = 'Wed, 01 Jan 2025 00:00:00 GMT'
const SECOND_BEFORE = 'Tue, 31 Dec 2024 23:59:59 GMT'
const SECOND_AFTER = 'Wed, 01 Jan 2025 00:00:01 GMT'
const YEAR_2001 = 'Mon, 01 Jan 2001 00:00:00 GMT'
const NOW = Date.UTC(2025, 5, 15)
const E = '"14-1941f297c00"'
const UNQUOTED = '14-1941f297c00'
const FILE = { etag: E, lastModified: Date.UTC(2025, 0, 1) }

type Headings = Record<string, string>

const decide = (headers: Headings) => evaluatePreconditions(new Headers(headers), FILE, NOW)

describe('evaluatePreconditions()', () => {
  test('proceeds without a condition', () => {
    expect(decide({})).toBe('proceed')
    expect(decide({ range: 'bytes=0-4', 'if-range': '"B"' })).toBe('proceed')
  })

  test.each([E, `W/${E}`, `"foo", "bar", ${E} , "baz"`, `"foo",\t${E}\t,"baz"`, '*'])(
    'finds the file not modified for If-None-Match: %s',
    (value) => {
      expect(decide({ 'if-none-match': value })).toBe('not-modified')
    },
  )

  test('reads three If-None-Match lines as one list', () => {
    const headers = new Headers(['"foo"', `"bar", ${E}`, '"baz"'].map((tags) => ['if-none-match', tags]))

    expect(evaluatePreconditions(headers, FILE, NOW)).toBe('not-modified')
  })

  test.each(['"foo"', E.toUpperCase(), UNQUOTED, ',', '', 'W/', 'W/"truc', `w/${E}`, '"spaced etag"'])(
    'proceeds for If-None-Match: %j',
    (value) => {
      expect(decide({ 'if-none-match': value })).toBe('proceed')
    },
  )

  test.each([
    LM,
    SECOND_AFTER,
    'Fri, 01 Jan 2100 00:00:00 GMT',
    'Tue, 19 Jan 2038 03:14:07 GMT',
    'Tue, 19 Jan 2038 03:14:08 GMT',
    'Sat, 01 Jan 2174 00:00:00 GMT',
    'Wednesday, 01-Jan-25 00:00:00 GMT',
    'Wed Jan  1 00:00:00 2025',
  ])('finds the file not modified for If-Modified-Since: %s', (value) => {
    expect(decide({ 'if-modified-since': value })).toBe('not-modified')
  })

  test.each([
    SECOND_BEFORE,
    YEAR_2001,
    '2025-01-01T00:00:00Z',
    'garbage',
    '2',
    '',
    '1735689600',
    `${LM}, ${LM}`,
  ])('proceeds for If-Modified-Since: %j', (value) => {
    expect(decide({ 'if-modified-since': value })).toBe('proceed')
  })

  test('compares whole seconds when the file was modified between two', () => {
    const validators = fileValidators({ size: 20, mtimeMs: Date.UTC(2025, 0, 1) + 999.5, now: NOW })

    const decideBy = (name: string) => evaluatePreconditions(new Headers({ [name]: LM }), validators, NOW)

    expect(decideBy('if-modified-since')).toBe('not-modified')
    expect(decideBy('if-unmodified-since')).toBe('proceed')
  })

  test.each([E, `"Z", ${E}`, '*'])('proceeds for If-Match: %s', (value) => {
    expect(decide({ 'if-match': value })).toBe('proceed')
  })

  test.each(['"foo"', `W/${E}`, UNQUOTED, `w/${E}`, '', '*, "foo"'])('fails for If-Match: %j', (value) => {
    expect(decide({ 'if-match': value })).toBe('failed')
  })

  test.each([LM, SECOND_AFTER, 'garbage', '', '2025-01-01T00:00:00Z'])(
    'proceeds for If-Unmodified-Since: %j',
    (value) => {
      expect(decide({ 'if-unmodified-since': value })).toBe('proceed')
    },
  )

  test.each([SECOND_BEFORE, YEAR_2001])('fails for If-Unmodified-Since: %s', (value) => {
    expect(decide({ 'if-unmodified-since': value })).toBe('failed')
  })

  test.each<[string, Headings, ReturnType<typeof decide>]>([
    ['If-None-Match wins over a good date', { 'if-none-match': '"x"', 'if-modified-since': LM }, 'proceed'],
    ['… over an old date', { 'if-none-match': E, 'if-modified-since': YEAR_2001 }, 'not-modified'],
    ['… even when it is empty', { 'if-none-match': '', 'if-modified-since': LM }, 'proceed'],
    ['If-Match wins over an old date', { 'if-match': E, 'if-unmodified-since': YEAR_2001 }, 'proceed'],
    ['… over a matching date', { 'if-match': '"x"', 'if-unmodified-since': LM }, 'failed'],
    ['If-Match holds, then If-None-Match', { 'if-match': E, 'if-none-match': E }, 'not-modified'],
    ['If-Match fails before If-None-Match', { 'if-match': '"x"', 'if-none-match': E }, 'failed'],
    ['both dates hold', { 'if-unmodified-since': LM, 'if-modified-since': LM }, 'not-modified'],
    ['If-Unmodified-Since fails first', { 'if-unmodified-since': YEAR_2001, 'if-none-match': E }, 'failed'],
    ['a tag goes before a range', { 'if-none-match': E, range: 'bytes=0-4', 'if-range': E }, 'not-modified'],
    ['… also before one past the end', { 'if-none-match': E, range: 'bytes=100-' }, 'not-modified'],
    ['If-Match fails before a range', { 'if-match': '"foo"', range: 'bytes=0-4' }, 'failed'],
  ])('keeps the order of evaluation: %s', (_, headers, expected) => {
    expect(decide(headers)).toBe(expected)
  })

  test.each<Headings>([
    { 'if-none-match': '*' },
    { 'if-none-match': E },
    { 'if-match': '"foo"' },
    { 'if-modified-since': LM },
    { 'if-unmodified-since': YEAR_2001 },
  ])('ignores %o for a file served without validators', (headers) => {
    expect(evaluatePreconditions(new Headers(headers), null, NOW)).toBe('proceed')
  })

  test('chooses the century of a two-digit year by the current time', () => {
    const headers = new Headers({ 'if-modified-since': 'Tuesday, 01-Jan-80 00:00:00 GMT' })

    expect(evaluatePreconditions(headers, FILE, Date.UTC(2025, 0, 1))).toBe('proceed')
    expect(evaluatePreconditions(headers, FILE, Date.UTC(2035, 0, 1))).toBe('not-modified')
  })
})

describe('rangeApplies()', () => {
  const applies = (value: string) => rangeApplies(new Headers({ 'if-range': value }), FILE)

  test('applies without If-Range, with and without validators', () => {
    expect(rangeApplies(new Headers(), FILE)).toBe(true)
    expect(rangeApplies(new Headers(), null)).toBe(true)
  })

  test('applies for the tag in If-Range', () => {
    expect(applies(E)).toBe(true)
  })

  test.each([
    `W/${E}`,
    '"B"',
    LM,
    'Wednesday, 01-Jan-25 00:00:00 GMT',
    'Wed Jan  1 00:00:00 2025',
    SECOND_BEFORE,
    SECOND_AFTER,
    'wrong',
    UNQUOTED,
    '',
    '*',
    `${E}, "B"`,
    '2025-01-01T00:00:00Z',
  ])('does not apply for If-Range: %j', (value) => {
    expect(applies(value)).toBe(false)
  })

  test.each([E, LM, '*', ''])(
    'never applies for If-Range: %j on a file served without validators',
    (value) => {
      expect(rangeApplies(new Headers({ 'if-range': value }), null)).toBe(false)
    },
  )

  test('does not apply once the file was replaced by one of the same size in the same second', () => {
    const before = fileValidators({ size: 20, mtimeMs: FILE.lastModified + 1, now: NOW })
    const after = fileValidators({ size: 20, mtimeMs: FILE.lastModified + 2, now: NOW })

    expect(rangeApplies(new Headers({ 'if-range': before.etag }), after)).toBe(false)
  })
})

import { beforeAll, describe, expect, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import { type FileView, TestClock } from '../support/holdfast.ts'
import {
  envelopeMessage,
  expectExactLength,
  headersBut,
  LAST_MODIFIED,
  onWire,
  ROUTES,
  type Route,
} from './wire.ts'

const CONTENT = '0123456789abcdefghij'
/** Hex size, hex milliseconds. */
const E = '"14-1941f297c00"'
const SECOND_BEFORE = 'Tue, 31 Dec 2024 23:59:59 GMT'
const SECOND_AFTER = 'Wed, 01 Jan 2025 00:00:01 GMT'

let f: FileView
const clock = new TestClock()
const holdfast = withInside({ clock })
const { askFor, storeOld } = onWire(holdfast)
beforeAll(async () => {
  f = await storeOld('f', CONTENT)
})

// `http/conditional.test.ts` has all forms of tags and dates.
const MATCHED: [what: string, headers: string[]][] = [
  ['its tag', [`If-None-Match: ${E}`]],
  ['its tag, weak', [`If-None-Match: W/${E}`]],
  ['its tag among others', [`If-None-Match: "foo", "bar", ${E} , "baz"`]],
  ['its tag behind a tab', [`If-None-Match:\t"foo",\t${E}`]],
  ['its tag, weak, among others', [`If-None-Match: W/"foo",W/${E},"baz"`]],
  ['its tag in one of three lines', ['If-None-Match: "foo"', `If-None-Match: ${E}`, 'If-None-Match: "baz"']],
  ['any tag', ['If-None-Match: *']],
  ['its tag beside an old date', [`If-None-Match: ${E}`, 'If-Modified-Since: Mon, 01 Jan 2001 00:00:00 GMT']],
  ['its date', [`If-Modified-Since: ${LAST_MODIFIED}`]],
  ['a second later', [`If-Modified-Since: ${SECOND_AFTER}`]],
  ['its tag, required and excluded', [`If-Match: ${E}`, `If-None-Match: ${E}`]],
  ['its tag beside a range', ['Range: bytes=0-4', `If-Range: ${E}`, `If-None-Match: ${E}`]],
  ['its tag beside a range past the end', ['Range: bytes=100-', `If-None-Match: ${E}`]],
  ['its date beside a range', ['Range: bytes=0-4', `If-Modified-Since: ${LAST_MODIFIED}`]],
]

const MODIFIED: [what: string, headers: string[]][] = [
  ['no condition', []],
  ...['"foo"', '', 'W/"truc', `"${E}"`, `${E.slice(0, -1)}`].map((tag): [string, string[]] => [
    `the tag ${tag || 'nothing'}`,
    [`If-None-Match: ${tag}`],
  ]),
  ['another tag beside its date', ['If-None-Match: "x"', `If-Modified-Since: ${LAST_MODIFIED}`]],
  ['an empty tag beside its date', ['If-None-Match:', `If-Modified-Since: ${LAST_MODIFIED}`]],
  ...[SECOND_BEFORE, 'garbage', ''].map((date): [string, string[]] => [
    `the date ${date || 'nothing'}`,
    [`If-Modified-Since: ${date}`],
  ]),
  ['its date twice', [`If-Modified-Since: ${LAST_MODIFIED}`, `If-Modified-Since: ${LAST_MODIFIED}`]],
  ['its tag, required', [`If-Match: ${E}`]],
  ['its tag among others, required', [`If-Match: "Z", ${E}`]],
  ['any tag, required', ['If-Match: *']],
  ['its date as the limit', [`If-Unmodified-Since: ${LAST_MODIFIED}`]],
  ['a later date as the limit', [`If-Unmodified-Since: ${SECOND_AFTER}`]],
  ['garbage as the limit', ['If-Unmodified-Since: garbage']],
  ['its tag, required, beside an old limit', [`If-Match: ${E}`, `If-Unmodified-Since: ${SECOND_BEFORE}`]],
  ['a stale If-Range and no range', ['If-Range: "B"']],
]

const FAILED: [what: string, headers: string[]][] = [
  ['another tag, required', ['If-Match: "foo"']],
  ['its tag, weak, required', [`If-Match: W/${E}`]],
  ['no tag, required', ['If-Match:']],
  ['an earlier date as the limit', [`If-Unmodified-Since: ${SECOND_BEFORE}`]],
  [
    'another tag, required, beside a good limit',
    ['If-Match: "foo"', `If-Unmodified-Since: ${LAST_MODIFIED}`],
  ],
  ['another tag, required, beside its own excluded', ['If-Match: "foo"', `If-None-Match: ${E}`]],
  ['another tag, required, beside a range', ['Range: bytes=0-4', 'If-Match: "foo"']],
  ['another tag, required, beside a range past the end', ['Range: bytes=100-', 'If-Match: "foo"']],
]

/** Requests the file by GET and by HEAD. */
const askBoth = async (route: Route, headers: string[]) =>
  [await askFor(route, f, { headers }), await askFor(route, f, { method: 'HEAD', headers })] as const

describe.each(ROUTES)('by %s, a request with', (route) => {
  test.each(MATCHED)('%s gets 304 by GET and HEAD', async (_, headers) => {
    const [answer, head] = await askBoth(route, headers)

    const { 'content-type': _type, 'content-length': _length, ...others } = headersBut(await askFor(route, f))
    expect([answer.status, answer.body.length]).toEqual([304, 0])
    expect(headersBut(answer, 'content-length')).toEqual(others)
    expect(others).toMatchObject({ etag: E, 'cache-control': expect.any(String) })
    expect(answer.headers.get('date')).toEndWith(' GMT')
    expect([head.status, head.body.length]).toEqual([304, 0])
    expect(headersBut(head, 'content-length')).toEqual(others)
  })

  test.each(MODIFIED)('%s gets 200 by GET and HEAD', async (_, headers) => {
    const [answer, head] = await askBoth(route, headers)

    expect([answer.status, answer.body.toString()]).toEqual([200, CONTENT])
    expect(headersBut(answer)).toMatchObject({ etag: E, 'last-modified': LAST_MODIFIED })
    expectExactLength(answer)
    expect([head.status, head.body.length, headersBut(head)]).toEqual([200, 0, headersBut(answer)])
  })

  test.each(FAILED)('%s gets 412 by GET and HEAD', async (_, headers) => {
    const [answer, head] = await askBoth(route, headers)

    expect(answer.status).toBe(412)
    expect(envelopeMessage(answer)).toBe('The file does not match the precondition')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expectExactLength(answer)
    expect([head.status, head.body.length, headersBut(head)]).toEqual([412, 0, headersBut(answer)])
  })

  // RFC 9110 §8.6: a length beside a 304 must be that of the 200, so never the 0 of the missing body.
  test.each(['GET', 'HEAD'])(
    'its tag by %s is answered without a length that is not the file’s',
    async (method) => {
      const answer = await askFor(route, f, { method, headers: [`If-None-Match: ${E}`] })

      expect(answer.headers.get('content-length') ?? '20').toBe('20')
    },
  )
})

describe.each(ROUTES)('If-Range by %s', (route) => {
  test.each<[range: string, ifRange: string, status: number]>([
    ['0-4', E, 206],
    ['0-4', LAST_MODIFIED, 200],
    ['0-4', `W/${E}`, 200],
    ['0-4', '"B"', 200],
    ['0-4', SECOND_BEFORE, 200],
    ['0-4', '', 200],
    ['0-4', `"B", ${E}`, 200],
    ['100-', '"B"', 200],
    ['100-', E, 416],
    ['0-1,3-4', E, 200],
  ])('bytes=%s with %j is %d', async (range, ifRange, status) => {
    const headers = [`Range: bytes=${range}`, `If-Range: ${ifRange}`]

    const [answer, head] = await askBoth(route, headers)

    expect(answer.status).toBe(status)
    expectExactLength(answer)
    if (status === 206) expect(answer.body.toString()).toBe('01234')
    if (status === 200) expect(answer.body.toString()).toBe(CONTENT)
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '20'])
  })
})

import { beforeAll, describe, expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'
import type { RawAnswer } from '../support/socket.ts'
import {
  asking,
  envelopeMessage,
  expectExactLength,
  headersBut,
  LAST_MODIFIED,
  onWire,
  pipeline,
  ROUTES,
  type Route,
  requestText,
} from './wire.ts'

const CONTENT = '0123456789abcdefghij'
let f: FileView
let e: FileView
const holdfast = withHoldfast()
const { askFor, storeOld } = onWire(holdfast)

beforeAll(async () => {
  f = await storeOld('f', CONTENT)
  e = await storeOld('e', '')
})

const get = (route: Route, file: FileView, range?: string): Promise<RawAnswer> =>
  askFor(route, file, { headers: range === undefined ? [] : [`Range: ${range}`] })

/** Headers of the 200 that a 206 must repeat. */
const shared = (answer: RawAnswer) => headersBut(answer, 'content-length', 'content-range')

const CACHE_CONTROL = {
  hosting: 'public, max-age=0, must-revalidate',
  download: 'private, max-age=0, must-revalidate',
}

describe.each(ROUTES)('GET by %s without a range', (route) => {
  test('sends the whole file with all headers that a client needs to request ranges', async () => {
    const answer = await get(route, f)

    expect(answer.status).toBe(200)
    expect(answer.body.toString()).toBe(CONTENT)
    expectExactLength(answer)
    expect(headersBut(answer)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': CACHE_CONTROL[route],
      'content-security-policy': 'sandbox',
      'content-type': 'application/octet-stream',
      etag: '"14-1941f297c00"',
      'last-modified': LAST_MODIFIED,
      'x-content-type-options': 'nosniff',
    })
    expect(answer.headers.has('content-range')).toBe(false)
  })
})

// `http/range.test.ts` has all forms of ranges.
describe.each(ROUTES)('GET by %s with a range that can be satisfied', (route) => {
  test.each<[range: string, span: string]>([
    ['bytes=0-4', '0-4'],
    ['bytes=2-', '2-19'],
    ['bytes=-5', '15-19'],
    ['bytes=0-20', '0-19'],
    ['bytes=-21', '0-19'],
    ['bytes=\t0-4\t', '0-4'],
    ['BYTES=0-4', '0-4'],
  ])('%j is 206 with bytes %s', async (range, span) => {
    const [first = 0, last = 0] = span.split('-').map(Number)

    const answer = await get(route, f, range)

    expect(answer.status).toBe(206)
    expect(answer.headers.get('content-range')).toBe(`bytes ${span}/20`)
    expect(answer.body.toString()).toBe(CONTENT.slice(first, last + 1))
    expectExactLength(answer)
    expect(shared(answer)).toEqual(shared(await get(route, f)))
  })
})

describe.each(ROUTES)('GET by %s with a range past the end', (route) => {
  test.each(['bytes=20-', 'bytes=-0', 'bytes=99999999999999999999999-'])(
    '%j is 416 with the size',
    async (range) => {
      const answer = await get(route, f, range)

      expect(answer.status).toBe(416)
      expect(answer.headers.get('content-range')).toBe('bytes */20')
      expect(envelopeMessage(answer)).toBe('The range starts after the end of the file')
      expectExactLength(answer)
    },
  )

  test('is refused with the headers that protect browsers', async () => {
    expect(headersBut(await get(route, f, 'bytes=20-'))).toMatchObject({
      'accept-ranges': 'bytes',
      'content-security-policy': 'sandbox',
      'content-type': 'application/json;charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
  })
})

const OVERLAPPING = `bytes=${Array(1000).fill('0-').join(',')}`

describe.each(ROUTES)('GET by %s with a range that is to be ignored', (route) => {
  test.each([
    ['of no unit known here', ['bytes =0-4', 'items=0-4']],
    ['that is invalid', ['bytes=', 'bytes=a-b', 'bytes=0 - 4', 'bytes=5-2']],
    ['beside others', ['bytes=0-1,5-6', 'bytes=0-4,100-', 'bytes=0-4,', OVERLAPPING]],
  ])('%s is 200 with the whole file, once', async (_, ranges) => {
    const whole = headersBut(await get(route, f))
    for (const range of ranges) {
      const answer = await get(route, f, range)

      expect([range, answer.status, answer.body.toString()]).toEqual([range, 200, CONTENT])
      expect(headersBut(answer)).toEqual(whole)
    }
  })

  test('in two header lines is 200 with the whole file', async () => {
    const answer = await askFor(route, f, {
      headers: ['Range: bytes=0-4', 'Range: bytes=6-8'],
    })

    expect([answer.status, answer.body.toString()]).toEqual([200, CONTENT])
    expectExactLength(answer)
  })

  test.each(['bytes=0-4', 'bytes=100-', 'bytes=-0'])(
    'of a HEAD, %j, is 200 with the whole length',
    async (range) => {
      const answer = await askFor(route, f, {
        method: 'HEAD',
        headers: [`Range: ${range}`],
      })

      expect([answer.status, answer.body.length]).toEqual([200, 0])
      expect(headersBut(answer)).toEqual(headersBut(await get(route, f)))
    },
  )
})

describe.each(ROUTES)('GET by %s with a range of an empty file', (route) => {
  test.each(['bytes=0-', 'bytes=0-0', 'bytes=1-', 'bytes=-0'])('%s is 416', async (range) => {
    const answer = await get(route, e, range)

    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */0'])
    expectExactLength(answer)
  })

  test.each([undefined, 'bytes=-1', 'items=0-'])('%s is 200 with nothing', async (range) => {
    const answer = await get(route, e, range)

    expect([answer.status, answer.body.length]).toEqual([200, 0])
    expectExactLength(answer)
  })
})

/** Size of a file that a node with an object store reads from there by range, in bytes. */
const TOO_LARGE = 64 * 1024 ** 2 + 4

/** Requests all `spans`, both ends inclusive, over one connection. */
async function readSpans(
  route: Route,
  file: FileView,
  spans: readonly [number, number][],
): Promise<RawAnswer[]> {
  return pipeline(
    holdfast.port,
    spans.map(([first, last]) =>
      requestText(...asking(route, file, holdfast, { headers: [`Range: bytes=${first}-${last}`] })),
    ),
  )
}

const pairsOf = (positions: readonly number[]): [number, number][] =>
  positions.flatMap((first) =>
    positions.filter((last) => last >= first).map((last): [number, number] => [first, last]),
  )

/** Returns bytes without a repeated stretch. */
const distinctBytes = (length: number) =>
  Buffer.from(Uint32Array.from({ length: length / 4 }, (_, n) => n).buffer)

describe.each(ROUTES)('ranges by %s put together', (route) => {
  test('of 8 KiB and one byte make the file again', async () => {
    const bytes = distinctBytes(100 * 1024)
    const file = await storeOld(`sliding-${route}`, bytes)
    const starts = Array.from({ length: Math.ceil(bytes.length / 8193) }, (_, n) => n * 8193)

    const answers = await readSpans(
      route,
      file,
      starts.map((start) => [start, start + 8192]),
    )

    expect(answers.map(({ status }) => status)).toEqual(starts.map(() => 206))
    expect(Buffer.concat(answers.map(({ body }) => body)).equals(bytes)).toBe(true)
  })

  test.each<[string, number, number[]]>([
    [
      '200 and 600',
      8000,
      [0, 1, 2, 198, 199, 200, 201, 598, 599, 600, 601, 7798, 7799, 7800, 7801, 7998, 7999],
    ],
    ['the largest read done at once', 200_000, [0, 65_535, 65_536, 65_537, 199_999]],
    ['the largest read of a stream', 600_000, [0, 262_143, 262_144, 262_145, 524_287, 524_288, 524_289]],
    [
      'the end of a file too large for a local copy',
      TOO_LARGE,
      [TOO_LARGE - 9, TOO_LARGE - 8, TOO_LARGE - 2, TOO_LARGE - 1],
    ],
  ])('around %s are exact', async (_, size, positions) => {
    const bytes = distinctBytes(size)
    const file = await storeOld(`boundaries-${route}-${size}`, bytes)
    const spans = pairsOf(positions)

    const answers = await readSpans(route, file, spans)

    expect(answers.map(({ headers }) => headers.get('content-range'))).toEqual(
      spans.map(([first, last]) => `bytes ${first}-${last}/${size}`),
    )
    expect(
      spans.filter(([first, last], n) => !answers[n]?.body.equals(bytes.subarray(first, last + 1))),
    ).toEqual([])
  })
})

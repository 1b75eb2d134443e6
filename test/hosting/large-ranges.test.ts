import { describe, expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'
import type { RawAnswer } from '../support/socket.ts'
import { asking, pipeline, ROUTES, type Route, requestText, storeOld } from './wire.ts'

/** Size of a file that a node with an object store reads from there by range, in bytes. */
const TOO_LARGE = 64 * 1024 ** 2 + 4

const holdfast = withHoldfast()

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
    const file = await storeOld(holdfast, holdfast, { name: `sliding-${route}`, content: bytes })
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
    const file = await storeOld(holdfast, holdfast, { name: `boundaries-${route}-${size}`, content: bytes })
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

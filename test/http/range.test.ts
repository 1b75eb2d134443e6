import { describe, expect, test } from 'bun:test'
import { selectRange } from '../../src/http/file-response.ts'

const SIZE = 20
const ALL = [0, 19] as const

/** Returns the words of a text. */
const words = (text: string) => text.split(' ')

type Outcome = readonly [first: number, last: number] | 'whole' | 'unsatisfiable'

function outcome(header: string | null, size: number): Outcome {
  const range = selectRange(header, size)
  return typeof range === 'string' ? range : [range.first, range.last]
}

describe('selectRange()', () => {
  test('sends the whole file when there is no header', () => {
    expect(selectRange(null, SIZE)).toBe('whole')
  })

  test.each<[string, readonly [number, number]]>([
    ['bytes=0-4', [0, 4]],
    ['bytes=0-0', [0, 0]],
    ['bytes=3-7', [3, 7]],
    ['bytes=2-', [2, 19]],
    ['bytes=19-', [19, 19]],
    ['bytes=19-19', [19, 19]],
    ['bytes=-1', [19, 19]],
    ['bytes=-5', [15, 19]],
    ['bytes=0-', ALL],
    ['bytes=0-19', ALL],
    ['bytes=-20', ALL],
  ])('takes %s of 20 bytes as asked', (header, expected) => {
    expect(outcome(header, SIZE)).toEqual(expected)
  })

  test.each<[string, readonly [number, number]]>([
    ['bytes=0-20', ALL],
    ['bytes=0-10001', ALL],
    ['bytes=0-9223372036854775807', ALL],
    ['bytes=0-18446744073709551616', ALL],
    ['bytes=5-1000', [5, 19]],
    ['bytes=19-20', [19, 19]],
    ['bytes=-21', ALL],
    ['bytes=-1000', ALL],
    ['bytes=-99999999999999999999999', ALL],
    [`bytes=3-${'9'.repeat(400)}`, [3, 19]],
    [`bytes=-${'9'.repeat(400)}`, ALL],
  ])('clamps %s to the end of 20 bytes', (header, expected) => {
    expect(outcome(header, SIZE)).toEqual(expected)
  })

  test.each([
    ...words('bytes=20- bytes=20-20 bytes=20-25 bytes=21-21 bytes=100- bytes=100-1000 bytes=-0'),
    ...words('bytes=-000 bytes=9223372036854775808- bytes=99999999999999999999999-'),
    ...words('bytes=99999999999999999999999-99999999999999999999999'),
    `bytes=${'9'.repeat(400)}-`,
  ])('cannot satisfy %s of 20 bytes', (header) => {
    expect(selectRange(header, SIZE)).toBe('unsatisfiable')
  })

  test.each<[string, readonly [number, number]]>([
    ['bytes=000000000000000000000-000000000000000000004', [0, 4]],
    ['bytes=0009-10', [9, 10]],
    ['bytes= 0-4', [0, 4]],
    ['bytes=\t0-4', [0, 4]],
    ['bytes=0-4 ', [0, 4]],
    ['Bytes=0-4', [0, 4]],
    ['BYTES=0-4', [0, 4]],
  ])('reads %j leniently', (header, expected) => {
    expect(outcome(header, SIZE)).toEqual(expected)
  })

  test.each([
    ...words('items=0-4 0-4 bytes foo xbytes=0-4'),
    'bytes =0-4',
    'bytes=0 - 4',
    'bytes 0-4/20',
    '',
    'bytes=0-4\nbytes=0-4',
  ])('ignores %j: not a range of bytes', (header) => {
    expect(selectRange(header, SIZE)).toBe('whole')
  })

  test.each([
    ...words('bytes= bytes=- bytes=5 bytes=5-2 bytes=--5 bytes=---0 bytes=-5- bytes=a-b bytes=5-b'),
    ...words('bytes=A- bytes=0x01-0x02 bytes=+1-2 bytes=1.5-3 bytes=1e1- bytes=0-4;q=1'),
    ...words('bytes=5-10/20 bytes=9007199254740993-9007199254740992'),
    ...words('bytes=99999999999999999999999-5 bytes=00100-20 bytes=5-0002'),
    'bytes=Ran-dom, garbage',
    'bytes=٣-٤',
  ])('ignores %j: an invalid range', (header) => {
    expect(selectRange(header, SIZE)).toBe('whole')
  })

  test.each([
    ...words('bytes=0-1,5-6 bytes=0-0,-1 bytes=0-4,100- bytes=500-700,601-999 bytes=100-,200-'),
    ...words('bytes=0-4, bytes=,0-4 bytes=0-4,x bytes=0-2,5-4 bytes=1-4,5-2 bytes=0-,1-,2-,3-,4-'),
    'bytes=-2 , 7-',
    'bytes=0-9, -10, 10-19',
    `bytes=${Array(200).fill('0-1,3-4').join(',')}`,
    `bytes=${Array(1000).fill('0-').join(',')}`,
  ])('sends the whole file for several ranges: %.40s', (header) => {
    expect(selectRange(header, SIZE)).toBe('whole')
  })

  test('never merges two header lines into one range', () => {
    const headers = new Headers([
      ['range', 'bytes=0-4'],
      ['range', 'bytes=5-9'],
    ])

    expect(selectRange(headers.get('range'), SIZE)).toBe('whole')
  })

  test.each<[string, Outcome]>([
    ['bytes=0-', 'unsatisfiable'],
    ['bytes=0-0', 'unsatisfiable'],
    ['bytes=1-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=-1', 'whole'],
    ['bytes=5-2', 'whole'],
    ['bytes=-', 'whole'],
  ])('answers %s of an empty file with %s', (header, expected) => {
    expect(outcome(header, 0)).toBe(expected)
  })

  test('clamps only the last of the ranges that slide over a file', () => {
    const starts = Array.from({ length: 13 }, (_, i) => i * 8192)

    const ranges = starts.map((start) => selectRange(`bytes=${start}-${start + 8192}`, 100_000))

    expect(ranges.slice(0, -1)).toEqual(starts.slice(0, -1).map((first) => ({ first, last: first + 8192 })))
    expect(ranges.at(-1)).toEqual({ first: 98_304, last: 99_999 })
  })

  test.each([
    [
      '8,000 bytes',
      8000,
      [0, 1, 2, 198, 199, 200, 201, 598, 599, 600, 601, 7798, 7799, 7800, 7801, 7998, 7999],
    ],
    ['64 KiB', 200_000, [65_535, 65_536, 65_537]],
    ['4 GiB', 4.1 * 2 ** 30, [0, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1]],
    ['the largest size', Number.MAX_SAFE_INTEGER, [2 ** 53 - 3, 2 ** 53 - 2]],
  ])('is exact for every pair of positions around %s', (_, size, positions) => {
    const pairs = positions.flatMap((first) => positions.map((last) => ({ first, last })))

    for (const { first, last } of pairs.filter((pair) => pair.first <= pair.last)) {
      expect(selectRange(`bytes=${first}-${last}`, Math.floor(size))).toEqual({ first, last })
    }
  })
})

/** Bytes `first` to `last`, both inclusive and 0-based, as in `Content-Range`. */
export interface ByteRange {
  first: number
  last: number
}

/** Single range of bytes. The unit is case-insensitive (RFC 9110 §14.1); space around the range is accepted. */
const BYTES_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i

/**
 * Selects the bytes of a `size`-byte file for a `Range` header (RFC 9110 §14.2).
 *
 * Returns `'whole'` as well where the RFC lets a server ignore the header: another unit, bad syntax, several ranges, a
 * start after its own end. `'unsatisfiable'` is a start at or past the end of the file (any start in an empty one),
 * and the suffix `-0`.
 *
 * @param header The header's value, or `null` when the request has none.
 * @param size The file's length in bytes, at most `Number.MAX_SAFE_INTEGER`.
 */
export function selectRange(header: string | null, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  if (header === null) return 'whole'
  const [, first, last] = BYTES_RANGE.exec(header) ?? []
  if (first === undefined || last === undefined) return 'whole'
  if (first === '') return last === '' ? 'whole' : selectSuffix(Number(last), size)
  if (last !== '' && isLess(last, first)) return 'whole'

  // A position past 2^53 is rounded, but never to one inside the file. As a start it stays unsatisfiable, as an end
  // it is clamped (RFC 9110 §14.1.2).
  const start = Number(first)
  if (start >= size) return 'unsatisfiable'
  return { first: start, last: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}

/** Selects the last `length` bytes, or all of them when there are fewer. */
function selectSuffix(length: number, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  // RFC 9110 §14.1.2: a suffix is satisfiable when it is not zero, whatever the size of the file.
  if (length === 0) return 'unsatisfiable'
  if (size === 0) return 'whole'
  return { first: Math.max(0, size - length), last: size - 1 }
}

/** Compares decimal digits as numbers of any length, exactly. */
function isLess(a: string, b: string): boolean {
  const [x, y] = [withoutLeadingZeros(a), withoutLeadingZeros(b)]
  return x.length === y.length ? x < y : x.length < y.length
}

const withoutLeadingZeros = (digits: string) => digits.replace(/^0+/, '')

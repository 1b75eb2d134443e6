/** Encodings of texts, by their names in the Encoding standard. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** Bytes that are looked at for characters of two bytes. */
const SAMPLE = 4096
/** Share of zero bytes at even or odd places that makes a text UTF-16. */
const ZEROES = 0.3
/** Maximum share of control characters in a text of one byte a character. */
const CONTROLS = 0.01

/**
 * Returns the encoding of a text by its beginning: by its byte order mark, else by what its bytes can be. Any text of
 * one byte a character is read as Windows-1252, which has all of Latin-1.
 *
 * @returns Undefined for what is no text.
 */
export function detectEncoding(bytes: Uint8Array): Encoding | undefined {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const sample = bytes.subarray(0, SAMPLE)
  const [even, odd] = [zeroes(sample, 0), zeroes(sample, 1)]
  if (odd > ZEROES && even < ZEROES / 10) return 'utf-16le'
  if (even > ZEROES && odd < ZEROES / 10) return 'utf-16be'
  if (bytes.includes(0) || controls(sample) > CONTROLS) return undefined
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252'
}

/** Returns the share of zeroes at every second place, from the `first`. */
function zeroes(bytes: Uint8Array, first: 0 | 1): number {
  let count = 0
  for (let at = first; at < bytes.length; at += 2) if (bytes[at] === 0) count += 1
  return bytes.length < 2 ? 0 : (count * 2) / bytes.length
}

/** Characters below the space that texts have: tab, line feed, form feed, carriage return, escape of colours. */
const IN_TEXTS = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b])

function controls(bytes: Uint8Array): number {
  const count = bytes.reduce((sum, byte) => sum + (byte < 0x20 && !IN_TEXTS.has(byte) ? 1 : 0), 0)
  return count / Math.max(1, bytes.length)
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    // As a stream: the last character may be cut.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** Returns the text of some bytes, without a character that is cut at their end. */
export const decode = (bytes: Uint8Array, encoding: Encoding): string =>
  new TextDecoder(encoding).decode(bytes, { stream: true })

/** Places of the zero beside a line feed of two bytes: after it, or before it. */
const OTHER_BYTE = { 'utf-16le': 1, 'utf-16be': -1 }

/** Returns the number of line feeds in bytes that begin with a whole character. */
export function countLines(bytes: Uint8Array, encoding: Encoding): number {
  const other = encoding === 'utf-16le' || encoding === 'utf-16be' ? OTHER_BYTE[encoding] : undefined
  let count = 0
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
    const isFeed = other === undefined || (at % 2 === (other === 1 ? 0 : 1) && bytes[at + other] === 0)
    if (isFeed) count += 1
  }
  return count
}

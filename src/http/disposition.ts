/** What cannot stand in a quoted `filename` without escapes that some clients misread. */
const NOT_IN_FALLBACK = /[^\x20-\x7e]|["\\%]/gu

/** What `encodeURIComponent` leaves alone although it is no `attr-char` (RFC 8187 §3.2.1). */
const NOT_ATTR_CHAR = /['()*]/g

/**
 * The `Content-Disposition` of a file called `name` (RFC 6266 §4.1): an ASCII `filename` for old clients, in
 * which every other character has become `_`, and the exact name in `filename*`.
 *
 * Any string will do: the answer is always printable ASCII. A lone surrogate, which has no UTF-8 form,
 * becomes U+FFFD.
 */
export function contentDisposition(type: 'inline' | 'attachment', name: string): string {
  const fallback = name.replace(NOT_IN_FALLBACK, '_')
  return `${type}; filename="${fallback}"; filename*=UTF-8''${percentEncode(name)}`
}

/** An `ext-value` without its charset (RFC 8187 §3.2.1). */
const percentEncode = (text: string) =>
  encodeURIComponent(text.toWellFormed()).replace(NOT_ATTR_CHAR, percentEncodeAscii)

const percentEncodeAscii = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

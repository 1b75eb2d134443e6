/** Characters that need an escape in a quoted `filename`, which some clients misread. */
const NOT_IN_FALLBACK = /[^\x20-\x7e]|["\\%]/gu

/** Characters that `encodeURIComponent` does not escape although they are no `attr-char` (RFC 8187 §3.2.1). */
const NOT_ATTR_CHAR = /['()*]/g

/**
 * Returns the `Content-Disposition` of a file called `name` (RFC 6266 §4.1). `filename` is for old clients: ASCII, with
 * `_` for every other character. `filename*` has the exact name.
 *
 * The result is printable ASCII for any string. A lone surrogate has no UTF-8 form and becomes U+FFFD.
 */
export function contentDisposition(type: 'inline' | 'attachment', name: string): string {
  const fallback = name.replace(NOT_IN_FALLBACK, '_')
  return `${type}; filename="${fallback}"; filename*=UTF-8''${percentEncode(name)}`
}

/** Encodes an `ext-value` without its charset (RFC 8187 §3.2.1). */
const percentEncode = (text: string) =>
  encodeURIComponent(text.toWellFormed()).replace(NOT_ATTR_CHAR, percentEncodeAscii)

const percentEncodeAscii = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

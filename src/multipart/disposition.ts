import { malformedBody } from './error.ts'
import { parseParameters } from './header.ts'

/** Parsed Content-Disposition of a part (RFC 7578 §4.2). */
export interface Disposition {
  /** Name of the form field. May be empty. */
  name: string
  /** Whole file name, path included if one was sent; `undefined` when the part is not a file. */
  filename: string | undefined
}

/**
 * Parses the Content-Disposition of a part.
 *
 * Values are UTF-8, as browsers send them. Browsers and curl escape a quote and line breaks (HTML standard,
 * multipart/form-data encoding): only these percent escapes are decoded, all others are characters of the name.
 * `filename*` (RFC 8187) takes precedence over `filename`, in either order.
 *
 * @param header The header's value, one character a byte (Latin-1).
 * @throws {MultipartError} If it is not well-formed form-data with a name, or text in it cannot be decoded.
 */
export function parseDisposition(header: string): Disposition {
  const parsed = parseParameters(header)
  if (parsed === undefined) {
    throw malformedBody('a Content-Disposition header is malformed or has a parameter twice')
  }
  if (parsed.value !== 'form-data') throw malformedBody('the Content-Disposition of a part is not form-data')

  const name = parsed.parameters.get('name')
  if (name === undefined) throw malformedBody('a part has no name')
  const filename = parsed.parameters.get('filename')
  const extended = parsed.parameters.get('filename*')
  // Both are decoded although only one counts: a name that is broken in either is refused.
  const plainName = filename === undefined ? undefined : decodeValue(filename)
  const extendedName = extended === undefined ? undefined : decodeExtended(extended)
  return { name: decodeValue(name), filename: extendedName ?? plainName }
}

const ESCAPED = new Map([
  ['%22', '"'],
  ['%0D', '\r'],
  ['%0A', '\n'],
])

const decodeValue = (latin1: string) =>
  decodeUtf8(Buffer.from(latin1, 'latin1')).replace(
    /%(?:22|0D|0A)/g,
    (escaped) => ESCAPED.get(escaped) ?? escaped,
  )

/** Decodes `charset'language'value` (RFC 8187 §3.2.1). The language is ignored. */
function decodeExtended(value: string): string {
  const [, charset = '', encoded = ''] =
    /^([^']*)'[^']*'((?:%[0-9A-Fa-f]{2}|[!#$&+.^_`|~0-9A-Za-z-])*)$/.exec(value) ?? []
  const bytes = percentDecode(encoded)
  switch (charset.toLowerCase()) {
    case 'utf-8':
      return decodeUtf8(bytes)
    case 'iso-8859-1':
      return bytes.toString('latin1')
    default:
      throw malformedBody('a filename* parameter is not percent-encoded UTF-8 or ISO-8859-1')
  }
}

function percentDecode(text: string): Buffer {
  const latin1 = text.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(latin1, 'latin1')
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    // A leading U+FEFF is part of the name, not a byte order mark.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw malformedBody('a Content-Disposition header contains text that is not UTF-8')
  }
}

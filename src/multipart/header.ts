import { MultipartError, malformedBody } from './error.ts'

/** Header value such as `form-data; name="a"`. */
interface ParameterizedValue {
  /** Text before the first semicolon, in lower case. */
  value: string
  /** Values as sent, unquoted. Keys are in lower case. */
  parameters: Map<string, string>
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const OWS = '[ \\t]*'

// Inside quotes only `\"` and `\\` are escapes: browsers do not escape any other backslash (`C:\x`).
// The three alternatives exclude each other, so a match never backtracks.
const QUOTED = '"((?:[^"\\\\]|\\\\["\\\\]|\\\\(?!["\\\\]))*)"'

// Some senders do not quote separators that RFC 9110 wants quoted, as in `boundary=----=_Part_1`.
const UNQUOTED = "([!#$%&'()*+./:=?@^_`|~0-9A-Za-z-]+)"

// RFC 9110 §5.6.6: a parameter may be empty, so a trailing semicolon is fine.
const PARAMETER = new RegExp(`${OWS};${OWS}(?:(${TOKEN})${OWS}=${OWS}(?:${QUOTED}|${UNQUOTED}))?${OWS}`, 'y')

const HEADER_LINE = new RegExp(`^(${TOKEN}):${OWS}(.*)$`, 's')

/**
 * Parses a value with parameters, each a token or a quoted string (RFC 9110 §5.6.6).
 *
 * Returns `undefined` when the syntax is broken or a parameter stands twice. With two values, one could be validated
 * and the other used.
 */
export function parseParameters(text: string): ParameterizedValue | undefined {
  const [head = ''] = /^[^;]*/.exec(text) ?? []
  const parameters = new Map<string, string>()
  let position = head.length
  while (position < text.length) {
    PARAMETER.lastIndex = position
    const match = PARAMETER.exec(text)
    if (match === null) return undefined
    position = PARAMETER.lastIndex

    const [, name, quoted, unquoted] = match
    if (name === undefined) continue
    const key = name.toLowerCase()
    if (parameters.has(key)) return undefined
    parameters.set(key, quoted?.replace(/\\(["\\])/g, '$1') ?? unquoted ?? '')
  }
  return { value: head.trim().toLowerCase(), parameters }
}

/**
 * Returns the value of Content-Disposition in a part's header block.
 *
 * Every line must be well formed, also those that are not read: after one broken line the meaning of the rest is in
 * doubt.
 *
 * @param block Text between the boundary and the blank line, one character a byte (Latin-1).
 * @throws {MultipartError} If a line is malformed, or if there is not exactly one Content-Disposition.
 */
export function findDisposition(block: string): string {
  // RFC 5322 §2.2.3: a line that begins with white space continues the one before it.
  const unfolded = block.replace(/\r\n(?=[ \t])/g, '')
  const [padding = '', ...lines] = unfolded.split('\r\n')
  // RFC 2046 §5.1.1: only white space may follow the boundary on its line.
  if (!/^[ \t]*$/.test(padding)) throw malformedBody('a boundary line has other text after the boundary')

  const dispositions = lines.map(parseHeaderLine).filter((header) => header.name === 'content-disposition')
  const [disposition, second] = dispositions
  if (disposition === undefined) throw malformedBody('a part has no Content-Disposition header')
  if (second !== undefined) throw malformedBody('a part has two Content-Disposition headers')
  return disposition.value
}

function parseHeaderLine(line: string): { name: string; value: string } {
  if (/[\r\n\0]/.test(line)) throw malformedBody('a part header contains a bare CR, a bare LF or a NUL')
  const [, name, value] = HEADER_LINE.exec(line) ?? []
  if (name === undefined || value === undefined) {
    throw malformedBody('a part header line does not begin with a name and a colon')
  }
  return { name: name.toLowerCase(), value }
}

// RFC 2046 §5.1.1 allows 1 to 70 characters, the last not a space. Some senders use the other characters that HTTP
// allows without quotes, so they are accepted as well.
const BOUNDARY = /^[!#$%&'()*+,./:=?@^_`|~0-9A-Za-z -]{0,69}[!#$%&'()*+,./:=?@^_`|~0-9A-Za-z-]$/

/**
 * Parses the boundary in a request's Content-Type header.
 *
 * @param contentType The header's value, or `null` when the request has none.
 * @returns The boundary without its leading dashes, 1 to 70 ASCII characters.
 * @throws {MultipartError} If the type is not multipart/form-data, in any case, with one valid boundary.
 */
export function multipartBoundary(contentType: string | null): string {
  const [type = ''] = (contentType ?? '').split(';')
  if (type.trim().toLowerCase() !== 'multipart/form-data') {
    throw new MultipartError('Cannot read request body: Content-Type is not multipart/form-data')
  }
  const boundary = parseParameters(contentType ?? '')?.parameters.get('boundary')
  if (boundary === undefined || !BOUNDARY.test(boundary)) {
    throw new MultipartError('Cannot read multipart body: Content-Type has no valid boundary')
  }
  return boundary
}

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
  return { name: decodeValue(name), filename: filenameIn(parsed) }
}

/** Returns the file name of a parsed `Content-Disposition`; `undefined` without one. @throws {MultipartError} */
export function filenameIn({ parameters }: ParameterizedValue): string | undefined {
  const filename = parameters.get('filename')
  const extended = parameters.get('filename*')
  // Both are decoded although only one counts: a name that is broken in either is refused.
  const plainName = filename === undefined ? undefined : decodeValue(filename)
  const extendedName = extended === undefined ? undefined : decodeExtended(extended)
  return extendedName ?? plainName
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

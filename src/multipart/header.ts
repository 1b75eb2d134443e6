import { malformedBody } from './error.ts'

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

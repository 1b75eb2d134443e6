import { METHODS } from 'node:http'
import { Refusal, refuseInvalid } from '../platform/errors.ts'

/** Request line and header fields (RFC 9112 §3 and §5). */
export interface RequestHead {
  method: string
  /** Request target as sent: mostly a path and a query. */
  target: string
  /** Field values by lower-case name; those of several lines are joined. */
  headers: Readonly<Record<string, string>>
  /** Length of the body, or the sign that it is chunked. */
  bodyLength: number | 'chunked'
  /** True when the client can read a chunked body; HTTP/1.0 has none. */
  knowsChunks: boolean
  /** True when the client wants the connection to persist. */
  keepsAlive: boolean
  /** True when the client waits for a `100 Continue` before it sends the body (RFC 9110 §10.1.1). */
  expectsContinue: boolean
}

/** Head that is refused. Its end is uncertain, so nothing after it may be read. */
export interface BadHead {
  refusal: Refusal
  /** Method, if it could be read. */
  method: string
  target: string
  /** Host, if one could be read: it decides what the refusal looks like. */
  host: string | undefined
}

/** Head at the start of the input. */
export interface FoundHead {
  head: RequestHead | BadHead
  /** Length in bytes. */
  length: number
}

/** Maximum length of a head in bytes. */
export const MAX_HEAD_BYTES = 16 * 1024
const MAX_LINES = 128

const LINE_END = '\r\n'
const END = '\r\n\r\n'
/**
 * Matches characters forbidden in a head: control characters, among them carriage returns and line feeds that
 * do not form a line end together. Another parser may take one of them for a line end (RFC 9112 §2.2 and
 * §11.1).
 */
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r[^\n]|(?<!\r)\n/

/** Reads the head at the start of `input`; `undefined` while it is incomplete. */
export function readHead(input: Buffer): FoundHead | undefined {
  const text = input.toString('latin1', 0, MAX_HEAD_BYTES)
  let first = 0
  // Some clients send an empty line after a body (RFC 9112 §2.2).
  while (text.startsWith(LINE_END, first)) first += LINE_END.length
  const end = text.indexOf(END, first)
  const seen = end === -1 ? text : text.slice(0, end + END.length)
  if (FORBIDDEN.test(seen)) return { head: bad(malformed(), seen, first), length: input.length }
  if (end !== -1) return { head: parse(seen, first), length: seen.length }
  if (input.length < MAX_HEAD_BYTES) return undefined
  return { head: bad(tooLong(), seen, first), length: input.length }
}

/** Maximum length of a cached head in bytes: each open connection may hold one, and its parsed form. */
const MAX_REMEMBERED_BYTES = 1024

/**
 * Reader of one connection's heads. A client that repeats a request sends the same bytes, which are parsed
 * once.
 */
export class HeadReader {
  #last: { bytes: Buffer; found: FoundHead } | undefined

  /** Like `readHead()`. The bytes of `input` must not change afterwards. */
  read(input: Buffer): FoundHead | undefined {
    if (this.#last?.bytes.equals(input)) return this.#last.found
    const found = readHead(input)
    this.#last = found && isWorthKeeping(found, input) ? { bytes: input, found } : undefined
    return found
  }
}

/**
 * True for a whole request without a body, alone in its memory. Otherwise the cache would retain the bytes
 * beside it.
 */
const isWorthKeeping = ({ head, length }: FoundHead, { buffer }: Buffer) =>
  length === buffer.byteLength &&
  length <= MAX_REMEMBERED_BYTES &&
  'bodyLength' in head &&
  head.bodyLength === 0

/** Matches method and target at the start of a refused head. */
const START = /([!#$%&'*+\-.^_`|~\dA-Za-z]+) ((?:\/|https?:\/\/)[!-"$-~]*)/iy
/** Matches the first host field in a refused head. */
const HOST_FIELD = /\nhost:[ \t]*([!-~]+)/i

/**
 * Builds the refusal of a head.
 *
 * @param text Contains a head, or the beginning of one, from `first` on.
 */
function bad(refusal: Refusal, text: string, first: number): BadHead {
  START.lastIndex = first
  const [, method = 'GET', target = '/'] = START.exec(text) ?? []
  return { refusal, method, target, host: authorityOf(target) ?? HOST_FIELD.exec(text)?.[1] }
}

const malformed = () => refuseInvalid('The request is not valid HTTP')
const tooLong = () => new Refusal('header-too-large')

/** Methods that Node knows and no RFC defines. */
const UNSPECIFIED = new Set(['M-SEARCH', 'NOTIFY', 'PURGE', 'SOURCE', 'SUBSCRIBE', 'UNSUBSCRIBE'])
/** Known methods, the usual ones first. */
const KNOWN_METHODS = [...new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', ...METHODS])].filter(
  (method) => !UNSPECIFIED.has(method),
)
/** Matches the accepted versions. */
const VERSION = /^HTTP\/1\.[01]$/
/** Matches a path or a URL, without a fragment (RFC 9112 §3.2.1 and §3.2.2). */
const TARGET = /^(?:\/|https?:\/\/)[!-"$-~]*$/i
/** Matches the authority of a URL: a host, and an optional port (RFC 9110 §4.2.1 and §4.2.4). */
const AUTHORITY_OF_URL = /^https?:\/\/([^/?]*)/i
/** Matches a host and a port, or an attempt at them (RFC 9112 §3.2.3). */
const AUTHORITY = /^[!-~]+$/

/** Returns the authority of a target in absolute form. Nearly every target is a path. */
const authorityOf = (target: string): string | undefined =>
  target.startsWith('/') ? undefined : AUTHORITY_OF_URL.exec(target)?.[1]

function isTarget(text: string, method: string): boolean {
  if (method === 'CONNECT') return AUTHORITY.test(text)
  const authority = authorityOf(text)
  if (authority !== undefined && !isHost(authority)) return false
  return TARGET.test(text) || (text === '*' && method === 'OPTIONS')
}

/**
 * Parses a complete head.
 *
 * @param text Contains the head from `first` on, the empty line after it included.
 */
function parse(text: string, first: number): RequestHead | BadHead {
  const lineEnd = text.indexOf(LINE_END, first)
  const method = KNOWN_METHODS.find((known) => isWordAt(text, first, known))
  if (method === undefined) return bad(unknownStart(text.slice(first, lineEnd)), text, first)
  const targetStart = first + method.length + 1
  const targetEnd = text.lastIndexOf(' ', lineEnd)
  if (targetEnd < targetStart) return bad(malformed(), text, first)
  const target = text.slice(targetStart, targetEnd)
  const version = text.slice(targetEnd + 1, lineEnd)
  if (!isTarget(target, method)) return bad(malformed(), text, first)
  if (!VERSION.test(version)) return bad(badVersion(version), text, first)
  const headers = readFields(text, lineEnd + LINE_END.length)
  if (headers instanceof Refusal) return bad(headers, text, first)
  const bodyLength = bodyLengthOf(headers)
  const isHttp10 = version === 'HTTP/1.0'
  if (method === 'CONNECT') return bad(noTunnel(), text, first)
  const problem = framingProblem(headers, isHttp10)
  if (problem) return bad(problem, text, first)
  if (bodyLength === undefined) return bad(malformed(), text, first)
  const authority = authorityOf(target)
  // The authority of a URL takes precedence over the Host header (RFC 9112 §3.2.2).
  if (authority !== undefined) headers['host'] = authority
  return {
    method,
    target,
    headers,
    bodyLength,
    knowsChunks: !isHttp10,
    keepsAlive: !isHttp10 && !CLOSE.test(headers['connection'] ?? ''),
    expectsContinue: !isHttp10 && bodyLength !== 0 && headers['expect']?.toLowerCase() === '100-continue',
  }
}

/** True when `word` is at `index`, followed by a space, or is the last one of its line. */
function isWordAt(text: string, index: number, word: string): boolean {
  const next = text.charCodeAt(index + word.length)
  return (next === SPACE || next === CARRIAGE_RETURN) && text.startsWith(word, index)
}

/** Matches a request line with an unknown method. */
const UNKNOWN_METHOD = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+ [!-~]+ (HTTP\/\d\.\d)$/

function unknownStart(line: string): Refusal {
  const [, version] = UNKNOWN_METHOD.exec(line) ?? []
  if (version === undefined) return malformed()
  return VERSION.test(version) ? new Refusal('not-implemented') : badVersion(version)
}

const badVersion = (version: string) =>
  /^HTTP\/\d\.\d$/.test(version) ? new Refusal('version-not-supported') : malformed()

/** Refuses CONNECT, because the server is no proxy. */
const noTunnel = () =>
  new Refusal('method-not-allowed', 'CONNECT is not supported here. Use GET, HEAD, OPTIONS.', {
    headers: { Allow: 'GET, HEAD, OPTIONS' },
  })

/** Reads the header lines from `first` to the empty one, or returns their refusal. */
function readFields(text: string, first: number): Record<string, string> | Refusal {
  const headers: Record<string, string> = Object.create(null)
  let start = first
  for (let line = 1; line <= MAX_LINES; line += 1) {
    const end = text.indexOf(LINE_END, start)
    if (end === start) return headers
    const colon = text.indexOf(':', start)
    const name = colon === -1 || colon > end ? undefined : fieldName(text, start, colon)
    if (name === undefined) return malformed()
    const value = withoutBlanks(text, colon + 1, end)
    const before = headers[name]
    if (before === undefined) headers[name] = value
    else if (name === 'cookie') headers[name] = `${before}; ${value}`
    // Equal lengths count as one (RFC 9112 §6.3).
    else if (name !== 'content-length' || before !== value) headers[name] = `${before}, ${value}`
    start = end + LINE_END.length
  }
  return tooLong()
}

const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/
const MAX_SEEN_LENGTH = 64
/** Maximum cached names per length: comparing with more costs more than it saves. */
const MAX_SEEN = 8
/**
 * Latest new names by length, as sent and in lower case. Clients repeat few names, and comparing in place
 * costs a third of slicing.
 */
const seenNames = Array.from({ length: MAX_SEEN_LENGTH + 1 }, (): { sent: string; name: string }[] => [])

/** Returns the name from `start` to `end` in lower case, or `undefined` when it is not valid. */
function fieldName(text: string, start: number, end: number): string | undefined {
  const seen = seenNames[end - start]
  for (const { sent, name } of seen ?? []) if (text.startsWith(sent, start)) return name
  const sent = text.slice(start, end)
  if (!TOKEN.test(sent)) return undefined
  const name = sent.toLowerCase()
  if (seen?.push({ sent: copyOf(sent), name: copyOf(name) }) === MAX_SEEN + 1) seen.shift()
  return name
}

/** Copies a substring, because a slice retains the whole text in memory. */
const copyOf = (part: string) => Buffer.from(part, 'latin1').toString('latin1')

const SPACE = 0x20
const TAB = 0x09
const CARRIAGE_RETURN = 0x0d

/**
 * Returns the text from `start` to `end` without the spaces and tabs around it, which are not part of a
 * value.
 */
function withoutBlanks(text: string, start: number, end: number): string {
  let from = start
  let to = end
  for (let code = text.charCodeAt(from); from < to; code = text.charCodeAt(from)) {
    if (code !== SPACE && code !== TAB) break
    from += 1
  }
  for (let code = text.charCodeAt(to - 1); to > from; code = text.charCodeAt(to - 1)) {
    if (code !== SPACE && code !== TAB) break
    to -= 1
  }
  return text.slice(from, to)
}

/** Matches the option `close` in a `Connection` field (RFC 9110 §7.6.1). */
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i

/** Returns the length of the body (RFC 9112 §6.3), or `undefined` when it is ambiguous. */
function bodyLengthOf(headers: Readonly<Record<string, string>>): number | 'chunked' | undefined {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  if (coding !== undefined) return length === undefined ? 'chunked' : undefined
  if (length === undefined) return 0
  const bytes = /^\d+$/.test(length) ? Number(length) : Number.NaN
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

/** Returns the reason to refuse a readable head whose target or end is in doubt (RFC 9112 §3.2 and §6.1). */
function framingProblem(
  { host, 'transfer-encoding': coding }: Readonly<Record<string, string>>,
  isHttp10: boolean,
): Refusal | undefined {
  const isHostGood = host === undefined ? isHttp10 : isHost(host)
  if (!isHostGood) return refuseInvalid('The Host header must name one host')
  if (coding === undefined) return undefined
  if (isHttp10) return refuseInvalid('Transfer-Encoding needs HTTP/1.1')
  return coding.toLowerCase() === 'chunked' ? undefined : refuseInvalid('Transfer-Encoding must be chunked')
}

/** Characters of RFC 3986 §3.2.2 and of a port. The URL parser checks the rest. */
const HOST_CHARACTERS = /^[\w.~!$&'()*+,;=%:[\]-]+$/

/** Matches two dots, or one in front: the URL parser accepts both. */
const EMPTY_LABEL = /^\.|\.\./

let lastGood: string | undefined

/**
 * Returns true when `text` can be the host, with an optional port, of a request. Caches the last one, because
 * nearly all requests name the same.
 */
function isHost(text: string): boolean {
  if (text === lastGood) return true
  const isGood = HOST_CHARACTERS.test(text) && !EMPTY_LABEL.test(text) && URL.canParse(`http://${text}`)
  if (isGood) lastGood = text
  return isGood
}

import { METHODS } from 'node:http'
import { Refusal, refuseInvalid } from '../errors.ts'
import { framingProblem } from './framing.ts'

/** The first lines of a request (RFC 9112 §3 and §5). */
export interface RequestHead {
  method: string
  /** As sent: mostly a path and a query. */
  target: string
  /** Values by lower-case name, those of several lines joined. */
  headers: Readonly<Record<string, string>>
  /** How the end of the body is found: after so many bytes, or by its chunks. */
  bodyLength: number | 'chunked'
  /** Whether the client can read a body in chunks: HTTP/1.0 knew none. */
  knowsChunks: boolean
  /** Whether the client asks for more over the same connection. */
  keepsAlive: boolean
  /** Whether the client waits for a `100 Continue` before it sends the body (RFC 9110 §10.1.1). */
  expectsContinue: boolean
}

/** A head that is refused: where it ends nobody can be sure of, so nothing behind it may be read. */
export interface BadHead {
  refusal: Refusal
  /** As far as they could be read. */
  method: string
  target: string
}

/** What was found at the beginning of the input. */
export interface FoundHead {
  head: RequestHead | BadHead
  /** Bytes that belong to it. */
  length: number
}

/** Most that a head may be long, in bytes. */
const MAX_HEAD_BYTES = 16 * 1024
const MAX_LINES = 128

const LINE_END = '\r\n'
const END = '\r\n\r\n'
/**
 * What stands in no line: control characters, among them carriage returns and line feeds that do not make a
 * line end together. Others may take one of them for a line end (RFC 9112 §2.2 and §11.1).
 */
const FORBIDDEN = /[\0-\x08\x0a-\x1f\x7f]/

/** Reads the head at the beginning of `input`; `undefined` while it is not complete. */
export function readHead(input: Buffer): FoundHead | undefined {
  const text = input.toString('latin1', 0, MAX_HEAD_BYTES)
  let first = 0
  // Some clients send an empty line behind a body (RFC 9112 §2.2).
  while (text.startsWith(LINE_END, first)) first += LINE_END.length
  const end = text.indexOf(END, first)
  // Of a head that is not complete, the last character may be half a line end.
  const lines = (end === -1 ? text.slice(first).replace(/\r$/, '') : text.slice(first, end)).split(LINE_END)
  for (const line of lines) if (FORBIDDEN.test(line)) return { head: malformed(), length: input.length }
  if (end !== -1) return { head: parse(lines), length: end + END.length }
  if (input.length < MAX_HEAD_BYTES) return undefined
  return { head: tooLong(), length: input.length }
}

const bad = (refusal: Refusal, method = 'GET', target = '/'): BadHead => ({ refusal, method, target })
const malformed = () => bad(refuseInvalid('The request is not valid HTTP'))
const tooLong = () => bad(new Refusal('header_too_large', 'The request line and header lines are too long'))

const KNOWN_METHODS = new Set(METHODS)
/** A later minor version is read as the latest that is known (RFC 9110 §2.5). */
const VERSION = /^HTTP\/1\.\d$/
/** A path or a URL, without a fragment (RFC 9112 §3.2.1 and §3.2.2). */
const TARGET = /^(?:\/|https?:\/\/)[!-"$-~]*$/i
/** A host and a port, or what may be meant as such (RFC 9112 §3.2.3). */
const AUTHORITY = /^[!-~]+$/

function isTarget(text: string, method: string): boolean {
  if (method === 'CONNECT') return AUTHORITY.test(text)
  return TARGET.test(text) || (text === '*' && method === 'OPTIONS')
}

function parse(lines: readonly string[]): RequestHead | BadHead {
  const words = lines[0]?.split(' ') ?? []
  const [method = '', target = '', version = ''] = words
  if (!KNOWN_METHODS.has(method)) return bad(unknownMethod())
  if (words.length !== 3 || !isTarget(target, method) || !VERSION.test(version)) return malformed()
  if (lines.length > MAX_LINES) return tooLong()
  const headers = readFields(lines)
  if (!headers) return malformed()
  const bodyLength = bodyLengthOf(headers)
  const isHttp10 = version === 'HTTP/1.0'
  if (method === 'CONNECT') return bad(noTunnel(), method, target)
  const problem = framingProblem(headers, isHttp10)
  if (problem) return bad(problem, method, target)
  if (bodyLength === undefined) return malformed()
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

const unknownMethod = () =>
  new Refusal('method_not_allowed', 'The method is not known', {
    headers: { Allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT' },
  })

/** We are nobody's proxy. */
const noTunnel = () =>
  new Refusal('method_not_allowed', 'CONNECT is not allowed here', {
    headers: { Allow: 'GET, HEAD, OPTIONS' },
  })

/** The header lines, or `undefined` when one of them is none. */
function readFields(lines: readonly string[]): Record<string, string> | undefined {
  const headers: Record<string, string> = Object.create(null)
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    const colon = line.indexOf(':')
    const name = fieldName(line.slice(0, colon))
    if (colon === -1 || name === undefined) return undefined
    const value = withoutBlanks(line, colon + 1)
    const before = headers[name]
    if (before === undefined) headers[name] = value
    else if (name === 'cookie') headers[name] = `${before}; ${value}`
    // Lengths that agree are one (RFC 9112 §6.3).
    else if (name !== 'content-length' || before !== value) headers[name] = `${before}, ${value}`
  }
  return headers
}

const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/
/** Lower-case names by how they were sent: clients send few different ones, again and again. */
const seenNames = new Map<string, string>()
const MAX_SEEN_NAMES = 1000
const MAX_SEEN_LENGTH = 64

function fieldName(sent: string): string | undefined {
  const known = seenNames.get(sent)
  if (known !== undefined) return known
  if (!TOKEN.test(sent)) return undefined
  const name = sent.toLowerCase()
  if (seenNames.size < MAX_SEEN_NAMES && sent.length <= MAX_SEEN_LENGTH) seenNames.set(sent, name)
  return name
}

const SPACE = 0x20
const TAB = 0x09
const isBlank = (text: string, index: number) =>
  text.charCodeAt(index) === SPACE || text.charCodeAt(index) === TAB

/** `line` from `first` on without the spaces and tabs around it: those alone are no part of a value. */
function withoutBlanks(line: string, first: number): string {
  let from = first
  let to = line.length
  while (from < to && isBlank(line, from)) from += 1
  while (to > from && isBlank(line, to - 1)) to -= 1
  return line.slice(from, to)
}

/** The option `close` in the list of `Connection` (RFC 9110 §7.6.1). */
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i

/** How long the body is (RFC 9112 §6.3), or `undefined` when that cannot be said for sure. */
function bodyLengthOf(headers: Readonly<Record<string, string>>): number | 'chunked' | undefined {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  if (coding !== undefined) return length === undefined ? 'chunked' : undefined
  if (length === undefined) return 0
  const bytes = /^\d+$/.test(length) ? Number(length) : Number.NaN
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

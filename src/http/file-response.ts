import { Refusal } from '../platform/errors.ts'
import { evaluatePreconditions, type RequestHeaders, rangeApplies, type Validators } from './conditional.ts'
import { exchangeOf } from './exchange.ts'
import { formatHttpDate } from './wire.ts'

/** Open file: `body` or `close` ends it, exactly one of them. */
interface SendableFile extends FileState {
  /** Returns the bytes `first` to `last`, both inclusive. */
  body(first: number, last: number): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>
  close(): void
}

interface FileState {
  /** Length in bytes. */
  readonly size: number
  /** Modification time in milliseconds since 1970. Volumes hold odd ones: before 1970, ahead of the clock. */
  readonly mtimeMs: number
}

interface FileResponseOptions {
  mediaType: string
  /** Missing for a response without `Content-Disposition`. */
  disposition?: 'inline' | 'attachment'
  /** Name to save the file by. */
  name?: string
  /** Missing when it is among `others`, or not sent. */
  cacheControl?: string
  /** Further headers of every response, by lower-case name. */
  others?: Record<string, string>
  /** False when the response has no validators; then every condition is ignored. */
  revalidatable: boolean
  /** Milliseconds since 1970. */
  now: number
  /** Set for bytes that are made of a file: the file, and what their entity tag has behind that of the file. */
  madeOf?: FileState & { tag: string }
  /** Time that clients are shown for a state of the file. */
  shown?: Validators | undefined
}

/** Properties that every response for one state of a file shares. */
export interface FileHead {
  validators: Validators | null
  /** Header values by lower-case name, without those that describe a body: a 304 has them, too. */
  headers: Record<string, string>
}

/** Part of a file that a GET asks for, or the reason why it gets none. */
export type FilePart = ByteRange | 'whole' | 'not-modified' | 'failed' | 'unsatisfiable'

export function fileHead(
  file: FileState,
  {
    name = '',
    disposition,
    cacheControl,
    others,
    revalidatable,
    now,
    madeOf,
    shown,
  }: Omit<FileResponseOptions, 'mediaType'>,
): FileHead {
  const headers: Record<string, string> = {
    ...(cacheControl !== undefined && { 'cache-control': cacheControl }),
    ...others,
  }
  if (disposition) headers['content-disposition'] = contentDisposition(disposition, name)
  if (!revalidatable) return { validators: null, headers }
  const { size, mtimeMs } = madeOf ?? file
  const validators = fileValidators({ size, mtimeMs, now, shown })
  if (madeOf) validators.etag = validators.etag.replace(/"$/, `-${madeOf.tag}"`)
  headers['etag'] = validators.etag
  headers['last-modified'] = formatHttpDate(validators.lastModified)
  return { validators, headers }
}

/** Evaluates the preconditions of a request, then its range (RFC 9110 §13.2.2). */
export function selectPart(
  headers: RequestHeaders,
  { size, validators, now }: { size: number; validators: Validators | null; now: number },
): FilePart {
  const outcome = evaluatePreconditions(headers, validators, now)
  if (outcome !== 'proceed') return outcome
  const range = headers.get('range')
  return range === null || !rangeApplies(headers, validators) ? 'whole' : selectRange(range, size)
}

/** Returns the header fields that describe the body of a response, by lower-case name. */
export function bodyHeaders(part: ByteRange | 'whole', size: number, mediaType: string) {
  const length = part === 'whole' ? size : part.last - part.first + 1
  const headers: Record<string, string> = { 'content-type': mediaType, 'content-length': String(length) }
  if (part !== 'whole') headers['content-range'] = `bytes ${part.first}-${part.last}/${size}`
  return headers
}

/** Reads as a request without a range: `Range` is defined for GET alone (RFC 9110 §14.2). */
const withoutRange = (headers: RequestHeaders): RequestHeaders => ({
  get: (name) => (name === 'range' ? null : headers.get(name)),
})

/**
 * Responds to a GET or HEAD for a file: preconditions, then the range, then the bytes. Closes the file on every
 * way out.
 *
 * @throws {Refusal} `precondition-failed` (412) or `range-not-satisfiable` (416).
 */
export function fileResponse(request: Request, file: SendableFile, options: FileResponseOptions): Response {
  let taken = false
  try {
    const { isHead } = exchangeOf(request)
    const { size } = file
    const { validators, headers } = fileHead(file, options)
    const part = selectPart(isHead ? withoutRange(request.headers) : request.headers, {
      size,
      validators,
      now: options.now,
    })
    if (part === 'failed') throw new Refusal('precondition-failed')
    if (part === 'unsatisfiable') throw unsatisfiable(size)
    if (part === 'not-modified') return new Response(null, { status: 304, headers })

    Object.assign(headers, bodyHeaders(part, size, options.mediaType))
    const { first, last } = part === 'whole' ? { first: 0, last: size - 1 } : part
    taken = !isHead && last >= first
    return new Response(taken ? file.body(first, last) : null, {
      status: part === 'whole' ? 200 : 206,
      headers,
    })
  } finally {
    if (!taken) file.close()
  }
}

const unsatisfiable = (size: number) =>
  new Refusal('range-not-satisfiable', undefined, {
    headers: { 'Content-Range': `bytes */${size}` },
  })

/** Parts of a millisecond that a time since 1970 can distinguish. */
const TIME_PARTS = 4096

/**
 * Returns the validators of a stored file.
 *
 * The tag has size and modification time, so that two writes in one second differ. A fraction of a millisecond is part of
 * it: servers that store other bytes in the same millisecond give them other fractions. The date is
 * clamped to 1970 and `now`: an origin server must not send a Last-Modified later than its own clock (RFC 9110
 * §8.8.2.1).
 *
 * @param shown Time that clients are shown for a state of the file, by the tag of that state.
 */
export function fileValidators({
  size,
  mtimeMs,
  now,
  shown,
}: FileState & { now: number; shown?: Validators | undefined }): Validators {
  const time = Number.isFinite(mtimeMs) ? mtimeMs : 0
  const modified = Math.floor(time)
  const exact = Math.floor(time * TIME_PARTS)
  const isWhole = time < 0 || exact === modified * TIME_PARTS
  const etag = `"${size.toString(16)}-${(isWhole ? modified : exact).toString(16)}"`
  if (shown?.etag === etag) return { ...shown }
  return { etag, lastModified: wholeSeconds(Math.max(0, Math.min(modified, now))) }
}

const wholeSeconds = (epochMs: number) => epochMs - (epochMs % 1000)

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

import { Refusal } from '../platform/errors.ts'
import { evaluatePreconditions, type RequestHeaders, rangeApplies } from './conditional.ts'
import { formatHttpDate } from './date.ts'
import { contentDisposition } from './disposition.ts'
import { exchangeOf } from './exchange.ts'
import { type ByteRange, selectRange } from './range.ts'
import { fileValidators, type Validators } from './validators.ts'

/** Open file: `body` or `close` ends it, exactly one of them. */
interface SendableFile extends FileState {
  /** Returns the bytes `first` to `last`, both inclusive. */
  body(first: number, last: number): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>
  close(): void
}

interface FileState {
  /** Length in bytes. */
  readonly size: number
  /** Modification time in milliseconds since 1970. */
  readonly mtimeMs: number
}

interface FileResponseOptions {
  name: string
  mediaType: string
  disposition: 'inline' | 'attachment'
  cacheControl: string
  /** False when the response has no validators; then every condition is ignored. */
  revalidatable: boolean
  /** Milliseconds since 1970. */
  now: number
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
  { size, mtimeMs }: FileState,
  { name, disposition, cacheControl, revalidatable, now }: Omit<FileResponseOptions, 'mediaType'>,
): FileHead {
  const headers: Record<string, string> = {
    'cache-control': cacheControl,
    'content-disposition': contentDisposition(disposition, name),
  }
  if (!revalidatable) return { validators: null, headers }
  const validators = fileValidators({ size, mtimeMs, now })
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
 * @throws {Refusal} `precondition_failed` (412) or `range_not_satisfiable` (416).
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
    if (part === 'failed')
      throw new Refusal('precondition_failed', 'The file does not match the precondition')
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
  new Refusal('range_not_satisfiable', 'The range starts after the end of the file', {
    headers: { 'Content-Range': `bytes */${size}` },
  })

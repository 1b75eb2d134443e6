import { Refusal } from '../platform/errors.ts'
import { evaluatePreconditions, rangeApplies } from './conditional.ts'
import { formatHttpDate } from './date.ts'
import { contentDisposition } from './disposition.ts'
import { exchangeOf } from './exchange.ts'
import { type ByteRange, selectRange } from './range.ts'
import { fileValidators, type Validators } from './validators.ts'

/** An open file: `body` or `close` ends it, exactly one of them. */
interface SendableFile {
  /** Length in bytes. */
  readonly size: number
  /** Modification time in milliseconds since 1970. */
  readonly mtimeMs: number
  /** Bytes `first` to `last`, both inclusive. */
  body(first: number, last: number): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>
  close(): void
}

interface FileResponseOptions {
  name: string
  mediaType: string
  disposition: 'inline' | 'attachment'
  cacheControl: string
  /** Whether the answer carries validators; without them every condition is ignored. */
  revalidatable: boolean
  /** Milliseconds since 1970. */
  now: number
}

/**
 * Answers a GET or HEAD for a file: preconditions, then the range, then the bytes (RFC 9110 §13.2.2). The
 * file is closed on every way out.
 *
 * @throws {Refusal} `precondition_failed` (412) or `range_not_satisfiable` (416).
 */
export function fileResponse(request: Request, file: SendableFile, options: FileResponseOptions): Response {
  let taken = false
  try {
    const validators = options.revalidatable ? fileValidators({ ...measure(file), now: options.now }) : null
    const headers = commonHeaders(options, validators)
    const outcome = evaluatePreconditions(request.headers, validators, options.now)
    if (outcome === 'failed')
      throw new Refusal('precondition_failed', 'The file does not match the precondition')
    if (outcome === 'not-modified') return new Response(null, { status: 304, headers })

    headers['Content-Type'] = options.mediaType
    const range = chooseRange(request, { size: file.size, validators, now: options.now })
    const { first, last } = range ?? { first: 0, last: file.size - 1 }
    headers['Content-Length'] = String(last - first + 1)
    if (range) headers['Content-Range'] = `bytes ${first}-${last}/${file.size}`
    taken = !exchangeOf(request).isHead && last >= first
    return new Response(taken ? file.body(first, last) : null, { status: range ? 206 : 200, headers })
  } finally {
    if (!taken) file.close()
  }
}

const measure = ({ size, mtimeMs }: SendableFile) => ({ size, mtimeMs })

function commonHeaders(options: FileResponseOptions, validators: Validators | null): Record<string, string> {
  const headers: Record<string, string> = {
    'Cache-Control': options.cacheControl,
    'Content-Disposition': contentDisposition(options.disposition, options.name),
  }
  if (validators) {
    headers['ETag'] = validators.etag
    headers['Last-Modified'] = formatHttpDate(validators.lastModified)
  }
  return headers
}

interface Subject {
  size: number
  validators: Validators | null
  now: number
}

/** The range to send, or `undefined` for the whole file. `Range` is defined for GET alone (RFC 9110 §14.2). */
function chooseRange(request: Request, { size, validators }: Subject): ByteRange | undefined {
  const header = exchangeOf(request).isHead ? null : request.headers.get('range')
  if (header === null || !rangeApplies(request.headers, validators)) return undefined
  const range = selectRange(header, size)
  if (range === 'unsatisfiable') {
    throw new Refusal('range_not_satisfiable', 'The range starts after the end of the file', {
      headers: { 'Content-Range': `bytes */${size}` },
    })
  }
  return range === 'whole' ? undefined : range
}

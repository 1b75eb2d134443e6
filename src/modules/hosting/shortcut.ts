import type { PlainRequest, ReadyAnswer } from '../../http/exchange.ts'
import { type ByteRange, selectRange } from '../../http/range.ts'
import { fieldText, headText, PreparedAnswer } from '../../http/wire.ts'
import { rateLimitBucket } from '../../platform/client-address.ts'
import { CHUNK_BYTES, giveBuffer, takeBuffer } from '../../store/bytes.ts'
import type { HostingContext } from './context.ts'
import type { KeptFile } from './hot-files.ts'
import { HOSTING_PREFIX } from './prefix.ts'

/** Whether no header changes the answer in rarer ways, or says who is asking. Each is looked at by its name: a loop would cost more. */
const hasPlainHeaders = (headers: PlainRequest['headers']) =>
  (headers['if-match'] ??
    headers['if-modified-since'] ??
    headers['if-unmodified-since'] ??
    headers['if-range'] ??
    headers['cookie'] ??
    headers['api-key']) === undefined

/**
 * Answers a plain request for a file that a stranger was sent before, without making it into a `Request`:
 * walking the route tree is most of what an answer costs, and for a small file opening it. The limit and the
 * counts are those of every hosted request; whatever is not plain goes the long way.
 */
export function createShortcut(deps: HostingContext): (request: PlainRequest) => ReadyAnswer | undefined {
  const { hotFiles, hostingLimiter, traffic } = deps
  return ({ method, target, headers, peer }) => {
    if (method !== 'GET' || !target.startsWith(HOSTING_PREFIX)) return undefined
    const hot = hotFiles.get(target.slice(HOSTING_PREFIX.length))
    if (!hot || !hasPlainHeaders(headers)) return undefined
    const answer = answerOf(deps, hot, headers)
    if (!answer) return undefined
    const address = deps.addressOf(peer, headers['x-forwarded-for'] ?? null)
    // Counted last, so that a request that goes the long way is counted once.
    if (hostingLimiter.take(rateLimitBucket(address)) > 0) {
      void answer.rest?.stream.cancel()
      answer.onSent?.()
      return undefined
    }
    answer.onAllowed?.()
    return { ...answer, onDelivered: (bytes) => traffic.served(hot.fileId, bytes) }
  }
}

interface Undelivered extends Omit<ReadyAnswer, 'onDelivered'> {
  /** Called when the limit lets the answer through, before it is sent. */
  onAllowed?: () => void
}

/** The condition before the range, as everywhere (RFC 9110 §13.2.2). */
function answerOf(
  deps: HostingContext,
  hot: KeptFile,
  headers: PlainRequest['headers'],
): Undelivered | undefined {
  const { 'if-none-match': condition } = headers
  const date = deps.httpDate()
  if (condition !== undefined) return condition === hot.etag ? ready(hot.notModified, date) : undefined
  const range = selectRange(headers['range'] ?? null, hot.size)
  if (range === 'unsatisfiable') return undefined
  return range === 'whole' ? wholeOf(deps, hot, date) : rangeOf(deps, hot, { range, date })
}

const ready = (answer: PreparedAnswer, date: string): Undelivered => ({
  bytes: answer.at(date),
  bodyBytes: answer.body.length,
})

function wholeOf(deps: HostingContext, hot: KeptFile, date: string): Undelivered | undefined {
  if (hot.whole) return ready(hot.whole, date)
  // The long way keeps the bytes that it sends.
  if (hot.isWholeWanted) return undefined
  const range = { first: 0, last: hot.size - 1 }
  const head = headBytes(200, hot.commonFields + fieldText(['content-length', String(hot.size)]), date)
  return fromOpened(hot, head, range) ?? fromFile(deps, hot, head, range)
}

function rangeOf(
  deps: HostingContext,
  hot: KeptFile,
  { range, date }: { range: ByteRange; date: string },
): Undelivered | undefined {
  const kept = hot.ranges.get(range)
  if (kept) return ready(kept, date)
  const { first, last } = range
  const fields =
    hot.commonFields +
    fieldText([
      'content-length',
      String(last - first + 1),
      'content-range',
      `bytes ${first}-${last}/${hot.size}`,
    ])
  const head = headBytes(206, fields, date)
  if (hot.whole) return together(head, hot.whole.body.subarray(first, last + 1))
  const answer = fromOpened(hot, head, range)
  if (!answer) return fromFile(deps, hot, head, range)
  const make = () => new PreparedAnswer(206, fields, date, answer.bytes.subarray(head.length))
  return { ...answer, onAllowed: () => deps.hotFiles.offerRange(hot, range, make) }
}

const headBytes = (status: number, fields: string, date: string) =>
  Buffer.from(headText(status, fields, date), 'latin1')

const together = (head: Buffer, body: Uint8Array): Undelivered => ({
  bytes: Buffer.concat([head, body]),
  bodyBytes: body.length,
})

/** Few bytes of a file that is open, read into the place where they are sent from. */
function fromOpened({ opened }: KeptFile, head: Buffer, { first, last }: ByteRange): Undelivered | undefined {
  const length = last - first + 1
  if (!opened || head.length + length > CHUNK_BYTES) return undefined
  const buffer = takeBuffer()
  buffer.set(head)
  opened.read(buffer.subarray(head.length, head.length + length), first)
  return {
    bytes: buffer.subarray(0, head.length + length),
    bodyBytes: length,
    onSent: () => giveBuffer(buffer),
  }
}

/** Bytes of the file, as long as it is the one that was kept. */
function fromFile(
  { store }: HostingContext,
  { key, size, mtimeMs }: KeptFile,
  head: Buffer,
  { first, last }: ByteRange,
): Undelivered | undefined {
  const found = store.openFile(key)
  if (found?.size !== size || found.mtimeMs !== mtimeMs) {
    found?.close()
    return undefined
  }
  const body = found.body(first, last)
  if (body instanceof Uint8Array) return together(head, body)
  return { bytes: head, bodyBytes: 0, rest: { stream: body, length: last - first + 1 } }
}

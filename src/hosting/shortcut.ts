import type { Deps } from '../deps.ts'
import { rateLimitBucket } from '../http/client-address.ts'
import type { PlainRequest, ReadyAnswer } from '../http/exchange.ts'
import { type ByteRange, selectRange } from '../http/range.ts'
import { fieldText, headText } from '../http/wire.ts'
import { CHUNK_BYTES, giveBuffer, takeBuffer } from '../volume/buffers.ts'
import type { KeptFile } from './hot-files.ts'
import { HOSTING_PREFIX } from './prefix.ts'

/** Whether nothing changes the answer in rarer ways, and nobody says who is asking. */
const isPlain = (headers: PlainRequest['headers']) =>
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
export function createShortcut(deps: Deps): (request: PlainRequest) => ReadyAnswer | undefined {
  const { hotFiles, hostingLimiter, traffic } = deps
  return ({ method, target, headers, peer }) => {
    if (method !== 'GET' || !target.startsWith(HOSTING_PREFIX)) return undefined
    const hot = hotFiles.get(target.slice(HOSTING_PREFIX.length))
    if (!hot || !isPlain(headers)) return undefined
    const answer = answerOf(deps, hot, headers)
    if (!answer) return undefined
    const address = deps.addressOf(peer, headers['x-forwarded-for'] ?? null)
    // Counted last, so that a request that goes the long way is counted once.
    if (hostingLimiter.take(rateLimitBucket(address)) > 0) {
      void answer.rest?.stream.cancel()
      answer.onSent?.()
      return undefined
    }
    return { ...answer, onDelivered: (bytes) => traffic.served(hot.fileId, bytes) }
  }
}

type Undelivered = Omit<ReadyAnswer, 'onDelivered'>

/** The condition before the range, as everywhere (RFC 9110 §13.2.2). */
function answerOf(deps: Deps, hot: KeptFile, headers: PlainRequest['headers']): Undelivered | undefined {
  const condition = headers['if-none-match']
  if (condition !== undefined && condition === hot.etag)
    return { bytes: hot.notModified.at(deps.httpDate()), bodyBytes: 0 }
  if (condition !== undefined) return undefined
  const range = selectRange(headers['range'] ?? null, hot.size)
  if (range === 'unsatisfiable') return undefined
  if (range === 'whole' && hot.whole) return { bytes: hot.whole.at(deps.httpDate()), bodyBytes: hot.size }
  // The long way keeps the bytes that it sends.
  if (range === 'whole' && hot.isWholeWanted) return undefined
  const bytes = range === 'whole' ? { first: 0, last: hot.size - 1 } : range
  const head = headOf(hot, range === 'whole' ? 200 : 206, bytes, deps.httpDate())
  if (hot.whole) return together(head, hot.whole.body.subarray(bytes.first, bytes.last + 1))
  return fromOpened(hot, head, bytes) ?? fromFile(deps, hot, head, bytes)
}

function headOf(
  { commonFields, size }: KeptFile,
  status: 200 | 206,
  { first, last }: ByteRange,
  date: string,
): Buffer {
  const fields = ['content-length', String(last - first + 1)]
  if (status === 206) fields.push('content-range', `bytes ${first}-${last}/${size}`)
  return Buffer.from(headText(status, commonFields + fieldText(fields), date), 'latin1')
}

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
  { volume }: Deps,
  { key, size, mtimeMs }: KeptFile,
  head: Buffer,
  { first, last }: ByteRange,
): Undelivered | undefined {
  const found = volume.openFile(key)
  if (found?.size !== size || found.mtimeMs !== mtimeMs) {
    found?.close()
    return undefined
  }
  const body = found.body(first, last)
  if (body instanceof Uint8Array) return together(head, body)
  return { bytes: head, bodyBytes: 0, rest: { stream: body, length: last - first + 1 } }
}

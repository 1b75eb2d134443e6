import type { Deps } from '../deps.ts'
import { rateLimitBucket } from '../http/client-address.ts'
import type { PlainRequest, ReadyAnswer } from '../http/exchange.ts'
import { type ByteRange, selectRange } from '../http/range.ts'
import { CHUNK_BYTES, giveBuffer, takeBuffer } from '../volume/buffers.ts'
import type { KeptFile } from './hot-files.ts'
import { HOSTING_PREFIX } from './prefix.ts'

/** Request headers that change the answer in rarer ways, or who is asking: they take the long way. */
const DECIDING = ['if-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'cookie', 'api-key']

/**
 * Answers a plain request for a public file that was asked for before, without making it into a `Request`:
 * walking the route tree is most of what an answer costs, and for a small file opening it. The limit and the
 * counts are those of every hosted request; whatever is not plain goes the long way.
 */
export function createShortcut(deps: Deps): (request: PlainRequest) => ReadyAnswer | undefined {
  const { hotFiles, hostingLimiter, traffic } = deps
  return ({ method, target, headers, peer }) => {
    if (method !== 'GET' || !target.startsWith(HOSTING_PREFIX)) return undefined
    const hot = hotFiles.get(target.slice(HOSTING_PREFIX.length))
    if (!hot || DECIDING.some((name) => headers[name] !== undefined)) return undefined
    const answer = answerOf(deps, hot, headers)
    if (!answer) return undefined
    const address = deps.addressOf(peer, asText(headers['x-forwarded-for']))
    // Counted last, so that a request that goes the long way is counted once.
    if (hostingLimiter.take(rateLimitBucket(address)) > 0) {
      if (answer.body instanceof ReadableStream) void answer.body.cancel()
      return undefined
    }
    return { ...answer, onDelivered: (bytes) => traffic.served(hot.fileId, bytes) }
  }
}

/** The condition before the range, as everywhere (RFC 9110 §13.2.2). */
function answerOf(
  deps: Deps,
  hot: KeptFile,
  headers: PlainRequest['headers'],
): Omit<ReadyAnswer, 'onDelivered'> | undefined {
  const condition = headers['if-none-match']
  if (condition === hot.etag) return { status: 304, headers: hot.notModifiedHeaders, body: undefined }
  if (condition !== undefined) return undefined
  const range = selectRange(asText(headers['range']), hot.size)
  if (range === 'unsatisfiable') return undefined
  const { first, last } = range === 'whole' ? { first: 0, last: hot.size - 1 } : range
  const body = bodyOf(deps, hot, { first, last })
  if (!body) return undefined
  if (range === 'whole') return { status: 200, headers: hot.headers, ...body }
  return { status: 206, headers: partHeaders(hot, range), ...body }
}

function partHeaders({ headers, size }: KeptFile, { first, last }: ByteRange): string[] {
  const ofThePart = [...headers, 'content-range', `bytes ${first}-${last}/${size}`]
  ofThePart[headers.indexOf('content-length') + 1] = String(last - first + 1)
  return ofThePart
}

/** Bytes of a hot file, from memory or from the file as long as it is the one that was kept. */
function bodyOf(
  { volume }: Deps,
  { key, size, mtimeMs, bytes, opened }: KeptFile,
  { first, last }: ByteRange,
): Pick<ReadyAnswer, 'body' | 'onWritten'> | undefined {
  if (bytes) return { body: bytes.subarray(first, last + 1) }
  const length = last - first + 1
  if (opened && length <= CHUNK_BYTES) {
    const buffer = takeBuffer()
    return { body: opened.read(buffer.subarray(0, length), first), onWritten: () => giveBuffer(buffer) }
  }
  const found = volume.openFile(key)
  if (found?.size === size && found.mtimeMs === mtimeMs) return { body: found.body(first, last) }
  found?.close()
  return undefined
}

const asText = (value: string | string[] | undefined) => (value === undefined ? null : String(value))

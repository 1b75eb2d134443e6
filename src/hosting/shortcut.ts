import type { Deps } from '../deps.ts'
import { rateLimitBucket } from '../http/client-address.ts'
import type { PlainRequest, ReadyAnswer } from '../http/exchange.ts'
import type { HotFile } from './hot-files.ts'
import { HOSTING_PREFIX } from './prefix.ts'

/** Request headers that change the answer, or who is asking: they take the long way. */
const DECIDING = [
  'range',
  'if-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'cookie',
  'api-key',
]

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
    const condition = headers['if-none-match']
    if (condition !== undefined && condition !== hot.etag) return undefined
    const address = deps.addressOf(peer, asText(headers['x-forwarded-for']))
    const isMatch = condition !== undefined
    const body = isMatch ? undefined : bodyOf(deps, hot)
    if (!isMatch && body === undefined) return undefined
    // Counted last, so that a request that goes the long way is counted once.
    if (hostingLimiter.take(rateLimitBucket(address)) > 0) {
      if (body instanceof ReadableStream) void body.cancel()
      return undefined
    }
    const onDelivered = (bytes: number) => traffic.served(hot.fileId, bytes)
    if (isMatch) return { status: 304, headers: hot.notModifiedHeaders, body, onDelivered }
    return { status: 200, headers: hot.headers, body, onDelivered }
  }
}

/** The bytes of a hot file, from memory or from the file as long as it is the one that was kept. */
function bodyOf({ volume }: Deps, { key, size, mtimeMs, bytes }: HotFile): ReadyAnswer['body'] {
  if (bytes) return bytes
  const opened = volume.openFile(key)
  if (opened?.size === size && opened.mtimeMs === mtimeMs) return opened.body(0, size - 1)
  opened?.close()
  return undefined
}

const asText = (value: string | string[] | undefined) => (value === undefined ? null : String(value))

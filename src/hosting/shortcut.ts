import type { Deps } from '../deps.ts'
import { rateLimitBucket } from '../http/client-address.ts'
import type { PlainRequest, ReadyAnswer } from '../http/exchange.ts'
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

/** What a 304 does not carry (RFC 9110 §15.4.5). */
const OF_THE_BODY = new Set(['content-length', 'content-type'])

/**
 * Answers a plain request for a small public file from memory, before it is even made into a `Request`:
 * opening the file and walking the route tree is most of what a small answer costs. The limit and the
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
    // Counted last, so that a request that goes the long way is counted once.
    if (hostingLimiter.take(rateLimitBucket(address)) > 0) return undefined

    const isMatch = condition !== undefined
    const bytes = isMatch ? undefined : hot.bytes
    traffic.served(hot.fileId, bytes?.length ?? 0)
    return isMatch
      ? { status: 304, headers: withoutBody(hot.headers), bytes }
      : { status: 200, headers: hot.headers, bytes }
  }
}

function withoutBody(headers: readonly string[]): string[] {
  return headers.filter((_, index) => !OF_THE_BODY.has(headers[index - (index % 2)] ?? ''))
}

const asText = (value: string | string[] | undefined) => (value === undefined ? null : String(value))

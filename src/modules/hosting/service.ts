import { type Caller, identify } from '../../access/caller.ts'
import { findSession } from '../../access/sessions.ts'
import { exchangeOf, type SentAnswer } from '../../http/exchange.ts'
import { fileResponse } from '../../http/file-response.ts'
import { fileNotFound, findAccessByKey } from '../files/service.ts'
import { grantFor } from './access.ts'
import { publicCaching } from './caching.ts'
import type { HostingContext } from './context.ts'
import type { HotFile } from './hot-files.ts'

interface HostingRequest {
  request: Request
  /** The key as it stands in the URL, percent-encoded. */
  encodedKey: string
  url: URL
  /** The token of a session cookie whose signature is good. */
  sessionToken: string | undefined
}

/**
 * Serves a file by its key (spec: Serve a file). A private file without access, a missing key and a key
 * that cannot be one are the same 404.
 *
 * @throws {Refusal} `not_found`, `precondition_failed`, `range_not_satisfiable`.
 */
export function serveHosted(deps: HostingContext, hosting: HostingRequest): Response {
  const { request, encodedKey, url, sessionToken } = hosting
  const query = url.searchParams
  const version = deps.store.version()
  const exchange = exchangeOf(request)
  const caller = identify(deps, request, sessionToken)
  const counts = !exchange.isHead && !isSignedIn(deps, caller, hosting)
  const key = decodeKey(encodedKey)
  const found = findAccessByKey(deps, key)
  const proof = { caller, expires: query.get('exp'), signature: query.get('sig') }
  const grant = grantFor(deps, { file: found, key, proof })
  const file = grant && found ? deps.store.files.byId(found.id) : undefined
  const opened = file && deps.store.openFile(key)
  if (!grant || !file || !opened) {
    if (counts) deps.traffic.missed()
    throw fileNotFound()
  }

  const isPublic = file.visibility === 'public'
  const cacheControl = isPublic
    ? publicCaching(deps.store.settings.current().hostingCacheSeconds)
    : 'private, no-store'
  const response = fileResponse(request, opened, {
    name: file.name,
    mediaType: file.mimeType,
    disposition: query.get('download') === '1' ? 'attachment' : 'inline',
    cacheControl,
    revalidatable: isPublic,
    now: deps.clock.now(),
  })
  if (counts) exchange.onDelivered = (bytes) => deps.traffic.served(file.id, bytes)
  if (counts && grant !== 'member' && isPlain(query, isPublic)) {
    const { size, mtimeMs } = opened
    const { id: fileId, mimeType: mediaType } = file
    const etag = response.headers.get('etag') ?? undefined
    const expiresAt = isPublic ? Number.POSITIVE_INFINITY : Number(proof.expires) * 1000
    const hot = { fileId, openedBy: grant, key, size, mtimeMs, etag, cacheControl, expiresAt, mediaType }
    const address = encodedKey + url.search
    exchange.onSent = (sent) => keepHot(deps, { address, hot, sent, version })
  }
  return response
}

/** True when the response depends on nothing but the object key and, for a private file, the link. */
const isPlain = (query: URLSearchParams, isPublic: boolean) =>
  isPublic ? query.size === 0 : query.size === 2 && query.has('exp') && query.has('sig')

interface Keeping {
  address: string
  hot: Omit<HotFile, 'headers' | 'bytes'>
  sent: SentAnswer
  version: number
}

/** Statuses of answers that show what the next answers for a file are made of; all but its bytes, if need be. */
const TELLING = new Set([200, 206, 304])

/** Keeps what the next answers for a file are made of, unless all of that is kept already. */
function keepHot({ hotFiles }: HostingContext, { address, hot, sent, version }: Keeping): void {
  if (!TELLING.has(sent.status)) return
  const bytes = sent.status === 200 ? sent.bytes : undefined
  const kept = hotFiles.get(address)
  if (kept && !(kept.isWholeWanted && bytes)) return
  hotFiles.keep(address, { ...hot, headers: sent.headers, bytes }, version)
}

/** A session's requests are its owner looking around, not traffic; an API key's are. */
function isSignedIn(
  deps: HostingContext,
  caller: Caller | undefined,
  { request, sessionToken }: HostingRequest,
): boolean {
  if (sessionToken === undefined || !request.headers.has('api-key')) return caller?.via === 'session'
  return findSession(deps, sessionToken) !== undefined
}

/** Decodes exactly once; what cannot be decoded is the empty key, which nothing has. */
function decodeKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return ''
  }
}

import { commonHeaders } from '../../api/route-facts.ts'
import type { Validators } from '../../http/conditional.ts'
import { type PlainRequest, requestIdOf } from '../../http/exchange.ts'
import { type FilePart, fileHead, selectPart, selectRange } from '../../http/file-response.ts'
import { type CachedResponse, fieldText, type WireResponse } from '../../http/wire.ts'
import { Refusal } from '../../platform/errors.ts'
import { rateLimitBucket } from '../../platform/rate-limit.ts'
import { contentType, type OpenedFile } from '../../store/bytes.ts'
import { authorize, type CacheableGrant, type Granted, type HostedTarget, resolve } from './access.ts'
import type { Changes } from './changes.ts'
import { HOSTING_PREFIX, type HostingContext } from './context.ts'
import { HostedFile, presentation } from './hosted-file.ts'
import type { CachedFile } from './response-cache.ts'

/** Returns true when the request has credentials: those are checked on the slow path alone. */
const hasCredentials = (headers: PlainRequest['headers']) =>
  (headers['cookie'] ?? headers['api-key']) !== undefined

/** Returns true without credentials and conditions other than If-None-Match. Unrolled for speed. */
const isPlain = (headers: PlainRequest['headers']) =>
  (headers['if-match'] ??
    headers['if-modified-since'] ??
    headers['if-unmodified-since'] ??
    headers['if-range'] ??
    headers['cookie'] ??
    headers['api-key']) === undefined

/** Returns the part of a hosting GET's target behind the prefix. */
const addressOf = ({ method, target }: PlainRequest): string | undefined =>
  method === 'GET' && target.startsWith(HOSTING_PREFIX) ? target.slice(HOSTING_PREFIX.length) : undefined

/**
 * Responds to visitors' GET requests without a `Request`: walking the route tree is most of what a small response
 * costs. The rate limit and the counts are those of every hosted request. Any other request, and every failure, takes
 * the slow path. A database in this process is read without a wait.
 */
export class FastPath {
  readonly prefix = HOSTING_PREFIX
  readonly #deps: HostingContext
  /** Header fields of each hosted response. */
  readonly #common: string

  constructor(deps: HostingContext) {
    this.#deps = deps
    const isSecure = deps.config.baseUrl.startsWith('https://')
    const common = Object.entries(commonHeaders('hosting', isSecure))
    this.#common = fieldText(common.flatMap(([name, value]) => [name.toLowerCase(), value]))
  }

  /** Responds from the cache, unless changes by other servers must be read first. */
  readonly cached = (request: PlainRequest): WireResponse | undefined =>
    this.#deps.changes?.isCurrent() === false ? undefined : this.#fromCache(request)

  #fromCache(request: PlainRequest): WireResponse | undefined {
    const address = addressOf(request)
    const file = address === undefined ? undefined : this.#deps.responseCache.find(address)
    if (!file || !isPlain(request.headers)) return undefined
    const part = this.#cachedPart(file, request.headers)
    if (part === undefined || this.#deps.hostingLimiter.take(this.#bucketOf(request)) > 0) return undefined
    return this.#deps.responseCache.respond(file, part)
  }

  /** Responds with a file that is not cached, and caches it. */
  readonly fresh = (request: PlainRequest): WireResponse | undefined | Promise<WireResponse | undefined> => {
    const { changes, clock, hostingLimiter } = this.#deps
    const address = addressOf(request)
    if (address === undefined || hasCredentials(request.headers)) return undefined
    const began = clock.monotonic()
    if (hostingLimiter.peek(this.#bucketOf(request)) > 0) return undefined
    if (changes) return this.#afterChanges(changes, request, { address, began })
    const target = resolve(this.#deps, address)
    return target instanceof Promise ? undefined : this.#open(target, request, began)
  }

  async #afterChanges(
    changes: Changes,
    request: PlainRequest,
    { address, began }: { address: string; began: number },
  ): Promise<WireResponse | undefined> {
    try {
      if (!changes.isCurrent()) await changes.renew()
      const cached = this.#fromCache(request)
      return cached ?? this.#open(await resolve(this.#deps, address), request, began)
    } catch (error) {
      // The slow path refuses the request, too.
      if (error instanceof Refusal) return undefined
      throw error
    }
  }

  #open(target: HostedTarget, request: PlainRequest, began: number): WireResponse | undefined {
    const { clock, hostingLimiter, store } = this.#deps
    // Pictures that are scaled take the slow path.
    if (target.query.size > 0 && target.query.has('width')) return undefined
    const granted = authorize(this.#deps, target, undefined)
    const opened = granted === 'denied' ? undefined : store.openNow({ ...granted.file, key: target.key })
    if (granted === 'denied' || !opened) return undefined
    const response = this.#respond(target, granted, { request, opened })
    if (!response) return undefined
    // Counted last, so that a request that takes the slow path is counted once.
    hostingLimiter.take(this.#bucketOf(request))
    this.#report(request, response.status, clock.monotonic() - began)
    return response.wire
  }

  #bucketOf({ peer, headers }: PlainRequest): string {
    return rateLimitBucket(this.#deps.addressOf?.(peer, headers['x-forwarded-for'] ?? null) ?? peer)
  }

  /** Evaluates the condition before the range (RFC 9110 §13.2.2). */
  #cachedPart(file: CachedFile, headers: PlainRequest['headers']) {
    const { etag, size } = file.state
    const condition = headers['if-none-match']
    if (condition !== undefined) return condition === etag ? 'not-modified' : undefined
    const part = selectRange(headers['range'] ?? null, size)
    if (part === 'unsatisfiable') return undefined
    return part === 'whole' && this.#deps.responseCache.wants(file) ? undefined : part
  }

  #respond(
    target: HostedTarget,
    granted: Granted<CacheableGrant>,
    { request, opened }: { request: PlainRequest; opened: OpenedFile },
  ): { wire: WireResponse; status: number } | undefined {
    let isTaken = false
    try {
      const { file, validators } = this.#describe(target, granted, opened)
      const part = this.#part(request.headers, validators, opened.size)
      if (part === 'failed' || part === 'unsatisfiable') return undefined
      isTaken = part !== 'not-modified'
      const wire = this.#make(target, file, { part, opened })
      return { wire, status: part === 'not-modified' ? 304 : part === 'whole' ? 200 : 206 }
    } finally {
      if (!isTaken) opened.close()
    }
  }

  #part(headers: PlainRequest['headers'], validators: Validators | null, size: number): FilePart {
    if (isPlain(headers) && headers['if-none-match'] === undefined)
      return selectRange(headers['range'] ?? null, size)
    const get = (name: string) => headers[name] ?? null
    return selectPart({ get }, { size, validators, now: this.#deps.clock.now() })
  }

  #describe(target: HostedTarget, { grant, file: row }: Granted<CacheableGrant>, opened: OpenedFile) {
    const { traffic } = this.#deps
    const { size, mtimeMs } = opened
    const shown = presentation(this.#deps, target, row)
    const { validators, headers } = fileHead(opened, shown)
    const file = new HostedFile<CacheableGrant>({
      fileId: row.id,
      updatedAt: row.updatedAt,
      grant,
      key: target.key,
      blobId: row.blobId,
      size,
      mtimeMs,
      mediaType: contentType(row),
      cacheControl: shown.cacheControl,
      etag: validators?.etag,
      lastModified: validators?.lastModified ?? 0,
      expiresAt: grant === 'link' ? Number(target.query.get('exp')) * 1000 : Number.POSITIVE_INFINITY,
      fields: this.#common + fieldText(Object.entries(headers).flat()),
      onDelivered: (bytes) => traffic.served(row.id, bytes),
    })
    return { file, validators }
  }

  #make(
    target: HostedTarget,
    file: HostedFile<CacheableGrant>,
    { part, opened }: { part: Exclude<FilePart, 'failed' | 'unsatisfiable'>; opened: OpenedFile },
  ): WireResponse {
    const date = this.#deps.httpDate()
    if (part === 'not-modified') {
      this.#cache(target, file, undefined)
      return file.notModified(date)
    }
    const { first, last } = part === 'whole' ? { first: 0, last: opened.size - 1 } : part
    const body = opened.body(first, last)
    const whole = part === 'whole' && body instanceof Uint8Array ? file.reusable(part, body, date) : undefined
    this.#cache(target, file, whole)
    return whole ?? file.once(part, body, date)
  }

  /** Caches what the response to any other request for this address is made of. */
  #cache(
    { address, query, version }: HostedTarget,
    file: HostedFile<CacheableGrant>,
    whole: CachedResponse | undefined,
  ): void {
    const { responseCache } = this.#deps
    const isPlainAddress = file.state.grant === 'public' ? !address.includes('?') : query.size === 2
    const known = isPlainAddress ? responseCache.find(address) : undefined
    if (isPlainAddress && (!known || (whole && responseCache.wants(known))))
      responseCache.add(address, file, { whole, version })
  }

  /** Counts and logs a response as the slow path does. */
  #report({ target, headers }: PlainRequest, status: number, took: number): void {
    const { requestCounts, log, random } = this.#deps
    requestCounts.answered('hosting', status, took)
    log.debug?.('Answered', {
      requestId: requestIdOf(random, headers['x-request-id']),
      method: 'GET',
      path: target.replace(/\?.*/s, ''),
      status,
      ms: Math.round(took),
    })
  }
}

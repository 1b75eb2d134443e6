import { commonHeaders } from '../../api/route-facts.ts'
import type { Validators } from '../../http/conditional.ts'
import { type PlainRequest, requestIdOf } from '../../http/exchange.ts'
import { type FilePart, fileHead, selectPart, selectRange } from '../../http/file-response.ts'
import { type CachedResponse, fieldText, type WireResponse } from '../../http/wire.ts'
import { Refusal } from '../../platform/errors.ts'
import { isSecure } from '../../platform/hosts.ts'
import { type RateLimiter, rateLimitBucket } from '../../platform/rate-limit.ts'
import { contentType, type OpenedFile } from '../../store/bytes.ts'
import { authorize, type CacheableGrant, type Granted, type HostedTarget, resolve } from './access.ts'
import type { Changes } from './changes.ts'
import { HOSTING_PREFIX, type HostingContext, type SiteFile, type SiteRequest } from './context.ts'
import { HostedFile, presentation } from './hosted-file.ts'
import type { CachedFile } from './response-cache.ts'

/** Returns true when the request has credentials: those are checked on the slow path alone. */
const hasCredentials = (headers: PlainRequest['headers']) =>
  (headers['cookie'] ?? headers['api-key']) !== undefined

/** Returns true without conditions other than If-None-Match. Unrolled for speed. */
const isPlain = (headers: PlainRequest['headers']) =>
  (headers['if-match'] ??
    headers['if-modified-since'] ??
    headers['if-unmodified-since'] ??
    headers['if-range']) === undefined

/** Address of a request among cached responses, and the site that it is at. */
interface Place {
  address: string
  site: SiteRequest | undefined
}

/** File that a request may have, and how it is shown. */
interface Shown extends Granted<CacheableGrant> {
  address: string
  /** Version of the response cache before the file was looked up. */
  version: number
  key: string
  mediaType: string
  head: Parameters<typeof fileHead>[1]
  /** True when the response to any other request for this address is made of the same. */
  isCacheable: boolean
  expiresAt: number
  isSite: boolean
  isShown?: () => boolean
  /** Content coding and id as those of `SiteFile`. */
  coding?: string | undefined
  shownId?: string
}

/**
 * Responds to visitors' GET requests without a `Request`: walking the route tree is most of what a small response
 * costs. The rate limit and the counts are those of every hosted request. Any other request, and every failure, takes
 * the slow path. A database in this process is read without a wait.
 */
export class FastPath {
  readonly prefix: string
  readonly #deps: HostingContext
  /** Header fields of each response by a key. */
  readonly #common: string

  constructor(deps: HostingContext) {
    this.#deps = deps
    this.prefix = deps.sites.isOn ? '/' : HOSTING_PREFIX
    const common = Object.entries(commonHeaders('hosting', isSecure(deps.config)))
    this.#common = fieldText(common.flatMap(([name, value]) => [name.toLowerCase(), value]))
  }

  /** Responds from the cache, unless changes by other servers must be read first. */
  readonly cached = (request: PlainRequest): WireResponse | undefined =>
    this.#deps.changes?.isCurrent() === false ? undefined : this.#fromCache(request)

  #fromCache(request: PlainRequest): WireResponse | undefined {
    const { responseCache } = this.#deps
    const place = this.#placeOf(request)
    const file = place && responseCache.find(place.address)
    if (!file || !isPlain(request.headers)) return undefined
    const part = this.#cachedPart(file, request.headers)
    if (part === undefined || this.#limiterOf(place.site).take(this.#bucketOf(request)) > 0) return undefined
    return responseCache.respond(file, part)
  }

  /** Responds with a file that is not cached, and caches it. */
  readonly fresh = (request: PlainRequest): WireResponse | undefined | Promise<WireResponse | undefined> => {
    const { changes, clock, responseCache, store } = this.#deps
    const place = this.#placeOf(request)
    if (place === undefined) return undefined
    const began = clock.monotonic()
    if (this.#limiterOf(place.site).peek(this.#bucketOf(request)) > 0) return undefined
    if (changes) return this.#afterChanges(changes, request, began)
    if (place.site) {
      const { version } = responseCache
      const shown = this.#onSite(place.site, { found: store.now(place.site.find()), version })
      return this.#open(shown, request, began)
    }
    const target = resolve(this.#deps, place.address)
    return target instanceof Promise ? undefined : this.#open(this.#hosted(target), request, began)
  }

  async #afterChanges(
    changes: Changes,
    request: PlainRequest,
    began: number,
  ): Promise<WireResponse | undefined> {
    const { responseCache, store } = this.#deps
    try {
      if (!changes.isCurrent()) await changes.renew()
      // The site may be another one since.
      const place = this.#placeOf(request)
      if (place === undefined) return undefined
      const cached = this.#fromCache(request)
      if (cached) return cached
      const { site, address } = place
      const { version } = responseCache
      const shown = site
        ? this.#onSite(site, { found: await store.read(() => site.find()), version })
        : this.#hosted(await resolve(this.#deps, address))
      return this.#open(shown, request, began)
    } catch (error) {
      // The slow path refuses the request, too.
      if (error instanceof Refusal) return undefined
      throw error
    }
  }

  /** Returns the place of a GET. Sites have no credentials, and those of hosting take the slow path. */
  #placeOf(request: PlainRequest): Place | undefined {
    const { method, target, headers } = request
    if (method !== 'GET') return undefined
    const { sites } = this.#deps
    const site = sites.isOn ? sites.at(request) : undefined
    if (site) return { address: site.address, site }
    if (site === null || !target.startsWith(HOSTING_PREFIX) || hasCredentials(headers)) return undefined
    return { address: target.slice(HOSTING_PREFIX.length), site: undefined }
  }

  #limiterOf(site: SiteRequest | undefined): RateLimiter {
    return site ? this.#deps.sites.limiter : this.#deps.hostingLimiter
  }

  /** Returns the file at a key; `undefined` for one that takes the slow path. */
  #hosted(target: HostedTarget): Shown | undefined {
    const { address, key, query, version } = target
    // Pictures that are scaled take the slow path.
    if (query.size > 0 && query.has('width')) return undefined
    const granted = authorize(this.#deps, target, undefined)
    if (granted === 'denied') return undefined
    const isLink = granted.grant === 'link'
    return {
      ...{ address, version, key, ...granted, isSite: false },
      mediaType: contentType(granted.file),
      head: presentation(this.#deps, target, granted.file),
      isCacheable: isLink ? query.size === 2 : !address.includes('?'),
      expiresAt: isLink ? Number(query.get('exp')) * 1000 : Number.POSITIVE_INFINITY,
    }
  }

  /** Returns the file that a site shows. */
  #onSite(
    site: SiteRequest,
    { found, version }: { found: SiteFile | undefined; version: number },
  ): Shown | undefined {
    if (!found) return undefined
    const { store, clock, changes } = this.#deps
    const { key, file, mediaType, headers, decidedBy, coding, shownId } = found
    const isShown = () => {
      const now = store.now(site.find())
      const isSame = now?.file.id === file.id && now.file.updatedAt === file.updatedAt && now.key === key
      const isShownAlike = isSame && now.mediaType === mediaType && Bun.deepEquals(now.headers, headers)
      return isShownAlike && now.decidedBy !== 'request'
    }
    return {
      ...{ address: site.address, version, key, file, mediaType, coding, shownId, isSite: true },
      grant: 'public',
      head: { others: headers, revalidatable: true, now: clock.now() },
      // No change of another server tells that a file was added, or that another one than this has changed.
      isCacheable:
        !site.address.includes('?') &&
        (changes ? decidedBy === 'file' && coding === undefined : decidedBy !== 'request'),
      expiresAt: Number.POSITIVE_INFINITY,
      isShown,
    }
  }

  #open(shown: Shown | undefined, request: PlainRequest, began: number): WireResponse | undefined {
    const { clock, hostingLimiter, sites, store } = this.#deps
    const opened = shown && store.openNow({ ...shown.file, key: shown.key })
    if (!opened) return undefined
    const response = this.#respond(shown, request, opened)
    if (!response) return undefined
    // Counted last, so that a request that takes the slow path is counted once.
    const limiter = shown.isSite ? sites.limiter : hostingLimiter
    limiter.take(this.#bucketOf(request))
    this.#report(request, { shown, status: response.status, took: clock.monotonic() - began })
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
    shown: Shown,
    request: PlainRequest,
    opened: OpenedFile,
  ): { wire: WireResponse; status: number } | undefined {
    let isTaken = false
    try {
      const { file, validators } = this.#describe(shown, opened)
      const part = this.#part(request.headers, validators, opened.size)
      if (part === 'failed' || part === 'unsatisfiable') return undefined
      isTaken = part !== 'not-modified'
      const wire = this.#make(shown, file, { part, opened })
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

  #describe(shown: Shown, opened: OpenedFile) {
    const { traffic } = this.#deps
    const { size, mtimeMs } = opened
    const { file: row, grant, key, mediaType, head, expiresAt, isSite, isShown, coding } = shown
    const fileId = shown.shownId ?? row.id
    const madeOf = coding === undefined ? {} : { madeOf: { size, mtimeMs, tag: coding } }
    const { validators, headers } = fileHead(opened, { ...head, ...madeOf })
    const common = isSite ? '' : this.#common
    const file = new HostedFile<CacheableGrant>({
      ...{ fileId, updatedAt: row.updatedAt, grant, key, blobId: row.blobId, size, mtimeMs },
      ...{ mediaType, cacheControl: head.cacheControl ?? '', expiresAt, isShown },
      etag: validators?.etag,
      lastModified: validators?.lastModified ?? 0,
      fields: common + fieldText(Object.entries(headers).flat()),
      onDelivered: (bytes) => traffic.served(fileId, bytes),
    })
    return { file, validators }
  }

  #make(
    shown: Shown,
    file: HostedFile<CacheableGrant>,
    { part, opened }: { part: Exclude<FilePart, 'failed' | 'unsatisfiable'>; opened: OpenedFile },
  ): WireResponse {
    const date = this.#deps.httpDate()
    if (part === 'not-modified') {
      this.#cache(shown, file, undefined)
      return file.notModified(date)
    }
    const { first, last } = part === 'whole' ? { first: 0, last: opened.size - 1 } : part
    const body = opened.body(first, last)
    const whole = part === 'whole' && body instanceof Uint8Array ? file.reusable(part, body, date) : undefined
    this.#cache(shown, file, whole)
    return whole ?? file.once(part, body, date)
  }

  /** Caches what the response to any other request for this address is made of. */
  #cache(
    { address, version, isCacheable }: Shown,
    file: HostedFile<CacheableGrant>,
    whole: CachedResponse | undefined,
  ): void {
    const { responseCache } = this.#deps
    const known = isCacheable ? responseCache.find(address) : undefined
    if (isCacheable && (!known || (whole && responseCache.wants(known))))
      responseCache.add(address, file, { whole, version })
  }

  /** Counts and logs a response as the slow path does. */
  #report(
    { target, headers }: PlainRequest,
    { shown, status, took }: { shown: Shown; status: number; took: number },
  ): void {
    const { requestCounts, log, random } = this.#deps
    requestCounts.answered(shown.isSite ? 'site' : 'hosting', status, took)
    log.debug?.('Answered', {
      requestId: requestIdOf(random, headers['x-request-id']),
      method: 'GET',
      path: target.replace(/\?.*/s, ''),
      status,
      ms: Math.round(took),
    })
  }
}

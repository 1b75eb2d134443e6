import { LRUCache } from 'lru-cache'
import type { Context } from '../../access/context.ts'
import type { ByteRange } from '../../http/file-response.ts'
import { CachedResponse, type WireResponse } from '../../http/wire.ts'
import { CHUNK_BYTES, contentType, giveBuffer, type OpenedFile, takeBuffer } from '../../store/bytes.ts'
import { publicCaching } from '../../views/cdn.ts'
import { type CacheableGrant, findHosted } from './access.ts'
import type { Changes } from './changes.ts'
import { HostedFile, type HostedState } from './hosted-file.ts'

interface CacheLimits {
  /** Largest file whose bytes are cached; of a larger one only its headers and some ranges are. */
  fileBytes: number
  /** Longest range of a larger file that is cached, in bytes. */
  rangeBytes: number
  /** Bytes of the whole cache. */
  totalBytes: number
  /** Number of ranges that were requested once and are cached when they are requested again. */
  candidates: number
}

const MiB = 1024 ** 2
const LIMITS: CacheLimits = {
  fileBytes: MiB,
  rangeBytes: 128 * 1024,
  totalBytes: 32 * MiB,
  candidates: 1024,
}
/** Milliseconds for which an edit of a file outside Holdfast may go unnoticed. */
const STAT_INTERVAL_MS = 1000
/** Number of larger files that stay open for the next request. */
const MAX_OPEN_FILES = 64
/** Bytes that an entry takes besides its body, roughly. */
const FILE_OVERHEAD_BYTES = 2048
const RANGE_OVERHEAD_BYTES = 1024
/** Length of header fields that is part of the overhead. */
const USUAL_FIELD_BYTES = 1024

interface CacheDeps extends Pick<Context, 'store' | 'clock' | 'config' | 'httpDate'> {
  /** Missing when this server alone changes the database. */
  changes?: Changes | undefined
}

/** File whose responses are cached. */
export class CachedFile extends HostedFile<CacheableGrant> {
  /** Response with the whole file; `undefined` when its bytes are not cached. */
  readonly whole: CachedResponse | undefined
  /** Version of the cache with which it was last compared. */
  version: number
  /** Time on the monotonic clock at which it was last compared with the file on disk. */
  comparedAt: number
  /** The file itself, opened for that comparison, if its bytes are not cached. */
  opened: OpenedFile | undefined
  readonly #number: number
  #notModified: CachedResponse | undefined
  static #count = 0

  constructor(
    state: HostedState<CacheableGrant>,
    { whole, version, comparedAt }: Pick<CachedFile, 'whole' | 'version' | 'comparedAt'>,
  ) {
    super(state)
    this.whole = whole
    this.version = version
    this.comparedAt = comparedAt
    CachedFile.#count += 1
    this.#number = CachedFile.#count
  }

  override notModified(date: string): CachedResponse {
    this.#notModified ??= super.notModified(date)
    return this.#notModified.at(date)
  }

  /** Returns the cache key of a range. No address has a space, and no other state of the file this number. */
  rangeKey({ first, last }: ByteRange): string {
    return `${this.#number} ${first}-${last}`
  }
}

const weightOf = (entry: CachedFile | CachedResponse): number =>
  entry instanceof CachedFile
    ? FILE_OVERHEAD_BYTES + 2 * longFields(entry.state.fields.length) + (entry.whole?.bodyBytes ?? 0)
    : RANGE_OVERHEAD_BYTES + longFields(entry.bytes.length - entry.bodyBytes) + entry.bodyBytes

/** Returns the length of header fields beyond the usual: the rules of a site may make them long. */
const longFields = (length: number): number => Math.max(0, length - USUAL_FIELD_BYTES)

/**
 * Response cache for requests without credentials, keyed by request target: the encoded object key, plus the signed
 * query for a private file; or site, host and target. An entry is valid while the catalog's version is unchanged or its row still matches, its
 * link has not expired, the clock was not set back, and size and time match the file on disk, which is compared at most
 * once a second.
 */
export class ResponseCache {
  readonly #deps: CacheDeps
  readonly #limits: CacheLimits
  readonly #entries: LRUCache<string, CachedFile | CachedResponse>
  readonly #candidates: LRUCache<string, true>
  readonly #open = new Set<CachedFile>()

  constructor(deps: CacheDeps, limits: Partial<CacheLimits> = {}) {
    this.#deps = deps
    this.#limits = { ...LIMITS, ...limits }
    this.#entries = new LRUCache<string, CachedFile | CachedResponse>({
      maxSize: this.#limits.totalBytes,
      sizeCalculation: weightOf,
      dispose: (entry) => {
        if (entry instanceof CachedFile) this.#close(entry)
      },
    })
    this.#candidates = new LRUCache<string, true>({ max: this.#limits.candidates })
  }

  /** Bytes that the cache takes, roughly. */
  get bytes(): number {
    return this.#entries.calculatedSize
  }

  /** Changes with whatever may make an entry invalid. */
  get version(): number {
    const { changes, store } = this.#deps
    return changes ? changes.count : store.version()
  }

  /** Returns the file cached for `address`, an encoded key and a query, if its responses are still valid. */
  find(address: string): CachedFile | undefined {
    const file = this.#entries.get(address)
    if (!(file instanceof CachedFile)) return undefined
    if (this.#isCurrent(file)) return file
    this.#entries.delete(address)
    return undefined
  }

  /**
   * Caches what the next responses are made of.
   *
   * @param whole The response with the whole file, if it was made.
   * @param version The version of the cache before the file was looked up.
   */
  add(
    address: string,
    { state }: HostedFile<CacheableGrant>,
    { whole, version }: { whole: CachedResponse | undefined; version: number },
  ): void {
    const cached = state.size <= this.#limits.fileBytes ? whole : undefined
    // A file whose bytes are not cached is opened by the next request, and stays open.
    const comparedAt = cached ? this.#deps.clock.monotonic() : Number.NEGATIVE_INFINITY
    this.#entries.set(address, new CachedFile(state, { whole: cached, version, comparedAt }))
  }

  /** Returns true when the next response with the whole file should be added to its entry. */
  wants({ state, whole }: CachedFile): boolean {
    return !whole && state.size <= this.#limits.fileBytes
  }

  /** Returns the response with a part of a file that was found, or `undefined` when the file on disk is another. */
  respond(file: CachedFile, part: ByteRange | 'whole' | 'not-modified'): WireResponse | undefined {
    const date = this.#deps.httpDate()
    if (part === 'not-modified') return file.notModified(date)
    if (part !== 'whole') return this.#range(file, part, date)
    return file.whole?.at(date) ?? this.#read(file, part, date)
  }

  /** Returns the cached response with a range, if there is one. */
  findRange(file: CachedFile, range: ByteRange): CachedResponse | undefined {
    const found = this.#entries.get(file.rangeKey(range))
    return found instanceof CachedResponse ? found : undefined
  }

  /** Caches the response to a range that was requested before, or remembers that it was. */
  offerRange(file: CachedFile, range: ByteRange, make: () => CachedResponse): void {
    if (range.last - range.first >= this.#limits.rangeBytes) return
    const key = file.rangeKey(range)
    if (this.#candidates.delete(key)) this.#entries.set(key, make())
    else this.#candidates.set(key, true)
  }

  /** Closes the files that were not requested in the last `idleMs`: a deleted one takes space until it is closed. */
  closeIdle(idleMs: number): void {
    const now = this.#deps.clock.monotonic()
    for (const file of this.#open) if (now - file.comparedAt >= idleMs) this.#close(file)
  }

  #range(file: CachedFile, range: ByteRange, date: string): WireResponse | undefined {
    if (file.whole) return file.once(range, file.whole.body.subarray(range.first, range.last + 1), date)
    return this.findRange(file, range)?.at(date) ?? this.#read(file, range, date)
  }

  #read(file: CachedFile, part: ByteRange | 'whole', date: string): WireResponse | undefined {
    const range = part === 'whole' ? { first: 0, last: file.state.size - 1 } : part
    const head = file.headBytes(part, date)
    const length = range.last - range.first + 1
    if (!file.opened?.read || head.length + length > CHUNK_BYTES) return this.#reopen(file, part, date)
    // Few bytes are read straight into the buffer that is sent.
    const buffer = takeBuffer()
    buffer.set(head)
    const body = file.opened.read(buffer.subarray(head.length, head.length + length), range.first)
    if (part !== 'whole') this.offerRange(file, part, () => file.reusable(part, body, date))
    return {
      bytes: buffer.subarray(0, head.length + length),
      bodyBytes: length,
      onDelivered: file.state.onDelivered,
      onSent: () => giveBuffer(buffer),
    }
  }

  #reopen(file: CachedFile, part: ByteRange | 'whole', date: string): WireResponse | undefined {
    const { size, mtimeMs } = file.state
    const opened = this.#deps.store.openNow(file.state)
    if (opened?.size !== size || opened.mtimeMs !== mtimeMs) {
      opened?.close()
      return undefined
    }
    const { first, last } = part === 'whole' ? { first: 0, last: size - 1 } : part
    return file.once(part, opened.body(first, last), date)
  }

  #close(file: CachedFile): void {
    file.opened?.close()
    file.opened = undefined
    this.#open.delete(file)
  }

  #isCurrent(file: CachedFile): boolean {
    const { clock } = this.#deps
    const wall = clock.now()
    // A Last-Modified later than the clock must not be sent (RFC 9110 §8.8.2.1): the clock was set back.
    if (wall >= file.state.expiresAt || wall < file.state.lastModified) return false
    const { version } = this
    if (file.version !== version && !this.#isCatalogued(file)) return false
    file.version = version
    const now = clock.monotonic()
    if (now - file.comparedAt < STAT_INTERVAL_MS) return true
    file.comparedAt = now
    return this.#isOnDisk(file)
  }

  #isCatalogued({ version, state }: CachedFile): boolean {
    const { changes, config, store } = this.#deps
    const { key, fileId, updatedAt, grant, cacheControl, mediaType, isShown } = state
    if (changes) return changes.isUnchanged(fileId, version)
    if (isShown) return isShown()
    const row = store.now(findHosted(store, key))
    if (row?.id !== fileId || row.updatedAt !== updatedAt || contentType(row) !== mediaType) return false
    if (row.visibility !== (grant === 'link' ? 'private' : 'public')) return false
    const seconds = store.settings.current().hostingCacheSeconds
    return grant === 'link' || cacheControl === publicCaching(seconds, config.cdn, key)
  }

  #isOnDisk(file: CachedFile): boolean {
    this.#close(file)
    const opened = this.#deps.store.openNow(file.state)
    const isSame = opened?.size === file.state.size && opened.mtimeMs === file.state.mtimeMs
    if (isSame && !file.whole && this.#open.size < MAX_OPEN_FILES) {
      file.opened = opened
      this.#open.add(file)
    } else opened?.close()
    return isSame
  }
}

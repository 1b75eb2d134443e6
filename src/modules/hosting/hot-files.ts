import type { Context } from '../../access/context.ts'
import { withoutHeaders } from '../../api/header-sets.ts'
import type { ByteRange } from '../../http/range.ts'
import { fieldText, PreparedAnswer } from '../../http/wire.ts'
import type { StoredFile } from '../../store/bytes.ts'
import { findAccessByKey } from '../files/service.ts'
import type { Grant } from './access.ts'
import { publicCaching } from './caching.ts'
import { HotRanges } from './hot-ranges.ts'
import { SecondChance } from './second-chance.ts'

export interface HotLimits {
  /** Largest file whose bytes are kept; of a larger one only the headers are. */
  fileBytes: number
  /** Bytes kept in all. */
  totalBytes: number
}

const LIMITS: HotLimits = { fileBytes: 1024 ** 2, totalBytes: 32 * 1024 ** 2 }
/** How long an edit of a file behind our back may go unseen, in milliseconds. */
const STAT_INTERVAL_MS = 1000
/** Large files that are held open at the same time. */
const MAX_OPEN_FILES = 64

/** What the answers to a stranger's requests for a file are made of. */
export interface HotFile {
  fileId: string
  /** Never a member's credentials: the cache does not look at those. */
  openedBy: Exclude<Grant, 'member'>
  key: string
  size: number
  mtimeMs: number
  /** `undefined` for a private file, which no cache may keep. */
  etag: string | undefined
  cacheControl: string
  /** When the link that opened a private file ends, in milliseconds since 1970. */
  expiresAt: number
  mediaType: string
  /** The headers of an answer, of whatever kind: names and values in turn. */
  headers: readonly string[]
  /** The whole file, if the answer had it in one piece. */
  bytes: Uint8Array | undefined
}

/** A hot file as it is kept. */
export interface KeptFile extends Omit<HotFile, 'mediaType' | 'headers' | 'bytes'> {
  /** The headers that an answer with any part of the file has, as they go over the wire. */
  commonFields: string
  /** `undefined` when the bytes are read from the file each time. */
  whole: PreparedAnswer | undefined
  /** Whether the file is small enough for its bytes to be kept, but no answer has had them all yet. */
  isWholeWanted: boolean
  /** Of a file whose bytes are not kept. */
  ranges: HotRanges
  /** The answer to a client that has it already. */
  notModified: PreparedAnswer
  /** The catalog's version that the answer was last compared with. */
  version: number
  /** When it was last compared with the file on disk, on the monotonic clock. */
  comparedAt: number
  /** The file itself, as it was opened to be compared; only of one whose bytes are not kept. */
  opened: StoredFile | undefined
}

/** What an answer costs beside its bytes, roughly, in bytes. */
const OVERHEAD_BYTES = 2048

/** What a 304 does not carry (RFC 9110 §15.4.5). */
const OF_THE_BODY = new Set(['content-type', 'content-length', 'content-range'])

const weightOf = ({ whole, ranges }: KeptFile) => (whole?.body.length ?? 0) + ranges.bytes + OVERHEAD_BYTES

export type HotFiles = ReturnType<typeof createHotFiles>

/**
 * Keeps what answers to strangers are made of: for public files by the encoded key they were asked for, for
 * private ones by that and the signed link that opened them, so that a wrong link finds as little as a wrong
 * key. An answer is given again only while the catalog has not changed since, or still says the same; and at
 * most once a second it is compared with the file on disk.
 */
export function createHotFiles(
  deps: Pick<Context, 'store' | 'clock' | 'httpDate'>,
  limits: HotLimits = LIMITS,
) {
  const { store, clock, httpDate } = deps
  const kept = new SecondChance<KeptFile>()
  let totalBytes = 0
  const withOpenFile = new Set<KeptFile>()

  function drop(address: string): void {
    const hot = kept.delete(address)
    if (hot) forget(hot)
  }

  function forget(hot: KeptFile): void {
    totalBytes -= weightOf(hot)
    close(hot)
  }

  function makeRoom(): void {
    while (totalBytes > limits.totalBytes) {
      const hot = kept.dropNext()
      if (!hot) return
      forget(hot)
    }
  }

  function close(hot: KeptFile): void {
    hot.opened?.close()
    hot.opened = undefined
    withOpenFile.delete(hot)
  }

  function isCurrent(hot: KeptFile): boolean {
    if (clock.now() >= hot.expiresAt) return false
    const version = store.version()
    if (hot.version !== version && !isCatalogued(hot)) return false
    hot.version = version
    const now = clock.monotonic()
    if (now - hot.comparedAt < STAT_INTERVAL_MS) return true
    hot.comparedAt = now
    return isOnDisk(hot)
  }

  function isCatalogued({ key, fileId, openedBy, cacheControl }: KeptFile): boolean {
    const file = findAccessByKey(deps, key)
    if (file?.id !== fileId || file.visibility !== (openedBy === 'link' ? 'private' : 'public')) return false
    return openedBy === 'link' || cacheControl === publicCaching(store.settings.current().hostingCacheSeconds)
  }

  function isOnDisk(hot: KeptFile): boolean {
    close(hot)
    const opened = store.openFile(hot.key)
    const isSame = opened?.size === hot.size && opened.mtimeMs === hot.mtimeMs
    if (isSame && !hot.whole && withOpenFile.size < MAX_OPEN_FILES) {
      hot.opened = opened
      withOpenFile.add(hot)
    } else opened?.close()
    return isSame
  }

  /** The answer kept for `address`, a key and a query as they stand in the URL, if it may still be given. */
  function get(address: string): KeptFile | undefined {
    const hot = kept.get(address)
    if (!hot || isCurrent(hot)) return hot
    drop(address)
    return undefined
  }

  /** @param version The catalog's version before the file was looked up. */
  function keep(address: string, { mediaType, headers, bytes, ...hot }: HotFile, version: number): void {
    drop(address)
    const isSmall = hot.size <= limits.fileBytes
    const keepsBytes = bytes && isSmall
    const date = httpDate()
    const fields = fieldText(withoutHeaders(headers, OF_THE_BODY))
    const commonFields = fields + fieldText(['content-type', mediaType])
    const wholeFields = commonFields + fieldText(['content-length', String(hot.size)])
    const entry = {
      ...hot,
      commonFields,
      whole: keepsBytes ? new PreparedAnswer(200, wholeFields, date, bytes) : undefined,
      isWholeWanted: isSmall && !bytes,
      ranges: new HotRanges(),
      notModified: new PreparedAnswer(304, fields, date),
      version,
      // A file whose bytes are not kept is opened with the next request, and stays open.
      comparedAt: keepsBytes ? clock.monotonic() : Number.NEGATIVE_INFINITY,
      opened: undefined,
    }
    totalBytes += weightOf(entry)
    makeRoom()
    kept.add(address, entry)
  }

  /** Offers the answer to a range of `hot`, which must be kept. */
  function offerRange(hot: KeptFile, range: ByteRange, make: () => PreparedAnswer): void {
    totalBytes -= weightOf(hot)
    hot.ranges.offer(range, make)
    totalBytes += weightOf(hot)
    makeRoom()
  }

  /** Closes the files not asked for in the last `idleMs`: a deleted one takes room until it is closed. */
  function closeIdle(idleMs: number): void {
    const now = clock.monotonic()
    for (const hot of withOpenFile) if (now - hot.comparedAt >= idleMs) close(hot)
  }

  return { get, keep, offerRange, closeIdle }
}

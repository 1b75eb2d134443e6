import type { Deps } from '../deps.ts'
import { findAccessByKey } from '../files/service.ts'
import { withoutHeaders } from '../http/header-sets.ts'
import { PreparedAnswer } from '../http/wire.ts'
import type { StoredFile } from '../volume/stored-file.ts'
import { publicCaching } from './caching.ts'

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

/** What the answers to requests for a public file are made of. */
export interface HotFile {
  fileId: string
  key: string
  size: number
  mtimeMs: number
  etag: string
  cacheControl: string
  /** The headers of an answer with the whole file: names and values in turn. */
  headers: string[]
  /** `undefined` when they are read from the file each time. */
  bytes: Uint8Array | undefined
}

/** A hot file as it is kept. */
export interface KeptFile extends Omit<HotFile, 'bytes'> {
  /** `undefined` when the bytes are read from the file each time. */
  whole: PreparedAnswer | undefined
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
const OF_THE_BODY = new Set(['content-length', 'content-type'])

const weightOf = ({ whole }: KeptFile) => (whole?.body.length ?? 0) + OVERHEAD_BYTES

export type HotFiles = ReturnType<typeof createHotFiles>

/**
 * Keeps what answers for public files are made of, by the encoded key they were asked for. An answer is
 * given again only while the catalog has not changed since, or still says the same; and at most once a
 * second it is compared with the file on disk.
 */
export function createHotFiles(
  deps: Pick<Deps, 'catalog' | 'volume' | 'settings' | 'clock' | 'httpDate'>,
  limits: HotLimits = LIMITS,
) {
  const { catalog, volume, settings, clock, httpDate } = deps
  /** Least recently used first. */
  const kept = new Map<string, KeptFile>()
  let totalBytes = 0
  const withOpenFile = new Set<KeptFile>()

  function drop(encodedKey: string): void {
    const hot = kept.get(encodedKey)
    if (!hot) return
    totalBytes -= weightOf(hot)
    close(hot)
    kept.delete(encodedKey)
  }

  function close(hot: KeptFile): void {
    hot.opened?.close()
    hot.opened = undefined
    withOpenFile.delete(hot)
  }

  function isCurrent(hot: KeptFile): boolean {
    const version = catalog.version()
    if (hot.version !== version && !isCatalogued(hot)) return false
    hot.version = version
    const now = clock.monotonic()
    if (now - hot.comparedAt < STAT_INTERVAL_MS) return true
    hot.comparedAt = now
    return isOnDisk(hot)
  }

  function isCatalogued({ key, fileId, cacheControl }: KeptFile): boolean {
    const file = findAccessByKey(deps, key)
    const caching = publicCaching(settings.current().hostingCacheSeconds)
    return file?.id === fileId && file.visibility === 'public' && caching === cacheControl
  }

  function isOnDisk(hot: KeptFile): boolean {
    close(hot)
    const opened = volume.openFile(hot.key)
    const isSame = opened?.size === hot.size && opened.mtimeMs === hot.mtimeMs
    if (isSame && !hot.whole && withOpenFile.size < MAX_OPEN_FILES) {
      hot.opened = opened
      withOpenFile.add(hot)
    } else opened?.close()
    return isSame
  }

  /** The answer kept for `encodedKey`, if it may still be given. */
  function get(encodedKey: string): KeptFile | undefined {
    const hot = kept.get(encodedKey)
    if (!hot) return undefined
    if (!isCurrent(hot)) {
      drop(encodedKey)
      return undefined
    }
    kept.delete(encodedKey)
    kept.set(encodedKey, hot)
    return hot
  }

  /** @param version The catalog's version before the file was looked up. */
  function keep(encodedKey: string, { bytes, ...hot }: HotFile, version: number): void {
    drop(encodedKey)
    const keepsBytes = bytes && hot.size <= limits.fileBytes
    const date = httpDate()
    const entry = {
      ...hot,
      whole: keepsBytes ? new PreparedAnswer(200, hot.headers, date, bytes) : undefined,
      notModified: new PreparedAnswer(304, withoutHeaders(hot.headers, OF_THE_BODY), date),
      version,
      comparedAt: clock.monotonic(),
      opened: undefined,
    }
    kept.set(encodedKey, entry)
    totalBytes += weightOf(entry)
    for (const oldest of kept.keys()) {
      if (totalBytes <= limits.totalBytes) break
      drop(oldest)
    }
  }

  /** Closes the files not asked for in the last `idleMs`: a deleted one takes room until it is closed. */
  function closeIdle(idleMs: number): void {
    const now = clock.monotonic()
    for (const hot of withOpenFile) if (now - hot.comparedAt >= idleMs) close(hot)
  }

  return { get, keep, closeIdle }
}

import type { Context } from '../../access/context.ts'
import type { RequestCounts } from '../../api/route-facts.ts'
import type { PlainRequest } from '../../http/exchange.ts'
import type { RateLimiter } from '../../platform/rate-limit.ts'
import type { Output } from '../../store/bytes.ts'
import type { FileAccess, Work } from '../../store/rows.ts'
import type { Changes } from './changes.ts'
import type { ResponseCache } from './response-cache.ts'
import type { Traffic } from './traffic.ts'

/** Path prefix of files served by their keys. */
export const HOSTING_PREFIX = '/api/hosting/'

/** Small pictures, from the cache of thumbnails or new. */
export interface Pictures {
  /** Version of the encoder, which the bytes depend on. */
  encoder: string
  isPicture: (file: FileAccess) => boolean
  /**
   * Returns a picture as WebP of at most that width and height, empty when it is damaged.
   *
   * @param asking Signal of the client that waits; for a visitor the address whose turn the request takes.
   * @throws {Refusal} `unavailable` when too many wait.
   */
  scaled: (
    picture: FileAccess & { key: string },
    width: number,
    asking: { client: AbortSignal; share: string | undefined },
  ) => Promise<Output>
}

/** File that a site shows. */
export interface SiteFile {
  key: string
  file: FileAccess
  mediaType: string
  /** Headers of every response with it, by names in lower case. */
  headers: Record<string, string>
  /** Reason for this file: it is there; others are not; or the request besides. */
  decidedBy: 'file' | 'files' | 'request'
  /** Content coding, if the file is a compressed form of the one that is shown. */
  coding: string | undefined
  /** Id of the file that is shown, for which the request counts. */
  shownId: string
}

/** Request at the host of a site. */
export interface SiteRequest {
  /** Names site, host, codings and target among cached responses. */
  address: string
  /** Finds the public file that the site shows now; `undefined` for another answer. */
  find: () => Work<SiteFile | undefined>
}

/** Sites, whose files take the fast path, too. */
export interface Sites {
  isOn: boolean
  limiter: RateLimiter
  /** Returns a request at a site; null at a host of sites that has none; `undefined` at any other host. */
  at: (request: PlainRequest) => SiteRequest | null | undefined
}

/** State and services of the hosting module. */
export interface HostingContext extends Context {
  /** Missing when this server alone changes the database. */
  changes: Changes | undefined
  responseCache: ResponseCache
  traffic: Traffic
  hostingLimiter: RateLimiter
  requestCounts: RequestCounts
  pictures: Pictures
  sites: Sites
}

import type { Context } from '../../access/context.ts'
import type { RequestCounts } from '../../api/route-facts.ts'
import type { RateLimiter } from '../../platform/rate-limit.ts'
import type { Changes } from './changes.ts'
import type { ResponseCache } from './response-cache.ts'
import type { Traffic } from './traffic.ts'

/** Path prefix of files served by their keys. */
export const HOSTING_PREFIX = '/api/hosting/'

/** State and services of the hosting module. */
export interface HostingContext extends Context {
  /** Missing when this server alone changes the database. */
  changes: Changes | undefined
  responseCache: ResponseCache
  traffic: Traffic
  hostingLimiter: RateLimiter
  requestCounts: RequestCounts
}

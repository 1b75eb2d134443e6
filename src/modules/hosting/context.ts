import type { Context } from '../../access/context.ts'
import type { RateLimiter } from '../../platform/rate-limit.ts'
import type { RequestCounts } from '../metrics/requests.ts'
import type { ResponseCache } from './response-cache.ts'
import type { Traffic } from './traffic.ts'

/** State and services of the hosting module. */
export interface HostingContext extends Context {
  responseCache: ResponseCache
  traffic: Traffic
  hostingLimiter: RateLimiter
  requestCounts: RequestCounts
}

import type { Context } from '../../access/context.ts'
import type { RequestCounts } from '../../api/route-facts.ts'
import type { RateLimiter } from '../../platform/rate-limit.ts'

/** Sources of the metrics. */
export interface MetricsContext extends Context {
  requestCounts: RequestCounts
  /** Counts of hosted requests. */
  traffic: { sinceStart: () => { requests: number; bytes: number; notFound: number } }
  apiLimiter: RateLimiter
  /** Start of the server, in milliseconds since 1970. */
  startedAt: number
}

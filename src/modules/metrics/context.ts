import type { Context } from '../../access/context.ts'
import type { RequestCounts } from '../../api/route-facts.ts'
import type { RateLimiter } from '../../platform/rate-limit.ts'
import type { Traffic } from '../hosting/traffic.ts'

/** Sources of the metrics. */
export interface MetricsContext extends Context {
  requestCounts: RequestCounts
  traffic: Pick<Traffic, 'sinceStart'>
  apiLimiter: RateLimiter
  /** Start of the server, in milliseconds since 1970. */
  startedAt: number
}

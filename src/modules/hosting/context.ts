import type { Context } from '../../access/context.ts'
import type { RateLimiter } from '../../platform/rate-limit.ts'
import type { HotFiles } from './hot-files.ts'
import type { Traffic } from './traffic.ts'

/** Everything that serving files by URL uses. */
export interface HostingContext extends Context {
  hotFiles: HotFiles
  traffic: Traffic
  hostingLimiter: RateLimiter
}

import type { Context } from '../../access/context.ts'
import type { RequestCounts } from '../../api/route-facts.ts'
import { RateLimiter } from '../../platform/rate-limit.ts'
import { Changes } from './changes.ts'
import type { HostingContext } from './context.ts'
import { FastPath } from './fast-path.ts'
import { ResponseCache } from './response-cache.ts'
import { hostingRoutes } from './routes.ts'
import { Traffic } from './traffic.ts'

/** Milliseconds for which a large file stays open after its last request. */
const IDLE_FILE_MS = 2000

/** Files by URL: the routes, the fast path past them, their cache, limit and traffic. */
export function createHosting(context: Context, requestCounts: RequestCounts) {
  const { config, clock } = context
  const changes = context.store.isShared ? new Changes(context) : undefined
  const hosting: HostingContext = {
    ...context,
    requestCounts,
    changes,
    responseCache: new ResponseCache({ ...context, changes }),
    traffic: new Traffic(context),
    hostingLimiter: new RateLimiter({
      limit: config.hostingRequestsPerMinute,
      monotonic: clock.monotonic,
    }),
  }
  const { responseCache, traffic, hostingLimiter } = hosting
  return {
    routes: hostingRoutes(hosting),
    fastPath: new FastPath(hosting),
    responseCache,
    traffic,
    limiter: hostingLimiter,
    jobs: [
      // Other servers read the counts, too.
      {
        pattern: context.store.isShared ? '*/5 * * * * *' : '* * * * *',
        task: 'Saving the hosting counts',
        run: () => traffic.flush(),
        isEverywhere: true,
      },
      {
        pattern: '* * * * *',
        task: 'Removing old hosting counts',
        run: () => traffic.prune(),
        atStart: true,
      },
      {
        pattern: '* * * * * *',
        task: 'Closing idle files',
        run: async () => responseCache.closeIdle(IDLE_FILE_MS),
        isEverywhere: true,
      },
    ],
    stop: () => responseCache.closeIdle(0),
    flush: () => traffic.flush(),
  }
}

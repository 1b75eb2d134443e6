import type { Context } from '../../access/context.ts'
import { createRateLimiter } from '../../platform/rate-limit.ts'
import type { HostingContext } from './context.ts'
import { createHotFiles } from './hot-files.ts'
import { hostingRoutes } from './routes.ts'
import { createShortcut } from './shortcut.ts'
import { Traffic } from './traffic.ts'

/** Milliseconds for which a large file stays open after its last request. */
const IDLE_FILE_MS = 2000

/** Files by URL: the routes, the shortcut past them, their cache, limit and traffic. */
export function createHosting(context: Context) {
  const { config, clock } = context
  const hosting: HostingContext = {
    ...context,
    hotFiles: createHotFiles(context),
    traffic: new Traffic(context),
    hostingLimiter: createRateLimiter({
      limit: config.hostingRequestsPerMinute,
      monotonic: clock.monotonic,
    }),
  }
  const { hotFiles, traffic, hostingLimiter } = hosting
  return {
    routes: hostingRoutes(hosting),
    shortcut: createShortcut(hosting),
    hotFiles,
    traffic,
    limiter: hostingLimiter,
    jobs: [
      { pattern: '* * * * *', what: 'Saving the hosting counts', run: () => traffic.flush() },
      {
        pattern: '* * * * *',
        what: 'Removing old hosting counts',
        run: () => traffic.prune(),
        atStart: true,
      },
      {
        pattern: '* * * * * *',
        what: 'Closing idle files',
        run: async () => hotFiles.closeIdle(IDLE_FILE_MS),
      },
    ],
    stop: () => hotFiles.closeIdle(0),
    flush: () => traffic.flush(),
  }
}

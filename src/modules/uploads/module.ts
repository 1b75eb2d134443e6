import type { Context } from '../../access/context.ts'
import { RateLimiter } from '../../platform/rate-limit.ts'
import type { UploadsContext } from './context.ts'
import { createResumables } from './resumables.ts'
import { uploadRoutes } from './routes.ts'
import { removeExpiredUploads } from './service.ts'
import { Tus } from './tus.ts'

/** Creates the module of resumable uploads (tus 1.0.0). */
export function createUploads(context: Context) {
  const { config, clock } = context
  const uploads: UploadsContext = { ...context, resumables: createResumables(context) }
  const { resumables } = uploads
  const tus = new Tus(uploads)
  return {
    routes: uploadRoutes(uploads, tus),
    resumables,
    /** Requests for uploads of any sender, for visitors of shares. */
    tus,
    /** Limiter of requests to uploads that have begun. */
    limiter: new RateLimiter({ limit: config.uploadRequestsPerMinute, monotonic: clock.monotonic }),
    jobs: [
      {
        pattern: '* * * * *',
        task: 'Removing expired uploads',
        run: () => removeExpiredUploads(uploads),
        atStart: true,
      },
    ],
    stop: () => resumables.settle(),
  }
}

import type { Context } from '../../access/context.ts'
import type { Protocol } from '../../api/module.ts'
import { S3_FACTS } from '../../api/route-facts.ts'
import { onEachServer } from '../../platform/jobs.ts'
import { RateLimiter } from '../../platform/rate-limit.ts'
import { isForS3 } from './recognized.ts'
import type { S3Service } from './service.ts'

/** Creates the module of the S3 API. Its code is loaded with its first request: most instances have none. */
export function createS3(context: Context) {
  const { config, clock } = context
  let opened: Promise<S3Service> | undefined
  const open = () => {
    opened ??= import('./service.ts').then(({ openS3 }) => openS3(context))
    return opened
  }
  const flush = async () => (await opened)?.history.flush()
  const protocol: Protocol = {
    isFor: isForS3,
    facts: S3_FACTS,
    respond: async (request) => (await open()).respond(request),
    fail: async (error, request) => (await open()).fail(error, request),
  }
  return {
    protocol,
    limiter: new RateLimiter({ limit: config.s3RequestsPerMinute, monotonic: clock.monotonic }),
    jobs: [
      onEachServer('* * * * *', 'Writing the history of the S3 API', flush),
      onEachServer('* * * * *', 'Ending uploads in parts that are gone', async () =>
        (await opened)?.assemblies.prune(),
      ),
    ],
    flush,
    stop: async () => (await opened)?.assemblies.stop(),
  }
}

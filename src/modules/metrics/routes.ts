import { createHash, timingSafeEqual } from 'node:crypto'
import { Elysia } from 'elysia'
import { exchangeOf } from '../../http/exchange.ts'
import { Refusal, refuseTooMany } from '../../platform/errors.ts'
import { rateLimitBucket } from '../../platform/rate-limit.ts'
import type { MetricsContext } from './context.ts'
import { readMetrics } from './service.ts'
import { METRICS_TYPE, writeMetrics } from './text.ts'

/** The token authorizes it. Operators look at it when the database is away. */
const HOOKS = { detail: { security: [] }, facts: { isAlwaysThere: true } }

/**
 * Builds `/metrics` for Prometheus, protected by its token; without a token there is no such route. The rate
 * limit of the API counts requests without the token only, so that a flood does not keep Prometheus out.
 */
export function metricsRoutes(deps: MetricsContext) {
  const { metricsToken } = deps.config
  const routes = new Elysia()
  if (metricsToken === undefined) return routes
  routes.get(
    '/metrics',
    async ({ request }) => {
      if (!isBearer(request.headers, metricsToken)) {
        const wait = deps.apiLimiter.take(rateLimitBucket(exchangeOf(request).clientAddress))
        if (wait > 0) throw refuseTooMany(wait)
        throw new Refusal('unauthorized', 'Unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } })
      }
      const headers = { 'Content-Type': METRICS_TYPE, 'Cache-Control': 'no-store' }
      return new Response(writeMetrics(await readMetrics(deps)), { headers })
    },
    HOOKS,
  )
  return routes
}

/** Compares hashes, so that the time is the same for any token of any length. */
function isBearer(headers: Headers, token: string): boolean {
  const [, sent = ''] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  const hashOf = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hashOf(sent), hashOf(token))
}

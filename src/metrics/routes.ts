import { createHash, timingSafeEqual } from 'node:crypto'
import { Elysia } from 'elysia'
import { OPEN_TO_ALL } from '../auth/plugin.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { readMetrics } from './service.ts'
import { METRICS_TYPE, writeMetrics } from './text.ts'

/** `/metrics` for Prometheus, for whoever has the token; without a token there is no such route. */
export function metricsRoutes(deps: Deps) {
  const { metricsToken } = deps.config
  const routes = new Elysia()
  if (metricsToken === undefined) return routes
  routes.get(
    '/metrics',
    ({ request }) => {
      if (!isBearer(request.headers, metricsToken))
        throw new Refusal('unauthorized', 'Unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } })
      const headers = { 'Content-Type': METRICS_TYPE, 'Cache-Control': 'no-store' }
      return new Response(writeMetrics(readMetrics(deps)), { headers })
    },
    OPEN_TO_ALL, // to whoever has the token
  )
  return routes
}

/** Hashed first: the comparison takes as long for any token of any length. */
function isBearer(headers: Headers, token: string): boolean {
  const [, sent = ''] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  const hashOf = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hashOf(sent), hashOf(token))
}

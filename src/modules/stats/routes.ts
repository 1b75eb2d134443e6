import { Elysia } from 'elysia'
import { auth } from '../../access/plugin.ts'
import { success } from '../../api/schema.ts'
import { leavingOf } from '../../http/exchange.ts'
import * as docs from './docs.ts'
import { StatsAnswer } from './model.ts'
import { readStats, type StatsContext } from './service.ts'

/**
 * Builds `/api/stats`: the figures of the dashboard. Any account may read it; the sections need their scopes.
 */
export function statsRoutes(deps: StatsContext) {
  return new Elysia({ prefix: '/api/stats' })
    .use(auth(deps))
    .get('/', async ({ caller, request }) => success(await readStats(deps, caller, leavingOf(request))), {
      ...docs.getStats,
      access: { by: 'key or session' },
      response: { 200: StatsAnswer },
    })
}

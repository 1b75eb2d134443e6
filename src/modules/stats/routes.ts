import { Elysia } from 'elysia'
import { auth } from '../../access/plugin.ts'
import { documented } from '../../api/openapi/described.ts'
import { success } from '../../api/schema.ts'
import { leavingOf } from '../../http/exchange.ts'
import { StatsAnswer } from './model.ts'
import { readStats, type StatsContext } from './service.ts'

/**
 * Builds `/api/stats`: the figures of the dashboard. Any account may read it; the sections need their scopes.
 */
export function statsRoutes(deps: StatsContext) {
  return new Elysia({ prefix: '/api/stats' })
    .use(auth(deps))
    .get('/', async ({ caller, request }) => success(await readStats(deps, caller, leavingOf(request))), {
      ...documented('Instance', {
        id: 'getStats',
        summary: 'Get counts, traffic and alerts',
        description:
          'A section is null when the caller may not see it. Days are in UTC, oldest first. New types of alerts may be ' +
          'added: skip unknown ones.',
        returns: 'Stored files, traffic, and alerts.',
      }),
      access: { by: 'key or session' },
      response: { 200: StatsAnswer },
    })
}

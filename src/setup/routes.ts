import { Elysia } from 'elysia'
import * as T from 'typebox'
import { OPEN_TO_ALL } from '../auth/plugin.ts'
import type { Deps } from '../deps.ts'
import { envelope, success } from '../envelope.ts'
import { assertHealthy } from './health.ts'

/** What anyone may ask: whether the instance runs, and whether it still needs its first account. */
export function setupRoutes(deps: Pick<Deps, 'catalog' | 'volume'>) {
  const { catalog } = deps
  return new Elysia({ prefix: '/api' })
    .get(
      '/health',
      () => {
        assertHealthy(deps)
        return success({ message: 'Holdfast is running' })
      },
      { ...OPEN_TO_ALL, response: { 200: envelope(T.Object({ message: T.String() })) } },
    )
    .get('/setup', () => success({ needed: catalog.users.count() === 0 }), {
      ...OPEN_TO_ALL,
      response: { 200: envelope(T.Object({ needed: T.Boolean() })) },
    })
}

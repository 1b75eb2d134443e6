import { Elysia } from 'elysia'
import * as T from 'typebox'
import type { Context } from '../../access/context.ts'
import { openToAll } from '../../access/plugin.ts'
import { envelope, success } from '../../api/schema.ts'
import * as docs from './docs.ts'
import { assertHealthy } from './health.ts'
import { SetupAnswer } from './model.ts'

/** Builds the public routes: the health of the instance, and the facts that a page needs before sign-in. */
export function setupRoutes(deps: Pick<Context, 'store' | 'origins' | 'setupToken'>) {
  const { store, origins } = deps
  return new Elysia({ prefix: '/api' })
    .get(
      '/health',
      async () => {
        await assertHealthy(deps)
        return success({ message: 'Holdfast is running' })
      },
      {
        ...openToAll(docs.getHealth),
        response: { 200: envelope(T.Object({ message: T.String({ examples: ['Holdfast is running'] }) })) },
      },
    )
    .get(
      '/setup',
      async ({ request }) =>
        success({
          needed: (await store.users.count()) === 0,
          tokenRequired: await deps.setupToken.isRequired(),
          originTrusted: origins.accepts(request),
        }),
      { ...openToAll(docs.getSetup), response: { 200: SetupAnswer } },
    )
}

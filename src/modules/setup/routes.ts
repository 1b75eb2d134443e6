import { Elysia } from 'elysia'
import * as T from 'typebox'
import type { Context } from '../../access/context.ts'
import { openToAll } from '../../access/plugin.ts'
import { documented } from '../../api/openapi/described.ts'
import { envelope, success } from '../../api/schema.ts'
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
        ...openToAll(
          documented(
            'System',
            {
              id: 'getHealth',
              summary: 'Check that the server runs',
              returns: 'The server is healthy.',
              refusals: { 503: [] },
            },
            { limit: 'none' },
          ),
        ),
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
      {
        ...openToAll(
          documented('System', {
            id: 'getSetup',
            summary: 'Get the state of the instance',
            returns: {
              description:
                'State of the instance, and whether it accepts changes from the origin of the request.',
              examples: {
                'a new instance': success({ needed: true, tokenRequired: false, originTrusted: true }),
                'a page that needs BASE_URL': success({
                  needed: false,
                  tokenRequired: false,
                  originTrusted: false,
                }),
              },
            },
          }),
        ),
        response: { 200: SetupAnswer },
      },
    )
}

import { Elysia } from 'elysia'
import * as T from 'typebox'
import type { Context } from '../access/context.ts'
import { openRoute } from '../access/route.ts'
import { envelope, success } from '../api/schema.ts'
import { refuseForNow } from '../platform/errors.ts'

/** State of an instance that a page must know before a visitor signs in. */
export const SetupAnswer = envelope(
  T.Object({
    needed: T.Boolean({ description: 'True while the instance has no account.' }),
    tokenRequired: T.Optional(
      T.Literal(true, { description: 'Present while registering the first account requires a token.' }),
    ),
    originTrusted: T.Optional(
      T.Literal(false, {
        description:
          'Present if the server refuses changes from the page that asks, at the address it was opened at.',
      }),
    ),
  }),
)

const GET_HEALTH = openRoute('System', {
  id: 'getHealth',
  summary: 'Check that the server runs',
  answer: envelope(T.Object({ message: T.String({ examples: ['Holdfast is running'] }) })),
  facts: { limit: 'none' },
  returns: 'The server is healthy.',
  refusals: { 503: [] },
})

const GET_SETUP = openRoute('System', {
  id: 'getSetup',
  summary: 'Get the state of the instance',
  answer: SetupAnswer,
  returns: {
    description: 'State of the instance, and whether it accepts changes from the origin of the request.',
    examples: {
      'a new instance': success({ needed: true }),
      'a page that needs BASE_URL': success({ needed: false, originTrusted: false }),
    },
  },
})

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
      { ...GET_HEALTH },
    )
    .get(
      '/setup',
      async ({ request }) =>
        success({
          needed: (await store.users.count()) === 0,
          ...((await deps.setupToken.isRequired()) && { tokenRequired: true as const }),
          ...(!origins.accepts(request) && { originTrusted: false as const }),
        }),
      { ...GET_SETUP },
    )
}

/**
 * Asserts that the database responds and the volume is the one it belongs to.
 *
 * @throws {Refusal} `unavailable`.
 */
async function assertHealthy({ store }: Pick<Context, 'store'>): Promise<void> {
  const volumeId = await check('The database cannot be read', () => store.instance.get('volumeId'))
  const found = await check('The folder of stored files cannot be read', store.volumeId)
  if (found === undefined || found !== volumeId)
    throw refuseForNow('The folder of stored files is not there: is its volume mounted?', undefined)
}

async function check<Value>(problem: string, read: () => Value | PromiseLike<Value>): Promise<Value> {
  try {
    return await read()
  } catch (cause) {
    throw refuseForNow(problem, cause)
  }
}

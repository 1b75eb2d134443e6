import { Elysia } from 'elysia'
import * as T from 'typebox'
import { confirmByPassword } from '../../../access/confirmed.ts'
import type { Context } from '../../../access/context.ts'
import { ORIGIN } from '../../../access/origin.ts'
import { auth } from '../../../access/plugin.ts'
import { route } from '../../../access/route.ts'
import { both, inBothForms, jsonBody } from '../../../api/schema.ts'

export const StatusAnswer = both({ status: T.Literal(true) }, {})

const CONFIRM = route(
  'Signing in',
  { by: 'session', beforeFactor: true },
  {
    id: 'confirm',
    summary: 'Confirm a session',
    description: 'Changes of the ways in need a sign-in or a confirmation that is not older than 10 minutes.',
    takes: jsonBody(T.Object({ password: T.String() })),
    answer: StatusAnswer,
    returns: 'The session is confirmed.',
    refusals: {
      400: ['This is not your password'],
      403: ORIGIN,
      429: ['Too many requests', 'Too many wrong passwords, try again later'],
    },
  },
)

/** Builds `/api/auth/confirm`. */
export function confirmRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/auth' })
    .use(auth(deps))
    .onTransform(({ request }) => deps.origins.assertMaySign(request))
    .post(
      '/confirm',
      async ({ caller, body }) => {
        await confirmByPassword(deps, caller, body.password)
        return inBothForms({ status: true as const })
      },
      { ...CONFIRM },
    )
}

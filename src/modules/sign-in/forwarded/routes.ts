import { Elysia } from 'elysia'
import * as T from 'typebox'
import { AuthUser, authUser } from '../../../access/accounts.ts'
import type { Context } from '../../../access/context.ts'
import { ORIGIN } from '../../../access/origin.ts'
import { COOKIE, sessionCookie } from '../../../access/plugin.ts'
import { openRoute } from '../../../access/route.ts'
import { both, inBothForms } from '../../../api/schema.ts'
import { signInForwarded } from './service.ts'

const SIGN_IN_FORWARDED = openRoute('Signing in', {
  id: 'signInForwarded',
  summary: 'Sign in as the person that a proxy names',
  description:
    'For an instance behind a proxy that signs people in (`FORWARD_AUTH_HEADER`). The session holds while each request ' +
    'comes through the proxy and names the same person.',
  answer: both({ token: T.String(), user: AuthUser }, {}),
  returns: { description: 'A new session.', headers: COOKIE },
  refusals: {
    401: ['This request does not name a person by FORWARD_AUTH_HEADER', 'This account is disabled'],
    403: [
      ...ORIGIN,
      'You are in none of the groups that may sign in. Ask an admin.',
      'You have no account here. Ask an admin for one.',
    ],
    404: ['This instance has no such provider'],
  },
})

/** Builds `/api/auth/sign-in/forwarded`. */
export const forwardedRoutes = (deps: Context) =>
  new Elysia({ prefix: '/api/auth' })
    .use(sessionCookie(deps))
    .onTransform(({ request }) => deps.origins.assertMaySign(request))
    .post(
      '/sign-in/forwarded',
      async ({ request, sessionCookie }) => {
        const { token, user } = await signInForwarded(deps, request)
        sessionCookie.set(token, true)
        return inBothForms({ token, user: authUser(user) })
      },
      { ...SIGN_IN_FORWARDED },
    )

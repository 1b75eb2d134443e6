import { Elysia } from 'elysia'
import * as T from 'typebox'
import { AuthUser, authUser, type SignedIn } from '../../../access/accounts.ts'
import type { Context } from '../../../access/context.ts'
import { enter } from '../../../access/entrance.ts'
import { ORIGIN } from '../../../access/origin.ts'
import { COOKIE, sessionCookie } from '../../../access/plugin.ts'
import { openRoute } from '../../../access/route.ts'
import { signInLinks } from '../../../access/sign-in-links.ts'
import { both, inBothForms, jsonBody } from '../../../api/schema.ts'
import { type Device, deviceOf } from '../../../http/exchange.ts'
import { Refusal } from '../../../platform/errors.ts'

const SIGN_IN = openRoute('Signing in', {
  id: 'signInWithLink',
  summary: 'Sign in with a link of the operator',
  description:
    'The link of `holdfast admin sign-in-link` works once, for 10 minutes. Its token is the fragment.',
  takes: jsonBody(T.Object({ token: T.String() })),
  answer: both({ token: T.String(), user: AuthUser }, {}),
  returns: { description: 'A new session.', headers: COOKIE },
  refusals: {
    401: ['This link was used or has expired: ask for another one', 'This account is disabled'],
    403: ORIGIN,
  },
})

/** Builds `/api/auth/sign-in/link`. It takes a POST, because programs that preview links open them with GET. */
export const linkRoutes = (deps: Context) =>
  new Elysia({ prefix: '/api/auth' })
    .use(sessionCookie(deps))
    .onTransform(({ request }) => deps.origins.assertMaySign(request))
    .post(
      '/sign-in/link',
      async ({ body, request, sessionCookie }) => {
        const { token, user } = await signInWithLink(deps, body.token, deviceOf(request))
        sessionCookie.set(token, false)
        return inBothForms({ token, user: authUser(user) })
      },
      { ...SIGN_IN },
    )

/** Signs in the account of a link, and ends the link. @throws {Refusal} `link-over`; `account-disabled`. */
async function signInWithLink(deps: Context, token: string, device: Device): Promise<SignedIn> {
  const links = signInLinks(deps)
  const found = await deps.store.read(() => links.find(token))
  if (!found?.userId) throw new Refusal('link-over')
  const entry = { device, remembered: false, way: 'link' } as const
  const signedIn = await enter(deps, found.userId, entry, function* () {
    if (!(yield* links.take(token))) throw new Refusal('link-over')
  })
  deps.securityLog.record({ type: 'sign-in-link.used', account: signedIn.user, device })
  return signedIn
}

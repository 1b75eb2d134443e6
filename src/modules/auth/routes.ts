import { Elysia } from 'elysia'
import { authUser, type SignedIn } from '../../access/accounts.ts'
import type { Context } from '../../access/context.ts'
import { ORIGIN } from '../../access/origin.ts'
import { COOKIE, openToAll, sessionCookie } from '../../access/plugin.ts'
import { findSession } from '../../access/sessions.ts'
import { takes } from '../../api/body.ts'
import { documented } from '../../api/openapi/described.ts'
import { deviceOf } from '../../http/exchange.ts'
import {
  authSession,
  SessionAnswer,
  SignInAnswer,
  SignInBody,
  SignOutAnswer,
  SignUpAnswer,
  SignUpBody,
} from './model.ts'
import { assertRegistrationOpen, signIn, signOut, signUp } from './service.ts'

const SETUP_TOKEN = 'Registering requires the setup token of this instance as "setupToken"'

/**
 * Builds `/api/auth`: registering, signing in and out, in the protocol of better-auth's clients and
 * enveloped.
 */
export function authRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/auth' })
    .use(sessionCookie(deps))
    .onTransform(({ request }) => deps.origins.assertMaySign(request))
    .post(
      '/sign-up/email',
      async ({ body, request, sessionCookie }) => {
        const signedIn = await signUp(deps, body, deviceOf(request))
        sessionCookie.set(signedIn.token, true)
        return inBothForms(signedInView(signedIn))
      },
      {
        ...openToAll(
          documented('Signing in', {
            id: 'signUp',
            summary: 'Register the first account',
            description:
              'Creates an admin. Afterwards registration is closed: admins add further accounts. If `GET /api/setup` returns ' +
              '`tokenRequired`, send the `setupToken` that the operator set or that the server printed at its start.',
            returns: { description: 'The account, signed in.', headers: COOKIE },
            refusals: {
              403: [...ORIGIN, 'Registration is closed: an administrator adds further accounts', SETUP_TOKEN],
            },
          }),
        ),
        // Before the body is validated, because a closed registration reveals nothing about its fields.
        transform: async () => {
          await deps.store.read(() => assertRegistrationOpen(deps))
        },
        ...takes(SignUpBody),
        response: { 200: SignUpAnswer },
      },
    )
    .post(
      '/sign-in/email',
      async ({ body, request, sessionCookie }) => {
        const signedIn = await signIn(deps, body, deviceOf(request))
        sessionCookie.set(signedIn.token, body.rememberMe ?? true)
        return { ...inBothForms(signedInView(signedIn)), redirect: false }
      },
      {
        ...openToAll(
          documented('Signing in', {
            id: 'signIn',
            summary: 'Sign in',
            description: 'With `rememberMe: false` the cookie ends with the browser; true by default.',
            returns: { description: 'A new session.', headers: COOKIE },
            refusals: {
              401: ['Invalid email or password'],
              403: ORIGIN,
              429: ['Too many requests', 'Too many wrong passwords, try again later'],
            },
          }),
        ),
        ...takes(SignInBody),
        response: { 200: SignInAnswer },
      },
    )
    .post(
      '/sign-out',
      async ({ request, sessionCookie }) => {
        const open = await deps.store.read(() => findSession(deps, sessionCookie.token() ?? ''))
        if (open) await signOut(deps, open, deviceOf(request))
        sessionCookie.clear()
        return { data: null, error: null, success: true }
      },
      {
        ...openToAll(
          documented('Signing in', {
            id: 'signOut',
            summary: 'Sign out',
            description: 'Also succeeds without a session.',
            returns: { description: 'The session has ended.', headers: COOKIE },
            refusals: { 403: ORIGIN },
          }),
        ),
        response: { 200: SignOutAnswer },
      },
    )
    .resolve(async ({ sessionCookie }) => ({
      open: await deps.store.read(() => findSession(deps, sessionCookie.token() ?? '')),
    }))
    .get(
      '/get-session',
      ({ open, sessionCookie }) => {
        // The framework would turn a bare `null` into a response without a body.
        if (!open) return Response.json(null)
        const session = sessionCookie.extend(open.session)
        return inBothForms({ session: authSession(session), user: authUser(open.user) })
      },
      {
        ...openToAll(
          documented('Signing in', {
            id: 'getSession',
            summary: 'Get the session of this device',
            returns: 'The session and its account, or null when signed out.',
          }),
        ),
        response: { 200: SessionAnswer },
      },
    )
}

const signedInView = ({ token, user }: SignedIn) => ({ token, user: authUser(user) })

const inBothForms = <Data extends object>(data: Data) => ({ data, error: null, ...data })

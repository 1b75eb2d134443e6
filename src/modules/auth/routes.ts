import { Elysia } from 'elysia'
import { authUser, type SignedIn } from '../../access/accounts.ts'
import type { Context } from '../../access/context.ts'
import { openToAll, sessionCookie } from '../../access/plugin.ts'
import { findSession } from '../../access/sessions.ts'
import { takes } from '../../api/body.ts'
import { deviceOf } from '../../http/exchange.ts'
import * as docs from './docs.ts'
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
        ...openToAll(docs.signUp),
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
      { ...openToAll(docs.signIn), ...takes(SignInBody), response: { 200: SignInAnswer } },
    )
    .post(
      '/sign-out',
      async ({ request, sessionCookie }) => {
        const open = await deps.store.read(() => findSession(deps, sessionCookie.token() ?? ''))
        if (open) await signOut(deps, open, deviceOf(request))
        sessionCookie.clear()
        return { data: null, error: null, success: true }
      },
      { ...openToAll(docs.signOut), response: { 200: SignOutAnswer } },
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
      { ...openToAll(docs.getSession), response: { 200: SessionAnswer } },
    )
}

const signedInView = ({ token, user }: SignedIn) => ({ token, user: authUser(user) })

const inBothForms = <Data extends object>(data: Data) => ({ data, error: null, ...data })

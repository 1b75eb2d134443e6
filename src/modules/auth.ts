import { Elysia } from 'elysia'
import * as T from 'typebox'
import {
  AuthSession,
  AuthUser,
  authSession,
  authUser,
  newAccount,
  type SignedIn,
} from '../access/accounts.ts'
import type { Context } from '../access/context.ts'
import { beginSecondStep, enter, isTrustedBrowser } from '../access/entrance.ts'
import { FACTORS, type Factor } from '../access/factors.ts'
import { findHeldSession } from '../access/forward-auth.ts'
import { ORIGIN } from '../access/origin.ts'
import { assertAcceptable } from '../access/passwords.ts'
import { COOKIE, type SideCookies, sessionCookie } from '../access/plugin.ts'
import { EmailField, NameField, PasswordField, readEmail, readName } from '../access/profile.ts'
import { openRoute } from '../access/route.ts'
import { findSession, newSession, type OpenSession } from '../access/sessions.ts'
import { verifySignIn } from '../access/sign-in-tries.ts'
import { answer, both, inBothForms, jsonBody, oneOf } from '../api/schema.ts'
import { type Device, deviceOf } from '../http/exchange.ts'
import { Refusal } from '../platform/errors.ts'
import { done, type SessionRow, type Work } from '../store/rows.ts'

const SignUpBody = jsonBody(
  T.Object({
    name: NameField,
    email: EmailField,
    password: PasswordField,
    setupToken: T.Optional(
      T.String({ description: 'Required when `GET /api/setup` returns `tokenRequired`.' }),
    ),
  }),
)
export type SignUp = T.Static<typeof SignUpBody.schema>

const SignInBody = jsonBody(
  T.Object({ email: T.String(), password: T.String(), rememberMe: T.Optional(T.Boolean()) }),
)
export type SignIn = T.Static<typeof SignInBody.schema>

const account = { token: T.String(), user: AuthUser }
const SignUpAnswer = both(account, {})
const SecondStep = T.Object({
  twoFactorRedirect: T.Literal(true),
  twoFactorMethods: T.Array(oneOf(FACTORS)),
})
export const SignInAnswer = answer(
  T.Union([
    both(account, { redirect: T.Boolean({ examples: [false] }) }).schema,
    both(SecondStep.properties, {}).schema,
  ]),
)
const signOutUrl = {
  logoutUrl: T.String({
    description: 'Where to sign out of the provider, after a session by it.',
    examples: ['https://auth.example.com/logout?client_id=holdfast'],
  }),
}
const SignOutAnswer = answer(
  T.Union([
    T.Object({ data: T.Null(), error: T.Null(), success: T.Boolean() }),
    both(signOutUrl, { success: T.Boolean() }).schema,
  ]),
)
export const SessionAnswer = answer(
  T.Union([
    T.Null(),
    T.Object({
      data: T.Object({ session: AuthSession, user: AuthUser }),
      error: T.Null(),
      session: AuthSession,
      user: AuthUser,
    }),
  ]),
)

/** Context with what the other ways to sign in know. */
interface AuthContext extends Context {
  secondFactorsOf: (userId: string) => Work<Factor[]>
  /** Returns the address at which to sign out of the provider as well, after a session by it. */
  signOutUrl: (session: SessionRow) => Promise<string | undefined>
}

const SETUP_TOKEN = 'Registering requires the setup token of this instance as "setupToken"'

const SIGN_UP = openRoute('Signing in', {
  id: 'signUp',
  summary: 'Register the first account',
  description:
    'Creates an admin. Afterwards registration is closed: admins add further accounts. If `GET /api/setup` returns ' +
    '`tokenRequired`, send the `setupToken` that the operator set or that the server printed at its start.',
  takes: SignUpBody,
  answer: SignUpAnswer,
  returns: { description: 'The account, signed in.', headers: COOKIE },
  refusals: {
    403: [...ORIGIN, 'Registration is closed. Ask an admin for an account.', SETUP_TOKEN],
  },
})

const SIGN_IN = openRoute('Signing in', {
  id: 'signIn',
  summary: 'Sign in',
  description:
    'With `rememberMe: false` the cookie ends with the browser; true by default. An account with a second factor gets ' +
    '`twoFactorRedirect` instead of a session, and a cookie for the second step, which must follow within 10 minutes.',
  takes: SignInBody,
  answer: SignInAnswer,
  returns: { description: 'A new session.', headers: COOKIE },
  refusals: {
    401: ['Invalid email or password', 'This account is disabled'],
    403: [...ORIGIN, 'This instance does not let this account sign in with a password'],
    429: ['Too many requests', 'Too many wrong passwords, try again later'],
  },
})

const SIGN_OUT = openRoute('Signing in', {
  id: 'signOut',
  summary: 'Sign out',
  description: 'Also succeeds without a session.',
  answer: SignOutAnswer,
  returns: { description: 'The session has ended.', headers: COOKIE },
  refusals: { 403: ORIGIN },
})

const GET_SESSION = openRoute('Signing in', {
  id: 'getSession',
  summary: 'Get the session of this device',
  answer: SessionAnswer,
  returns: 'The session and its account, or null when signed out.',
})

/**
 * Builds `/api/auth`: registering, signing in and out, in the protocol of better-auth's clients and
 * enveloped.
 */
export function authRoutes(deps: AuthContext) {
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
        ...SIGN_UP,
        // Before the body is validated, because a closed registration reveals nothing about its fields.
        transform: async () => {
          await deps.store.read(() => assertRegistrationOpen(deps))
        },
      },
    )
    .post(
      '/sign-in/email',
      async ({ body, request, sessionCookie, cookies }) => {
        const signedIn = await signIn(deps, body, { device: deviceOf(request), cookies })
        if (!('token' in signedIn)) return inBothForms(signedIn)
        sessionCookie.set(signedIn.token, body.rememberMe ?? true)
        return { ...inBothForms(signedInView(signedIn)), redirect: false }
      },
      { ...SIGN_IN },
    )
    .post(
      '/sign-out',
      async ({ request, sessionCookie }) => {
        const open = await deps.store.read(() => findSession(deps, sessionCookie.token() ?? ''))
        if (open) await signOut(deps, open, deviceOf(request))
        sessionCookie.clear()
        const logoutUrl = open && (await deps.signOutUrl(open.session))
        if (logoutUrl === undefined) return { data: null, error: null, success: true }
        return { ...inBothForms({ logoutUrl }), success: true }
      },
      { ...SIGN_OUT },
    )
    .resolve(async ({ sessionCookie, request }) => ({
      open: await deps.store.read(() => findHeldSession(deps, request, sessionCookie.token() ?? '')),
    }))
    .get(
      '/get-session',
      ({ open, sessionCookie }) => {
        // The framework would turn a bare `null` into a response without a body.
        if (!open) return Response.json(null)
        const session = sessionCookie.extend(open.session)
        return inBothForms({ session: authSession(session), user: authUser(open.user) })
      },
      { ...GET_SESSION },
    )
}

const signedInView = ({ token, user }: SignedIn) => ({ token, user: authUser(user) })

/**
 * Asserts that there is no account yet.
 *
 * @throws {Refusal} `forbidden` once there is one.
 */
function* assertRegistrationOpen({ store }: Pick<Context, 'store'>): Work<void> {
  if ((yield* store.users.count()) === 0) return
  throw new Refusal('registration-closed')
}

/**
 * Registers the first account, as admin, and signs it in.
 *
 * @throws {Refusal} `forbidden` once there is an account, or without the required token; `invalid`.
 */
async function signUp(deps: Context, sent: SignUp, device: Device): Promise<SignedIn> {
  const { store, passwords } = deps
  deps.setupToken.assertSent(sent.setupToken)
  const [name, email] = [readName(sent.name), readEmail(sent.email)]
  await assertAcceptable(sent.password, 'password')
  const passwordHash = await passwords.hash(sent.password)

  const user = newAccount(deps, { name, email, passwordHash, role: 'admin' })
  const { token, row } = newSession(deps, user.id, { ...device, remembered: true, way: 'password' })
  await store.transact(function* () {
    // Hashing took a while, so another first registration may have come in between.
    yield* assertRegistrationOpen(deps)
    yield* store.users.insert(user)
    yield* store.sessions.insert(row)
  })
  deps.securityLog.record({ type: 'account.registered', account: user, device })
  return { token, user }
}

/** Signs in with e-mail and password. @throws {Refusal} as `verifySignIn`. */
async function signIn(
  deps: AuthContext,
  { email, password, rememberMe = true }: SignIn,
  { device, cookies }: { device: Device; cookies: SideCookies },
): Promise<SignedIn | T.Static<typeof SecondStep>> {
  const user = await verifySignIn(deps, { email, password, device })
  if (user.secondFactor && !(await isTrustedBrowser(deps, cookies, user.id))) {
    await beginSecondStep(deps, cookies, { user, remembered: rememberMe })
    const twoFactorMethods = await deps.store.read(() => deps.secondFactorsOf(user.id))
    return { twoFactorRedirect: true, twoFactorMethods }
  }
  const entry = { device, remembered: rememberMe, way: 'password' } as const
  return await enter(deps, user.id, entry, (current) => {
    // Hashing took a while: the account may have been deleted or given another password or a second factor.
    if (current?.passwordHash !== user.passwordHash || current.secondFactor !== user.secondFactor)
      throw invalidSignIn()
    return done(undefined)
  })
}

/** Ends a session at its owner's request. */
async function signOut(deps: Context, { session, user }: OpenSession, device: Device): Promise<void> {
  await deps.store.transact(() => deps.store.sessions.remove(session.id))
  deps.securityLog.record({ type: 'sign-out', account: user, device })
}

const invalidSignIn = () => new Refusal('invalid-email-or-password')

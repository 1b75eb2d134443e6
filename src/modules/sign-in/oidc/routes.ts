import { Elysia } from 'elysia'
import { assertConfirmed } from '../../../access/confirmed.ts'
import type { Context } from '../../../access/context.ts'
import { ORIGIN } from '../../../access/origin.ts'
import { auth, MANAGE, sessionCookie, WAYS_IN } from '../../../access/plugin.ts'
import { openRoute, route } from '../../../access/route.ts'
import { done, emptyEnvelope, inBothForms, success } from '../../../api/schema.ts'
import { deviceOf } from '../../../http/exchange.ts'
import { STATUS, StatusAnswer } from '../status.ts'
import { logOut } from './logout.ts'
import {
  BeginAnswer,
  BeginBody,
  LinkedAccountsAnswer,
  LogoutBody,
  PROVIDER,
  ProviderSettingsAnswer,
  SIGN_IN_CODES,
  TriedAnswer,
  UnlinkBody,
} from './model.ts'
import { redirectUrlOf } from './provider.ts'
import { begin, finish, linkedAccounts, type Oidc, requireOidc, unlink } from './sign-in.ts'

const UNAVAILABLE = 'The provider cannot be reached: sign in another way, or try again soon'
const NO_PROVIDER = 'This instance has no such provider'
const CONFIRM = 'Confirm that it is you, then try again'
const PATHS = '"callbackURL" must be a path of this instance, such as /files'

const BEGIN = openRoute('Signing in', {
  id: 'signInWithProvider',
  summary: 'Begin to sign in with a provider',
  description:
    'Returns the address at which the browser continues: the provider’s, or the sign-in page at `BASE_URL` for a page of ' +
    'another origin. The person has 10 minutes there.',
  takes: BeginBody,
  answer: BeginAnswer,
  returns: 'Where to continue. A cookie belongs to it.',
  refusals: {
    400: [PATHS],
    403: ORIGIN,
    404: [NO_PROVIDER],
    429: ['Too many requests'],
    503: [UNAVAILABLE],
  },
})

const CALLBACK = openRoute('Signing in', {
  id: 'finishSignInWithProvider',
  summary: 'Finish signing in with a provider',
  description:
    'The provider leads browsers here. A failure leads to `errorCallbackURL` with `error`, which is one of ' +
    `${SIGN_IN_CODES.map((code) => `\`${code}\``).join(', ')}.`,
  responses: {
    302: {
      description: 'Signed in, or not.',
      headers: {
        'Set-Cookie': {
          description: 'The session, after a sign-in.',
          required: false,
          schema: { type: 'string' },
          example: 'better-auth.session_token=q3…; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax',
        },
        Location: {
          description: 'Page to continue at.',
          required: true,
          schema: { type: 'string' },
          example: 'https://files.example.com/files',
        },
      },
    },
  },
  refusals: { 404: [NO_PROVIDER] },
})

const LOGOUT = openRoute('Signing in', {
  id: 'signOutByProvider',
  summary: 'End the sessions of a person that signed out at the provider',
  description:
    'The provider calls this (OpenID Connect Back-Channel Logout 1.0). Ends the sessions that began with the session `sid` ' +
    'of the token, or all that the provider signed in for its `sub`. A token counts once, for 5 minutes.',
  takesForm: true,
  takes: LogoutBody,
  answer: emptyEnvelope,
  returns: 'The sessions have ended.',
  refusals: {
    400: ['The logout token is not valid', 'The logout token was used before'],
    404: [NO_PROVIDER],
    429: ['Too many requests'],
    503: [UNAVAILABLE],
  },
})

const LINK = route('Signing in', WAYS_IN, {
  id: 'linkProvider',
  summary: 'Begin to link the account to a provider',
  takes: BeginBody,
  answer: BeginAnswer,
  returns: 'Where to continue. A cookie belongs to it.',
  refusals: {
    400: [PATHS],
    403: [CONFIRM],
    404: [NO_PROVIDER],
    429: ['Too many requests'],
    503: [UNAVAILABLE],
  },
})

const UNLINK = route('Signing in', WAYS_IN, {
  id: 'unlinkProvider',
  summary: 'Unlink the account from a provider',
  example: { providerId: 'oidc' },
  takes: UnlinkBody,
  answer: StatusAnswer,
  returns: 'The account signs in with what it has left.',
  refusals: {
    400: ['This is the last way in of the account', 'The account is not linked to that provider'],
    403: [CONFIRM],
  },
})

const LIST = route('Signing in', WAYS_IN, {
  id: 'listLinkedAccounts',
  summary: 'List the ways of the account: its password, and providers',
  answer: LinkedAccountsAnswer,
  returns: 'The ways, as better-auth’s clients read them.',
})

/** Builds the routes of signing in with a provider, in the protocol of better-auth's clients. */
export const oidcRoutes = (deps: Context, oidc: Oidc | undefined) =>
  new Elysia({ prefix: '/api/auth' })
    .use(strangerRoutes(deps, oidc))
    .use(ownRoutes(deps, oidc))
    .post(
      '/backchannel-logout/oidc',
      ({ request, body: { logout_token } }) => {
        const [token = ''] = logout_token
        return done(logOut(deps, requireOidc(oidc), { token, device: deviceOf(request) }))
      },
      { ...LOGOUT },
    )

const GET_PROVIDERS = route('Instance', MANAGE, {
  id: 'getProviderSettings',
  summary: 'Get the providers to sign in with',
  answer: ProviderSettingsAnswer,
  returns: 'The providers, which the environment sets.',
})

const TRY_PROVIDER = route('Instance', MANAGE, {
  id: 'tryProvider',
  summary: 'Ask the provider for its metadata now',
  answer: TriedAnswer,
  returns: 'What is wrong with it.',
  refusals: { 404: [NO_PROVIDER] },
})

/** Builds `/api/settings/sign-in`: what an admin needs to set a provider up. */
export const providerSettingRoutes = (deps: Context, oidc: Oidc | undefined) =>
  new Elysia({ prefix: '/api/settings/sign-in' })
    .use(auth(deps))
    .get(
      '/',
      () =>
        success({
          redirectUrl: redirectUrlOf(deps.config),
          providers: oidc ? [{ id: PROVIDER, name: oidc.config.name, issuer: oidc.config.issuer }] : [],
        }),
      { ...GET_PROVIDERS },
    )
    .post('/try', async () => success({ problem: (await requireOidc(oidc).provider.problem()) ?? null }), {
      ...TRY_PROVIDER,
    })

const strangerRoutes = (deps: Context, oidc: Oidc | undefined) =>
  new Elysia()
    .use(sessionCookie(deps))
    .onTransform(({ request }) => deps.origins.assertMaySign(request))
    .post(
      '/sign-in/social',
      async ({ body: sent, request, cookies }) => {
        const url = await begin(deps, requireOidc(oidc), { request, cookies, sent })
        return inBothForms({ url, redirect: true as const })
      },
      { ...BEGIN },
    )
    .get(
      '/callback/oidc',
      async ({ request, cookies, sessionCookie, redirect }) => {
        const callback = { request, cookies, sessionToken: sessionCookie.token }
        const { location, token } = await finish(deps, requireOidc(oidc), callback)
        if (token !== undefined) sessionCookie.set(token, true)
        return redirect(location, 302)
      },
      { ...CALLBACK },
    )

const ownRoutes = (deps: Context, oidc: Oidc | undefined) =>
  new Elysia()
    .use(auth(deps))
    .post(
      '/link-social',
      async ({ body: sent, request, cookies, caller }) => {
        assertConfirmed(deps, caller)
        const url = await begin(deps, requireOidc(oidc), { request, cookies, sent, caller })
        return inBothForms({ url, redirect: true as const })
      },
      { ...LINK },
    )
    .post(
      '/unlink-account',
      async ({ body, caller }) => {
        assertConfirmed(deps, caller)
        await unlink(deps, caller, body)
        return STATUS
      },
      { ...UNLINK },
    )
    .get('/list-accounts', ({ caller }) => linkedAccounts(deps, caller.user), { ...LIST })

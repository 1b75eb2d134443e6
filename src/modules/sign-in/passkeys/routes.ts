import { Elysia } from 'elysia'
import { authSession, authUser } from '../../../access/accounts.ts'
import type { Context } from '../../../access/context.ts'
import { findHeldSession } from '../../../access/forward-auth.ts'
import { ORIGIN } from '../../../access/origin.ts'
import { auth, COOKIE, openToAll, sessionCookie, WAYS_IN } from '../../../access/plugin.ts'
import { openRoute, route } from '../../../access/route.ts'
import { findSession } from '../../../access/sessions.ts'
import { inBothForms } from '../../../api/schema.ts'
import { deviceOf } from '../../../http/exchange.ts'
import { ERROR_CODES } from '../../../platform/error-codes.ts'
import { STATUS, StatusAnswer } from '../status.ts'
import {
  AddBody,
  AddedAnswer,
  AddQuery,
  CreationAnswer,
  ListAnswer,
  ProofBody,
  ProofQuery,
  passkeyView,
  RemoveBody,
  RenameBody,
  RenamedAnswer,
  RequestAnswer,
  SecondFactorBody,
  SignedInAnswer,
} from './model.ts'
import {
  addPasskey,
  CODES_FIRST,
  creationOptions,
  removePasskey,
  renamePasskey,
  requestOptions,
  setSecondFactor,
  signInByPasskey,
} from './service.ts'
import { relyingPartyOf } from './webauthn.ts'

const UNAVAILABLE = ERROR_CODES['passkeys-unavailable'][1]
const NO_CHALLENGE = ERROR_CODES['challenge-not-found'][1]
const NOT_FOUND = [ERROR_CODES['passkey-not-found'][1]]
const MUST_HAVE = ERROR_CODES['last-factor'][1]
const CONFIRM = ERROR_CODES['confirmation-required'][1]
const MANY = 'An account has at most 20 passkeys'

const CREATION = route('Signing in', WAYS_IN, {
  id: 'getPasskeyCreationOptions',
  summary: 'Begin to add a passkey',
  query: AddQuery,
  answer: CreationAnswer,
  returns: {
    description: 'Options for `navigator.credentials.create()`, valid for 5 minutes in this browser.',
    headers: COOKIE,
  },
  refusals: { 400: [UNAVAILABLE], 403: [CONFIRM], 409: [MANY] },
})

const ADD = route('Signing in', WAYS_IN, {
  id: 'addPasskey',
  summary: 'Add a passkey',
  description: 'Without a `name` it is called "Passkey".',
  takes: AddBody,
  answer: AddedAnswer,
  returns: 'The passkey.',
  refusals: {
    400: [ERROR_CODES['failed-to-verify-registration'][1], NO_CHALLENGE, UNAVAILABLE],
    403: [...ORIGIN, CONFIRM],
    409: [MANY, ERROR_CODES['previously-registered'][1]],
  },
})

const REQUEST = openRoute('Signing in', {
  id: 'getPasskeyRequestOptions',
  summary: 'Begin to sign in with a passkey',
  query: ProofQuery,
  answer: RequestAnswer,
  returns: {
    description: 'Options for `navigator.credentials.get()`, valid for 5 minutes in this browser.',
    headers: COOKIE,
  },
  refusals: {
    400: [UNAVAILABLE],
    401: [ERROR_CODES['second-step-missing'][1], 'Unauthorized'],
  },
})

const SIGN_IN = openRoute('Signing in', {
  id: 'signInByPasskey',
  summary: 'Sign in with a passkey',
  description:
    'A passkey signs in by itself, also where the account has a second factor, because it verifies the person. With ' +
    'options for the `second-step` it finishes a sign-in with a password.',
  takes: ProofBody,
  answer: SignedInAnswer,
  returns: { description: 'The new session and its account.', headers: COOKIE },
  refusals: {
    400: [NO_CHALLENGE, UNAVAILABLE],
    401: [
      ERROR_CODES['authentication-failed'][1],
      ERROR_CODES['second-step-missing'][1],
      ERROR_CODES['account-disabled'][1],
    ],
    403: ORIGIN,
    404: NOT_FOUND,
  },
})

const LIST = route('Signing in', WAYS_IN, {
  id: 'listPasskeys',
  summary: 'List the caller’s passkeys',
  answer: ListAnswer,
  returns: 'The passkeys, the oldest first.',
})

const RENAME = route('Signing in', WAYS_IN, {
  id: 'renamePasskey',
  summary: 'Rename a passkey',
  takes: RenameBody,
  answer: RenamedAnswer,
  returns: 'The renamed passkey.',
  refusals: { 403: ORIGIN, 404: NOT_FOUND },
})

const REMOVE = route('Signing in', WAYS_IN, {
  id: 'deletePasskey',
  summary: 'Delete a passkey',
  description: 'Without any second factor left, the password signs in by itself again.',
  takes: RemoveBody,
  answer: StatusAnswer,
  returns: 'The passkey is deleted.',
  refusals: {
    400: ['This is the last way in of the account'],
    403: [...ORIGIN, CONFIRM, MUST_HAVE],
    404: NOT_FOUND,
  },
})

const SECOND_FACTOR = route('Signing in', WAYS_IN, {
  id: 'setPasskeyAsSecondFactor',
  summary: 'Ask for a passkey after the password',
  takes: SecondFactorBody,
  answer: StatusAnswer,
  returns: 'The next sign-in with the password asks for a passkey, or no longer does.',
  refusals: {
    403: [...ORIGIN, CONFIRM, MUST_HAVE],
    404: NOT_FOUND,
    409: [CODES_FIRST],
  },
})

/** Builds `/api/auth/passkey`, in the protocol of better-auth's passkey client. */
export function passkeyRoutes(deps: Context) {
  const { origins, store } = deps
  return new Elysia({ prefix: '/api/auth/passkey' })
    .use(sessionCookie(deps))
    .use(auth(deps))
    .get(
      '/generate-register-options',
      async ({ caller, cookies, query: { authenticatorAttachment: attachment } }) =>
        inBothForms(await creationOptions(deps, caller, { cookies, attachment })),
      { ...CREATION },
    )
    .post(
      '/verify-registration',
      async ({ caller, cookies, body }) =>
        inBothForms(passkeyView(await addPasskey(deps, caller, { cookies, ...body }))),
      { ...ADD },
    )
    .get(
      '/list-user-passkeys',
      async ({ caller }) => (await store.passkeys.ofUser(caller.user.id)).map(passkeyView),
      { ...LIST },
    )
    .post(
      '/update-passkey',
      async ({ caller, body }) =>
        inBothForms({ passkey: passkeyView(await renamePasskey(deps, caller, body)) }),
      { ...RENAME },
    )
    .post(
      '/delete-passkey',
      async ({ caller, body }) => {
        await removePasskey(deps, caller, body.id)
        return STATUS
      },
      { ...REMOVE },
    )
    .post(
      '/second-factor',
      async ({ caller, body }) => {
        await setSecondFactor(deps, caller, body.enabled)
        return STATUS
      },
      { ...SECOND_FACTOR },
    )
    .onTransform(({ request }) => origins.assertMaySign(request))
    .get(
      '/generate-authenticate-options',
      async ({ request, cookies, sessionCookie, query: { purpose = 'sign-in' } }) => {
        const open = await store.read(() => findHeldSession(deps, request, sessionCookie.token() ?? ''))
        const userId = open?.user.id ?? null
        return inBothForms(await requestOptions(deps, cookies, { purpose, userId }))
      },
      { ...REQUEST },
    )
    .post(
      '/verify-authentication',
      async ({ request, cookies, sessionCookie, body }) => {
        const signedIn = await signInByPasskey(deps, body, { device: deviceOf(request), cookies })
        const open = await store.read(() => findSession(deps, signedIn.token))
        if (!open) throw new Error('A new session is gone')
        sessionCookie.set(signedIn.token, signedIn.remembered)
        return inBothForms({ session: authSession(open.session), user: authUser(open.user) })
      },
      { ...SIGN_IN },
    )
}

/** Builds `/.well-known/webauthn`: the origins that may use the passkeys of this one (WebAuthn, section 5.11). */
export const originRoutes = ({ config }: Pick<Context, 'config'>) =>
  new Elysia().get(
    '/.well-known/webauthn',
    () => ({ origins: relyingPartyOf(config)?.origins ?? [] }),
    openToAll({}),
  )

import { Elysia } from 'elysia'
import * as T from 'typebox'
import { AuthUser, authUser } from '../../../access/accounts.ts'
import { identify } from '../../../access/caller.ts'
import type { Context } from '../../../access/context.ts'
import { isAtSecondStep } from '../../../access/entrance.ts'
import { ORIGIN } from '../../../access/origin.ts'
import { auth, COOKIE, WAYS_IN } from '../../../access/plugin.ts'
import { openRoute, route } from '../../../access/route.ts'
import { both, inBothForms, jsonBody } from '../../../api/schema.ts'
import { deviceOf } from '../../../http/exchange.ts'
import { ERROR_CODES } from '../../../platform/error-codes.ts'
import { STATUS, StatusAnswer } from '../status.ts'
import {
  confirmByCode,
  disableCodes,
  enableCodes,
  renewRecoveryCodes,
  signInByCode,
  signInByRecoveryCode,
  waitsForFirstCode,
} from './service.ts'

const PasswordBody = jsonBody(
  T.Object({
    password: T.Optional(
      T.String({ description: 'Needed unless the session was confirmed in the last 10 minutes.' }),
    ),
  }),
)

const EnableBody = jsonBody(
  T.Object({
    ...PasswordBody.schema.properties,
    replace: T.Optional(
      T.Boolean({ description: 'True to replace an app that works, such as that of an old phone.' }),
    ),
  }),
)

const CodeBody = jsonBody(
  T.Object({
    code: T.String({ maxLength: 64, examples: ['492039'] }),
    trustDevice: T.Optional(
      T.Boolean({ description: 'True to skip the second step in this browser for 30 days.' }),
    ),
  }),
)

export type CodeFields = T.Static<typeof CodeBody.schema>

const APP =
  'otpauth://totp/files.example.com:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=files.example.com'
const BackupCodes = T.Array(T.String({ examples: ['KQWX-HTPA-ZNEB'] }))
export const EnableAnswer = both(
  { method: T.Literal('totp'), totpURI: T.String({ examples: [APP] }), backupCodes: BackupCodes },
  {},
)
const CodesAnswer = both({ status: T.Literal(true), backupCodes: BackupCodes }, {})
export const EnteredAnswer = both({ token: T.String(), user: AuthUser }, {})

const CONFIRM = 'Confirm that it is you, then try again'
const WRONG_PASSWORD = 'This is not your password'
const MANY = ['Too many requests', 'Too many wrong passwords, try again later']
const LOCKED = 'Too many wrong codes in a row: codes of this account are locked for 15 minutes'
const STEP = 'The second step has no sign-in to finish, or it took too long: sign in again'
const TRIES = 'Too many wrong codes: sign in again'
const NONE = 'This account has no codes that can be verified'

const ENABLE = route('Signing in', WAYS_IN, {
  id: 'enableTwoFactor',
  summary: 'Add an authenticator app',
  description:
    'Returns the secret for the app, as an address for a QR code, and ten recovery codes. Neither is shown again. Codes ' +
    'are asked for once `POST /api/auth/two-factor/verify-totp` got the first right one from this session.',
  example: { password: 'correct horse battery staple' },
  takes: EnableBody,
  answer: EnableAnswer,
  returns: 'The app to add, and recovery codes.',
  refusals: { 400: [WRONG_PASSWORD, 'Codes are enabled already'], 403: [...ORIGIN, CONFIRM], 429: MANY },
})

const DISABLE = route('Signing in', WAYS_IN, {
  id: 'disableTwoFactor',
  summary: 'Remove the authenticator app',
  description:
    'An account with passkeys is asked for one of them after its password from then on, and keeps its recovery codes: ' +
    '`POST /api/auth/passkey/second-factor` ends that. Without passkeys the recovery codes are removed, too, and the ' +
    'password alone signs in.',
  example: { password: 'correct horse battery staple' },
  takes: PasswordBody,
  answer: StatusAnswer,
  returns: 'No code is asked for.',
  refusals: {
    400: [WRONG_PASSWORD],
    403: [...ORIGIN, CONFIRM, ERROR_CODES['last-factor'][1]],
    429: MANY,
  },
})

const RENEW = route('Signing in', WAYS_IN, {
  id: 'generateBackupCodes',
  summary: 'Make new recovery codes',
  description: 'Ten codes replace those before. They are not shown again.',
  example: { password: 'correct horse battery staple' },
  takes: PasswordBody,
  answer: CodesAnswer,
  returns: 'The new recovery codes.',
  refusals: { 400: [WRONG_PASSWORD, NONE], 403: [...ORIGIN, CONFIRM], 429: MANY },
})

const VERIFY = openRoute('Signing in', {
  id: 'verifyTotp',
  summary: 'Finish signing in with a code',
  description:
    'A code works once. Five wrong ones end the sign-in, and ten in a row lock the codes of the account for 15 minutes. ' +
    'With a session, the first code enables the app that was added last; another one confirms the session.',
  takes: CodeBody,
  answer: EnteredAnswer,
  returns: { description: 'The session.', headers: COOKIE },
  refusals: {
    400: [TRIES, NONE],
    401: ['Wrong code, or one that was used already', STEP, 'This account is disabled'],
    403: ORIGIN,
    429: ['Too many requests', LOCKED],
  },
})

const VERIFY_BACKUP = openRoute('Signing in', {
  id: 'verifyBackupCode',
  summary: 'Finish signing in with a recovery code',
  description:
    'A recovery code works once, in any case, with or without hyphens. Its limits are those of codes.',
  takes: CodeBody,
  answer: EnteredAnswer,
  returns: { description: 'A new session.', headers: COOKIE },
  refusals: {
    400: [TRIES],
    401: ['Wrong recovery code, or one that was used already', STEP, 'This account is disabled'],
    403: ORIGIN,
    429: ['Too many requests', LOCKED],
  },
})

/** Builds `/api/auth/two-factor`: codes of authenticator apps and recovery codes, in the protocol of better-auth's clients. */
export function codeRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/auth/two-factor' })
    .use(auth(deps))
    .post(
      '/enable',
      async ({ caller, body }) =>
        inBothForms({ method: 'totp' as const, ...(await enableCodes(deps, caller, body)) }),
      { ...ENABLE },
    )
    .post(
      '/disable',
      async ({ caller, body }) => {
        await disableCodes(deps, caller, body.password)
        return STATUS
      },
      { ...DISABLE },
    )
    .post(
      '/generate-backup-codes',
      async ({ caller, body }) => {
        const backupCodes = await renewRecoveryCodes(deps, caller, body.password)
        return inBothForms({ status: true as const, backupCodes })
      },
      { ...RENEW },
    )
    .onTransform(({ request }) => deps.origins.assertMaySign(request))
    .post(
      '/verify-totp',
      async ({ request, body, sessionCookie, cookies }) => {
        const token = sessionCookie.token()
        const caller = await identify(deps, request, () => token)
        const device = deviceOf(request)
        // An app that waits for its first code comes first: a sign-in that was left may have its cookie still.
        if (token !== undefined && caller?.via === 'session') {
          const isFirst = await waitsForFirstCode(deps, caller.user.id)
          if (isFirst || !isAtSecondStep(cookies)) {
            const proof = { code: body.code, mayEnable: isFirst }
            const user = await confirmByCode(deps, { ...caller, device }, proof)
            sessionCookie.set(token, caller.session.remembered)
            return inBothForms({ token, user: authUser(user) })
          }
        }
        const entered = await signInByCode(deps, cookies, { ...body, device })
        sessionCookie.set(entered.token, entered.remembered)
        return inBothForms({ token: entered.token, user: authUser(entered.user) })
      },
      { ...VERIFY },
    )
    .post(
      '/verify-backup-code',
      async ({ request, body, sessionCookie, cookies }) => {
        const entered = await signInByRecoveryCode(deps, cookies, { ...body, device: deviceOf(request) })
        sessionCookie.set(entered.token, entered.remembered)
        return inBothForms({ token: entered.token, user: authUser(entered.user) })
      },
      { ...VERIFY_BACKUP },
    )
}

import { Elysia } from 'elysia'
import * as T from 'typebox'
import { confirmByPassword } from '../../../access/confirmed.ts'
import type { Context } from '../../../access/context.ts'
import { ORIGIN } from '../../../access/origin.ts'
import { auth, sessionCookie, WAYS_IN } from '../../../access/plugin.ts'
import { route } from '../../../access/route.ts'
import { jsonBody } from '../../../api/schema.ts'
import { ERROR_CODES } from '../../../platform/error-codes.ts'
import { confirmByCode } from '../codes/service.ts'
import { AssertionField } from '../passkeys/model.ts'
import { confirmByPasskey } from '../passkeys/service.ts'
import { STATUS, StatusAnswer } from '../status.ts'

const CONFIRM = route('Signing in', WAYS_IN, {
  id: 'confirm',
  summary: 'Confirm a session',
  description: 'Changes of the ways in need a sign-in or a confirmation that is not older than 10 minutes.',
  takes: jsonBody(
    T.Union([
      T.Object({ password: T.String() }),
      T.Object({ code: T.String({ maxLength: 64, examples: ['492039'] }) }),
      T.Object({ response: AssertionField }),
    ]),
  ),
  answer: StatusAnswer,
  returns: 'The session is confirmed.',
  refusals: {
    400: [
      'This is not your password',
      'This account has no codes that can be verified',
      ERROR_CODES['challenge-not-found'][1],
      ERROR_CODES['passkeys-unavailable'][1],
    ],
    401: ['Wrong code, or one that was used already', ERROR_CODES['authentication-failed'][1]],
    403: ORIGIN,
    404: [ERROR_CODES['passkey-not-found'][1]],
    429: [
      'Too many requests',
      'Too many wrong passwords, try again later',
      'Too many wrong codes in a row: codes of this account are locked for 15 minutes',
    ],
  },
})

/** Builds `/api/auth/confirm`. */
export function confirmRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/auth' })
    .use(sessionCookie(deps))
    .use(auth(deps))
    .post(
      '/confirm',
      async ({ caller, body, cookies }) => {
        if ('response' in body) await confirmByPasskey(deps, caller, { cookies, ...body })
        else if ('code' in body) await confirmByCode(deps, caller, body)
        else await confirmByPassword(deps, caller, body.password)
        return STATUS
      },
      { ...CONFIRM },
    )
}

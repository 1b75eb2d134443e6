import { Elysia } from 'elysia'
import * as T from 'typebox'
import { mayHavePassword } from '../../../access/accounts.ts'
import { type LocatedCaller, requireCaller } from '../../../access/caller.ts'
import { assertConfirmed } from '../../../access/confirmed.ts'
import type { Context } from '../../../access/context.ts'
import { ORIGIN } from '../../../access/origin.ts'
import { assertAcceptable } from '../../../access/passwords.ts'
import { auth, WAYS_IN } from '../../../access/plugin.ts'
import { PasswordField } from '../../../access/profile.ts'
import { route } from '../../../access/route.ts'
import { jsonBody } from '../../../api/schema.ts'
import { ERROR_CODES } from '../../../platform/error-codes.ts'
import { Refusal } from '../../../platform/errors.ts'
import { STATUS, StatusAnswer } from '../status.ts'

const SET_PASSWORD = route('Signing in', WAYS_IN, {
  id: 'setPassword',
  summary: 'Set the first password',
  description: 'For an account that a provider or a proxy made, or one that signs in by other ways only.',
  takes: jsonBody(T.Object({ newPassword: PasswordField })),
  answer: StatusAnswer,
  returns: 'The account signs in with the password, too.',
  refusals: {
    400: [ERROR_CODES['password-already-set'][1]],
    403: [...ORIGIN, ERROR_CODES['confirmation-required'][1], ERROR_CODES['password-sign-in-off'][1]],
    429: ['Too many requests'],
  },
})

/** Builds `/api/auth/set-password`, with the fields of better-auth's endpoint of that name. */
export const passwordRoutes = (deps: Context) =>
  new Elysia({ prefix: '/api/auth' }).use(auth(deps)).post(
    '/set-password',
    async ({ caller, body }) => {
      await setPassword(deps, caller, body.newPassword)
      return STATUS
    },
    { ...SET_PASSWORD },
  )

/**
 * Gives the caller's account its first password.
 *
 * @throws {Refusal} `confirmation-required`; `password-sign-in-off`; `password-already-set`; `invalid`.
 */
async function setPassword(deps: Context, caller: LocatedCaller, newPassword: string): Promise<void> {
  const { store, clock, passwords, securityLog } = deps
  assertConfirmed(deps, caller)
  // Before the slow hash, and again in the transaction, because the account may have changed by then.
  assertHasNone(deps, caller.user)
  await assertAcceptable(newPassword, 'newPassword')
  const passwordHash = await passwords.hash(newPassword)
  await store.transact(function* () {
    const { user } = yield* requireCaller(deps, caller)
    assertHasNone(deps, user)
    yield* store.users.update(user.id, { passwordHash, updatedAt: clock.now() })
  })
  securityLog.record({ type: 'password.set', account: caller.user, device: caller.device })
}

function assertHasNone(deps: Context, user: LocatedCaller['user']): void {
  if (user.passwordHash !== '') throw new Refusal('password-already-set')
  if (!mayHavePassword(deps, user)) throw new Refusal('password-sign-in-off')
}

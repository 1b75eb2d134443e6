import { Elysia } from 'elysia'
import * as T from 'typebox'
import { mayHavePassword, mayUsePassword } from '../../../access/accounts.ts'
import { assertStillAllowed, type LocatedCaller } from '../../../access/caller.ts'
import type { Context } from '../../../access/context.ts'
import { auth, WAYS_IN } from '../../../access/plugin.ts'
import { route } from '../../../access/route.ts'
import { done, emptyEnvelope, envelope, IsoTime, named, success } from '../../../api/schema.ts'
import { iso } from '../../../platform/time.ts'
import type { Work } from '../../../store/rows.ts'
import { secondFactorsOf } from '../codes/service.ts'
import { PasskeyView, passkeyView } from '../passkeys/model.ts'

/** Schema of the ways in which an account signs in. */
const WaysInView = named(
  'WaysIn',
  T.Object({
    password: T.Boolean({ description: 'True when the account has a password.' }),
    passwordWorks: T.Boolean({ description: 'True when the account can sign in with its password here.' }),
    maySetPassword: T.Boolean({
      description: 'True when the account has no password, and this instance lets it sign in with one.',
    }),
    twoFactor: T.Boolean({ description: 'True when the password alone does not sign in.' }),
    codes: T.Boolean({ description: 'True when codes of an authenticator app are enabled.' }),
    recoveryCodes: T.Integer({ description: 'Recovery codes that have not been used.' }),
    passkeys: T.Array(PasskeyView),
    identities: T.Array(T.Object({ id: T.String(), name: T.String(), createdAt: IsoTime })),
    trustedDevices: T.Integer({ description: 'Browsers that skip the second step.' }),
  }),
  {
    password: true,
    passwordWorks: true,
    maySetPassword: false,
    twoFactor: true,
    codes: true,
    recoveryCodes: 10,
    passkeys: [],
    identities: [],
    trustedDevices: 1,
  },
)
type WaysIn = T.Static<typeof WaysInView>
export const WaysInAnswer = envelope(WaysInView)

const GET_WAYS_IN = route('Account', WAYS_IN, {
  id: 'getWaysIn',
  summary: 'Get the ways in which the caller signs in',
  answer: WaysInAnswer,
  returns: 'The ways in, without secrets.',
})

const FORGET_DEVICES = route(
  'Account',
  { by: 'session' },
  {
    id: 'forgetTrustedDevices',
    summary: 'Stop trusting the browsers that skip the second step',
    answer: emptyEnvelope,
    returns: 'The next sign-in in each of them needs the second step.',
  },
)

/** Builds `/api/me/ways-in` and `/api/me/trusted-devices`. */
export function waysInRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/me' })
    .use(auth(deps))
    .get('/ways-in', async ({ caller }) => success(await deps.store.read(() => waysIn(deps, caller))), {
      ...GET_WAYS_IN,
    })
    .delete('/trusted-devices', ({ caller }) => done(forgetDevices(deps, caller)), { ...FORGET_DEVICES })
}

function* waysIn(deps: Context, { user }: LocatedCaller): Work<WaysIn> {
  const { store, clock } = deps
  return {
    password: user.passwordHash !== '',
    passwordWorks: mayUsePassword(deps, user),
    maySetPassword: user.passwordHash === '' && mayHavePassword(deps, user),
    twoFactor: user.secondFactor,
    codes: (yield* secondFactorsOf(deps, user.id)).includes('totp'),
    recoveryCodes: yield* store.recoveryCodes.countOf(user.id),
    passkeys: (yield* store.passkeys.ofUser(user.id)).map(passkeyView),
    identities: (yield* store.identities.ofUser(user.id)).map(({ id, provider, createdAt }) => ({
      id,
      name: deps.config.signIn.oidc?.name ?? provider,
      createdAt: iso(createdAt),
    })),
    trustedDevices: yield* store.trustedDevices.countOf(user.id, clock.now()),
  }
}

const forgetDevices = (deps: Context, caller: LocatedCaller): Promise<void> =>
  deps.store.transact(function* () {
    yield* assertStillAllowed(deps, caller)
    yield* deps.store.trustedDevices.removeOfUser(caller.user.id)
  })

import { mayUsePassword } from '../../access/accounts.ts'
import type { Context } from '../../access/context.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import type { UserRow, Work } from '../../store/rows.ts'
import { relyingPartyOf } from './passkeys/webauthn.ts'

/**
 * Asserts that an account can still sign in, by a way that this instance has.
 *
 * @throws {Refusal} `invalid`.
 */
export function* assertWayIn(deps: Context, user: UserRow): Work<void> {
  const { store, config } = deps
  const { oidc, forwardAuth } = config.signIn
  if (mayUsePassword(deps, user) || forwardAuth) return
  if (relyingPartyOf(config) && (yield* store.passkeys.countOf(user.id)) > 0) return
  if (oidc && (yield* store.identities.ofUser(user.id)).length > 0) return
  throw refuseInvalid('This is the last way in of the account')
}

import { Refusal } from '../platform/errors.ts'
import type { UserRow, Work } from '../store/rows.ts'
import type { InstanceSettings } from '../store/settings.ts'
import type { Caller } from './caller.ts'
import type { Context } from './context.ts'
import type { Way } from './sessions.ts'

/** Second factors, by the names that better-auth's clients know. */
export const FACTORS = ['totp', 'passkey'] as const
export type Factor = (typeof FACTORS)[number]

/** Ways that need no second step: a provider or a proxy vouches by rules of its own, and a passkey verifies the person. */
const ENOUGH: readonly string[] = ['oidc', 'forwarded', 'passkey'] satisfies Way[]

/** Returns true for a session, or a password, of an account that must have a second factor and has none. */
export function lacksFactor(caller: Caller, { settings }: Pick<Context['store'], 'settings'>): boolean {
  if (caller.via === 'key' || caller.via === 'account' || caller.user.secondFactor) return false
  if (caller.via === 'session' && ENOUGH.includes(caller.session.way)) return false
  return mustHaveFactor(settings.current().requireSecondFactor, caller.user)
}

/** Returns true for an account that must have a second factor. */
export const mustHaveFactor = (
  required: InstanceSettings['requireSecondFactor'],
  { role }: Pick<UserRow, 'role'>,
): boolean => required === 'all' || (required === 'admins' && role === 'admin')

/**
 * Takes the second step off an account: codes and recovery codes are removed, passkeys stay.
 *
 * @throws {Refusal} `last-factor` for an account that must have one.
 */
export function* endSecondFactor(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  user: Pick<UserRow, 'id' | 'role'>,
): Work<void> {
  if (mustHaveFactor(store.settings.current().requireSecondFactor, user)) throw new Refusal('last-factor')
  yield* store.users.removeFactors(user.id, { at: clock.now(), withPasskeys: false })
}

import { Refusal } from '../platform/errors.ts'
import { done, type Work } from '../store/rows.ts'
import { isPassword, mayUsePassword } from './accounts.ts'
import { assertStillAllowed, type Caller, type LocatedCaller, sessionOf } from './caller.ts'
import type { Context } from './context.ts'

/** Time for which a sign-in or a confirmation counts, in milliseconds. */
const CONFIRMED_MS = 600_000

/**
 * Asserts that a session had a proof of identity not long ago: changes of the ways in ask for that.
 *
 * @throws {Refusal} `confirmation-required` more than ten minutes after the sign-in and the last confirmation.
 */
export function assertConfirmed({ clock }: Pick<Context, 'clock'>, caller: Caller): void {
  const { createdAt, confirmedAt } = sessionOf(caller)
  const now = clock.now()
  // A clock that was set back does not make a proof count for longer.
  const counts = (provedAt: number) => Math.abs(now - provedAt) <= CONFIRMED_MS
  if (!counts(createdAt) && !counts(confirmedAt ?? 0)) throw new Refusal('confirmation-required')
}

/** Asserts the same for changes that need a confirmation only where `CONFIRM_DANGEROUS` says so. */
export function assertConfirmedIfAsked(deps: Pick<Context, 'clock' | 'config'>, caller: Caller): void {
  if (deps.config.signIn.confirmsChanges) assertConfirmed(deps, caller)
}

/**
 * Keeps that a caller has just given proof of identity.
 *
 * @param prove Called in the transaction; a refusal rolls it back.
 * @throws {Refusal} `unauthorized` when the session has ended; what `prove` throws.
 */
export async function confirmSession(
  deps: Context,
  caller: Caller,
  prove: () => Work<void> = () => done(undefined),
): Promise<void> {
  const { store, clock } = deps
  await store.transact(function* () {
    yield* assertStillAllowed(deps, caller)
    yield* prove()
    yield* store.sessions.confirm(sessionOf(caller).id, clock.now())
  })
}

/**
 * Confirms a session by the account's password.
 *
 * @throws {Refusal} `password-wrong`; `rate-limited` after ten such in a minute.
 */
export async function confirmByPassword(
  deps: Context,
  caller: LocatedCaller,
  password: string,
): Promise<void> {
  const { id } = caller.user
  // One that cannot sign in here proves nothing either.
  const passwordHash = mayUsePassword(deps, caller.user) ? caller.user.passwordHash : undefined
  if (await isPassword(deps, password, { bucket: `password of ${id}`, passwordHash }))
    return confirmSession(deps, caller)
  const { user: account, device } = caller
  deps.securityLog.record({ type: 'sign-in.failed', account, device, detail: 'confirmation' })
  throw new Refusal('password-wrong')
}

/** Confirms a session by the password that was sent with a change; without one it must be confirmed. */
export async function assertOrConfirm(
  deps: Context,
  caller: LocatedCaller,
  password: string | undefined,
): Promise<void> {
  if (password === undefined) assertConfirmed(deps, caller)
  else await confirmByPassword(deps, caller, password)
}

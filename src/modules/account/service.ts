import { isPassword } from '../../access/accounts.ts'
import { assertStillAllowed, type Caller, type LocatedCaller, sessionOf } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { assertAcceptable } from '../../access/new-password.ts'
import { readEmail, readName } from '../../access/profile.ts'
import { refuseConflict, refuseInvalid, refuseNotFound } from '../../platform/errors.ts'
import type { SessionRow } from '../../store/rows.ts'
import type { ChangeAccount, ChangePassword } from './model.ts'

/**
 * Changes the caller's name and e-mail and returns the changed caller.
 *
 * @throws {Refusal} `invalid`; `conflict` when another account uses the e-mail; `unauthorized` when the
 *   session has ended meanwhile, like every change here.
 */
export async function changeAccount(
  deps: Context,
  caller: LocatedCaller,
  sent: ChangeAccount,
): Promise<Caller> {
  const { store, clock, securityLog } = deps
  if (sent.name === undefined && sent.email === undefined)
    throw refuseInvalid('"name" or "email" is required')
  const name = sent.name === undefined ? undefined : readName(sent.name)
  const email = sent.email === undefined ? undefined : readEmail(sent.email)
  const [before, after] = await store.transact(function* () {
    yield* assertStillAllowed(deps, caller)
    const holder = email === undefined ? undefined : yield* store.users.byEmail(email)
    if (holder && holder.id !== caller.user.id)
      throw refuseConflict('Another account uses this "email" already')
    const known = (yield* store.users.byId(caller.user.id)) ?? caller.user
    const user = yield* store.users.update(caller.user.id, { name, email, updatedAt: clock.now() })
    return [known, user ?? known]
  })
  if (before.email !== after.email) {
    const detail = `${before.email} to ${after.email}`
    securityLog.record({ type: 'email.changed', account: after, device: caller.device, detail })
  }
  return { ...caller, user: after }
}

/**
 * Changes the caller's password; with `revokeOtherSessions` it signs out every other device.
 *
 * @throws {Refusal} `invalid` when `currentPassword` is wrong; `rate_limited` after ten such in a minute.
 */
export async function changePassword(
  deps: Context,
  caller: LocatedCaller,
  sent: ChangePassword,
): Promise<void> {
  const { store, clock, passwords, securityLog } = deps
  await assertAcceptable(sent.newPassword, 'newPassword')
  const { id, passwordHash } = caller.user
  const proof = { bucket: `password of ${id}`, passwordHash }
  const event = { account: caller.user, device: caller.device }
  if (!(await isPassword(deps, sent.currentPassword, proof))) {
    securityLog.record({ type: 'password.change-failed', ...event })
    throw wrongPassword()
  }
  const newHash = await passwords.hash(sent.newPassword)
  await store.transact(function* () {
    yield* assertStillAllowed(deps, caller)
    // Hashing took a while, so the current password may have changed.
    if ((yield* store.users.byId(id))?.passwordHash !== passwordHash) throw wrongPassword()
    yield* store.users.update(id, { passwordHash: newHash, updatedAt: clock.now() })
    if (sent.revokeOtherSessions) yield* store.sessions.removeOfUser(id, sessionOf(caller).id)
  })
  securityLog.record({ type: 'password.changed', ...event })
}

const wrongPassword = () => refuseInvalid('"currentPassword" is not your current password')

/** Returns the caller's sessions: the current one, then the others by their last use. */
export async function listSessions(deps: Context, caller: Caller): Promise<SessionRow[]> {
  await deps.sessionUses.flush()
  const current = sessionOf(caller)
  const sessions = await deps.store.sessions.ofUser(caller.user.id, deps.clock.now())
  return [
    sessions.find(({ id }) => id === current.id) ?? current,
    ...sessions.filter(({ id }) => id !== current.id),
  ]
}

/**
 * Ends one of the caller's sessions.
 *
 * @throws {Refusal} `invalid` for the current one; `not_found` when it is not the caller's or has expired.
 */
export async function endSession(deps: Context, caller: LocatedCaller, id: string): Promise<void> {
  const { store, clock } = deps
  if (id === sessionOf(caller).id)
    throw refuseInvalid('"id" is the session you are using: sign out to end it')
  await store.transact(function* () {
    yield* assertStillAllowed(deps, caller)
    if (!(yield* store.sessions.own(caller.user.id, id, clock.now())))
      throw refuseNotFound('Session not found')
    yield* store.sessions.remove(id)
  })
  recordEnded(deps, caller)
}

/** Ends all of the caller's sessions but the current one, in slices. */
export async function endOtherSessions(deps: Context, caller: LocatedCaller): Promise<void> {
  const { store } = deps
  await store.removeInSlices(function* (limit) {
    yield* assertStillAllowed(deps, caller)
    return yield* store.sessions.removeOthers(caller.user.id, sessionOf(caller).id, limit)
  })
  recordEnded(deps, caller)
}

const recordEnded = ({ securityLog }: Context, { user, device }: LocatedCaller) =>
  securityLog.record({ type: 'session.ended', account: user, device })

import * as T from 'typebox'
import type { SignedIn } from '../../../access/accounts.ts'
import { attemptsOf } from '../../../access/attempts.ts'
import { assertStillAllowed, type LocatedCaller } from '../../../access/caller.ts'
import { assertConfirmed, confirmSession } from '../../../access/confirmed.ts'
import type { Context } from '../../../access/context.ts'
import { enter, finishSecondStep, secondSteps, stepTokenOf } from '../../../access/entrance.ts'
import { endSecondFactor, mustHaveFactor } from '../../../access/factors.ts'
import type { SideCookies } from '../../../access/plugin.ts'
import { readName } from '../../../access/profile.ts'
import { oneOf } from '../../../api/schema.ts'
import type { Device } from '../../../http/exchange.ts'
import { Refusal, refuseConflict } from '../../../platform/errors.ts'
import { newToken } from '../../../platform/random.ts'
import type { PasskeyRow, UserRow, Work } from '../../../store/rows.ts'
import { assertWayIn } from '../last-way.ts'
import type { Assertion, Attachment, Attestation, CreationOptions, Proof, RequestOptions } from './model.ts'
import { ALGORITHMS, handleOf, relyingPartyOf, verifyAssertion, verifyAttestation } from './webauthn.ts'

/** Time in which an authenticator must answer a challenge, in milliseconds. */
const CHALLENGE_MS = 300_000
/** Cookie with the token of a challenge. */
const CHALLENGE_COOKIE = 'passkey'
/** Maximum passkeys of one account. */
const MAX_PASSKEYS = 20

export const CODES_FIRST = 'Codes are asked for after the password: disable them first'

type Purpose = 'add' | 'sign-in' | 'second-step' | 'confirm'

const ChallengeFacts = T.Object({
  purpose: oneOf<Purpose>(['add', 'sign-in', 'second-step', 'confirm']),
  challenge: T.String(),
})

const challenges = (deps: Context) =>
  attemptsOf(deps, { kind: 'passkey', facts: ChallengeFacts, lifetimeMs: CHALLENGE_MS })

/** @throws {Refusal} `passkeys-unavailable`. */
function partyOf({ config }: Context) {
  const party = relyingPartyOf(config)
  if (!party) throw new Refusal('passkeys-unavailable')
  return party
}

/** Begins a challenge, whose token becomes a cookie, and returns the fields that all options have. */
async function challenge(
  deps: Context,
  cookies: SideCookies,
  { purpose, userId }: { purpose: Purpose; userId: string | null },
) {
  const challenge = newToken(deps.random)
  // Works on a full volume too, because an admin must be able to free space.
  const token = await deps.store.transactToFree(() => challenges(deps).begin(userId, { purpose, challenge }))
  cookies.set(CHALLENGE_COOKIE, token, CHALLENGE_MS)
  return { challenge, timeout: CHALLENGE_MS }
}

/**
 * Ends the challenge of a browser, whatever its answer is worth.
 *
 * @throws {Refusal} `challenge-not-found` when it was for another purpose, too.
 */
async function takeChallenge(deps: Context, cookies: SideCookies, ...purposes: Purpose[]) {
  const token = cookies.get(CHALLENGE_COOKIE)
  cookies.clear(CHALLENGE_COOKIE)
  const taken =
    token === undefined ? undefined : await deps.store.transactToFree(() => challenges(deps).take(token))
  if (!taken || !purposes.includes(taken.facts.purpose)) throw new Refusal('challenge-not-found')
  return { userId: taken.userId, ...taken.facts }
}

const listed = (passkeys: readonly PasskeyRow[]): RequestOptions['allowCredentials'] =>
  passkeys.map(({ credentialId, transports }) => ({ id: credentialId, type: 'public-key', transports }))

/** Returns the options of `navigator.credentials.create()`. @throws {Refusal} `passkeys-unavailable`, `confirmation-required`, `limit-reached`. */
export async function creationOptions(
  deps: Context,
  caller: LocatedCaller,
  { cookies, attachment }: { cookies: SideCookies; attachment: Attachment | undefined },
): Promise<CreationOptions> {
  const { user } = caller
  const { id } = partyOf(deps)
  assertConfirmed(deps, caller)
  const known = await deps.store.passkeys.ofUser(user.id)
  if (known.length >= MAX_PASSKEYS) throw tooMany()
  return {
    ...(await challenge(deps, cookies, { purpose: 'add', userId: user.id })),
    rp: { id, name: 'Holdfast' },
    user: { id: handleOf(user.id), name: user.email, displayName: user.name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: listed(known),
    authenticatorSelection: {
      ...(attachment !== undefined && { authenticatorAttachment: attachment }),
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  }
}

const tooMany = () => new Refusal('limit-reached', `An account has at most ${MAX_PASSKEYS} passkeys`)

/**
 * Adds a passkey to the caller's account. The first one of an account that must have a second factor becomes it.
 *
 * @throws {Refusal} `passkeys-unavailable`, `confirmation-required`, `challenge-not-found`,
 *   `failed-to-verify-registration`, `limit-reached`, `previously-registered`.
 */
export async function addPasskey(
  deps: Context,
  caller: LocatedCaller,
  { cookies, response, name = 'Passkey' }: { cookies: SideCookies; response: Attestation; name?: string },
): Promise<PasskeyRow> {
  const { store, clock, random, securityLog } = deps
  const { user, device } = caller
  const party = partyOf(deps)
  assertConfirmed(deps, caller)
  const taken = await takeChallenge(deps, cookies, 'add')
  if (taken.userId !== user.id) throw new Refusal('challenge-not-found')
  const credential = await verifyAttestation(party, taken.challenge, response)
  if (!credential) throw new Refusal('failed-to-verify-registration')
  const facts = {
    id: random.id(),
    userId: user.id,
    name: readName(name),
    createdAt: clock.now(),
    usedAt: null,
  }
  const row: PasskeyRow = { ...facts, ...credential }
  await store.transact(function* () {
    yield* assertStillAllowed(deps, caller)
    if ((yield* store.passkeys.countOf(user.id)) >= MAX_PASSKEYS) throw tooMany()
    if (yield* store.passkeys.byCredential(row.credentialId)) throw new Refusal('previously-registered')
    yield* store.passkeys.insert(row)
    const { requireSecondFactor } = store.settings.current()
    if (!user.secondFactor && mustHaveFactor(requireSecondFactor, user))
      yield* store.users.update(user.id, { secondFactor: true, updatedAt: clock.now() })
  })
  securityLog.record({ type: 'passkey.added', account: user, device, detail: row.name })
  return row
}

/**
 * Returns the options of `navigator.credentials.get()`.
 *
 * @param userId Account of the session, if there is one.
 * @throws {Refusal} `passkeys-unavailable`; `second-step-missing`; `unauthorized` to confirm without a session.
 */
export async function requestOptions(
  deps: Context,
  cookies: SideCookies,
  { purpose, userId }: { purpose: Exclude<Purpose, 'add'>; userId: string | null },
): Promise<RequestOptions> {
  const { id: rpId } = partyOf(deps)
  const account =
    purpose === 'sign-in' ? null : purpose === 'confirm' ? userId : await steppingId(deps, cookies)
  if (purpose !== 'sign-in' && account === null) throw new Refusal('unauthorized')
  const known = account === null ? [] : await deps.store.passkeys.ofUser(account)
  return {
    ...(await challenge(deps, cookies, { purpose, userId: account })),
    rpId,
    allowCredentials: listed(known),
    userVerification: 'required',
  }
}

/** Returns the account whose second step a browser is at. @throws {Refusal} `second-step-missing`. */
async function steppingId(deps: Context, cookies: SideCookies): Promise<string> {
  const token = stepTokenOf(cookies)
  const step = await deps.store.read(() => secondSteps(deps).find(token))
  if (!step?.userId) throw new Refusal('second-step-missing')
  return step.userId
}

/**
 * Signs in by a passkey, as the only step or as the second.
 *
 * @throws {Refusal} `passkeys-unavailable`, `challenge-not-found`, `passkey-not-found`, `authentication-failed`,
 *   `second-step-missing`, `account-disabled`.
 */
export async function signInByPasskey(
  deps: Context,
  { response, rememberMe = true, trustDevice = false }: Proof,
  { device, cookies }: { device: Device; cookies: SideCookies },
): Promise<SignedIn & { remembered: boolean }> {
  const taken = await takeChallenge(deps, cookies, 'sign-in', 'second-step')
  const proof = await provePasskey(deps, { ...taken, response, device })
  function* prove(current: UserRow | undefined): Work<void> {
    // The step may be another account's than the challenge.
    if (current?.id !== proof.owner) throw new Refusal('authentication-failed')
    yield* proof.use()
  }
  if (taken.purpose === 'second-step')
    return finishSecondStep(deps, cookies, { device, way: 'password+passkey', trustDevice, prove })
  const entry = { device, remembered: rememberMe, way: 'passkey' } as const
  return { ...(await enter(deps, proof.owner, entry, prove)), remembered: rememberMe }
}

interface Answered {
  purpose: Purpose
  challenge: string
  /** Account whose passkeys were asked for; null for any. */
  userId: string | null
  response: Assertion
  device: Device
}

/**
 * Verifies that a passkey has answered a challenge. `use` records it, in the transaction of what it proves.
 *
 * @throws {Refusal} `passkey-not-found`, `authentication-failed`.
 */
async function provePasskey(deps: Context, { purpose, challenge, userId, response, device }: Answered) {
  const { store, log, securityLog } = deps
  const party = partyOf(deps)
  const passkey = await store.passkeys.byCredential(response.id)
  if (!passkey || (userId !== null && passkey.userId !== userId)) throw new Refusal('passkey-not-found')
  const counter = await verifyAssertion(party, challenge, { sent: response, passkey })
  // An authenticator without a counter always sends 0.
  const hasGrown = counter !== undefined && (counter > passkey.counter || counter + passkey.counter === 0)
  if (!hasGrown || counter === undefined) {
    const account = await store.users.byId(passkey.userId)
    const detail = counter === undefined ? passkey.name : `${passkey.name}: its counter went back`
    const type = purpose === 'second-step' ? 'second-factor.failed' : 'sign-in.failed'
    securityLog.record({ type, account, device, detail })
    if (counter !== undefined)
      log.notice('The counter of a passkey went back: there may be a copy of it', {
        account: passkey.userId,
        passkey: passkey.id,
      })
    throw new Refusal('authentication-failed')
  }
  return { owner: passkey.userId, use: () => recordUse(deps, passkey.id, counter) }
}

/** @throws {Refusal} `authentication-failed` when the passkey was used or deleted meanwhile. */
function* recordUse({ store, clock }: Context, id: string, counter: number): Work<void> {
  if (!(yield* store.passkeys.use(id, counter, clock.now()))) throw new Refusal('authentication-failed')
}

/** @throws {Refusal} `passkey-not-found`. */
export async function renamePasskey(
  deps: Context,
  caller: LocatedCaller,
  { id, name }: { id: string; name: string },
): Promise<PasskeyRow> {
  const { store } = deps
  const wanted = readName(name)
  return store.transact(function* () {
    yield* assertStillAllowed(deps, caller)
    const renamed = yield* store.passkeys.rename(caller.user.id, id, wanted)
    if (!renamed) throw new Refusal('passkey-not-found')
    return renamed
  })
}

/**
 * Deletes a passkey. Without any factor left, the password signs in by itself again.
 *
 * @throws {Refusal} `confirmation-required`; `passkey-not-found`; `invalid` for the last way in; `last-factor`.
 */
export async function removePasskey(deps: Context, caller: LocatedCaller, id: string): Promise<void> {
  const { store, securityLog } = deps
  const { user, device } = caller
  assertConfirmed(deps, caller)
  const removed = await store.transact(function* () {
    yield* assertStillAllowed(deps, caller)
    const passkey = yield* store.passkeys.remove(user.id, id)
    if (!passkey) throw new Refusal('passkey-not-found')
    yield* assertWayIn(deps, user)
    if (yield* hasNoFactor(deps, user.id)) yield* endSecondFactor(deps, user)
    // A browser that was trusted for this passkey asks again.
    else yield* store.trustedDevices.removeOfUser(user.id)
    return passkey
  })
  securityLog.record({ type: 'passkey.removed', account: user, device, detail: removed.name })
}

/** Returns true for an account that has no authenticator app, and no passkey. */
function* hasNoFactor({ store }: Context, userId: string): Work<boolean> {
  return (yield* store.passkeys.countOf(userId)) === 0 && !(yield* hasCodes({ store }, userId))
}

/** Returns true for an account with an authenticator app, also when its secret cannot be read any more. */
function* hasCodes({ store }: Pick<Context, 'store'>, userId: string): Work<boolean> {
  return (yield* store.authenticators.ofUser(userId))?.enabledAt != null
}

/**
 * Sets whether the account's passkeys are asked for after its password.
 *
 * @throws {Refusal} `confirmation-required`; `passkey-not-found` without a passkey; `last-factor`; `conflict`
 *   when codes are asked for, too.
 */
export async function setSecondFactor(deps: Context, caller: LocatedCaller, enabled: boolean): Promise<void> {
  const { store, clock, securityLog } = deps
  const { user, device } = caller
  assertConfirmed(deps, caller)
  await store.transact(function* () {
    yield* assertStillAllowed(deps, caller)
    if ((yield* store.passkeys.countOf(user.id)) === 0) throw new Refusal('passkey-not-found')
    if (enabled) yield* store.users.update(user.id, { secondFactor: true, updatedAt: clock.now() })
    else if (yield* hasCodes(deps, user.id)) throw refuseConflict(CODES_FIRST)
    else yield* endSecondFactor(deps, user)
  })
  const type = enabled ? 'second-factor.enabled' : 'second-factor.disabled'
  securityLog.record({ type, account: user, device })
}

/**
 * Confirms a session by a passkey of its account.
 *
 * @throws {Refusal} `passkeys-unavailable`, `challenge-not-found`, `passkey-not-found`, `authentication-failed`.
 */
export async function confirmByPasskey(
  deps: Context,
  caller: LocatedCaller,
  { cookies, response }: { cookies: SideCookies; response: Assertion },
): Promise<void> {
  const taken = await takeChallenge(deps, cookies, 'confirm')
  if (taken.userId !== caller.user.id) throw new Refusal('challenge-not-found')
  const { use } = await provePasskey(deps, { ...taken, response, device: caller.device })
  await confirmSession(deps, caller, use)
}

import * as T from 'typebox'
import type { Device } from '../http/exchange.ts'
import { Refusal } from '../platform/errors.ts'
import { newToken } from '../platform/random.ts'
import { DAY_MS } from '../platform/time.ts'
import { done, type UserRow, type Work } from '../store/rows.ts'
import type { SignedIn } from './accounts.ts'
import { attemptsOf } from './attempts.ts'
import type { Context } from './context.ts'
import type { SideCookies } from './plugin.ts'
import { hashToken, MAX_SESSIONS, newSession, type Way } from './sessions.ts'

/** Sign-in of a person whose account is known. */
export interface Entry {
  device: Device
  /** True when the session outlives the browser. */
  remembered: boolean
  way: Way
  /** Value of the proxy's header that each request of the session must carry. */
  voucher?: string
  /** Id of the session at the provider. */
  providerSid?: string | undefined
}

/**
 * Signs an account in.
 *
 * @param prove Called in the transaction with the account as it is then; a refusal rolls it back.
 * @throws {Refusal} `account-disabled`; what `prove` throws.
 */
export async function enter(
  deps: Context,
  userId: string,
  { device, ...entry }: Entry,
  prove: (current: UserRow | undefined) => Work<void>,
): Promise<SignedIn> {
  const { store } = deps
  const { token, row } = newSession(deps, userId, { ...device, ...entry })
  // Works on a full volume too, because an admin must be able to free space.
  const user = await store.transactToFree(function* () {
    const current = yield* store.users.byId(userId)
    yield* prove(current)
    if (!current || current.disabled) throw new Refusal('account-disabled')
    yield* store.sessions.insert(row)
    // Few at once, because an account of an older version may have very many.
    yield* store.sessions.removeOldest(row, { kept: MAX_SESSIONS - 1, limit: MAX_SESSIONS })
    return current
  })
  deps.securityLog.record({ type: 'sign-in.succeeded', account: user, device, detail: entry.way })
  return { token, user }
}

/** Time in which the second step must follow the first, in milliseconds. */
const STEP_MS = 600_000

/** Cookies of a sign-in: of one that waits for its second step, and of a browser that skips it. */
const STEP_COOKIE = 'two_factor'
const TRUST_COOKIE = 'trust_device'

/** Time for which a browser is trusted, in milliseconds. */
const TRUST_MS = 30 * DAY_MS

const StepFacts = T.Object({
  remembered: T.Boolean(),
  /** Hash of the password's hash: with another password, the first step does not count any more. */
  password: T.String(),
})

export const secondSteps = (deps: Context) =>
  attemptsOf(deps, { kind: 'second-step', facts: StepFacts, lifetimeMs: STEP_MS })

/** Begins the second step of a sign-in, whose token becomes a cookie. */
export async function beginSecondStep(
  deps: Context,
  cookies: SideCookies,
  { user, remembered }: { user: UserRow; remembered: boolean },
): Promise<void> {
  const facts = { remembered, password: hashToken(user.passwordHash) }
  const token = await deps.store.transact(() => secondSteps(deps).begin(user.id, facts))
  cookies.set(STEP_COOKIE, token, STEP_MS)
}

/** Returns the token of the second step that a browser is at. @throws {Refusal} `second-step-missing`. */
export function stepTokenOf(cookies: SideCookies): string {
  const token = cookies.get(STEP_COOKIE)
  if (token === undefined) throw new Refusal('second-step-missing')
  return token
}

/** Returns true if a browser says that it is at a second step. */
export const isAtSecondStep = (cookies: SideCookies): boolean => cookies.get(STEP_COOKIE) !== undefined

/** Ends the second step that a browser is at: it has to sign in again. */
export async function endSecondStep(deps: Context, cookies: SideCookies): Promise<void> {
  const token = stepTokenOf(cookies)
  await deps.store.transact(() => secondSteps(deps).take(token))
  cookies.clear(STEP_COOKIE)
}

/** Second step that was passed. */
interface PassedStep {
  device: Device
  way: Way
  /** True when the browser skips the second step from now on. */
  trustDevice: boolean
  /** Called in the transaction with the account as it is then; a refusal rolls it back. */
  prove?: (current: UserRow) => Work<void>
}

/**
 * Signs in an account whose second step was passed, and ends the step.
 *
 * @throws {Refusal} `second-step-missing` when the step is over or the password has changed; `account-disabled`.
 */
export async function finishSecondStep(
  deps: Context,
  cookies: SideCookies,
  { device, way, trustDevice, prove = () => done(undefined) }: PassedStep,
): Promise<SignedIn & { remembered: boolean }> {
  const token = stepTokenOf(cookies)
  const step = await deps.store.read(() => secondSteps(deps).find(token))
  if (!step?.userId) throw new Refusal('second-step-missing')
  const { remembered } = step.facts
  const entry = { device, remembered, way }
  const trust = trustDevice ? newTrust(deps, step.userId, device) : undefined
  const signedIn = await enter(deps, step.userId, entry, function* (current) {
    const taken = yield* secondSteps(deps).take(token)
    if (!current || taken?.facts.password !== hashToken(current.passwordHash))
      throw new Refusal('second-step-missing')
    yield* prove(current)
    // With the sign-in, because a new password ends the trust that there is at that moment.
    if (trust) yield* deps.store.trustedDevices.insert(trust.row)
  })
  cookies.clear(STEP_COOKIE)
  if (trust) cookies.set(TRUST_COOKIE, trust.token, TRUST_MS)
  return { ...signedIn, remembered }
}

/** Creates the row of a browser that skips the second step, and its token. */
function newTrust({ clock, random }: Context, userId: string, { userAgent }: Device) {
  const token = newToken(random)
  const now = clock.now()
  const times = { createdAt: now, expiresAt: now + TRUST_MS }
  return { token, row: { id: random.id(), userId, tokenHash: hashToken(token), userAgent, ...times } }
}

/** Returns true if the account trusts this browser to skip the second step. */
export async function isTrustedBrowser(
  { store, clock }: Context,
  cookies: SideCookies,
  userId: string,
): Promise<boolean> {
  const token = cookies.get(TRUST_COOKIE)
  if (token === undefined) return false
  return await store.trustedDevices.has(userId, hashToken(token), clock.now())
}

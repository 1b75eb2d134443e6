import type { SignedIn } from '../../../access/accounts.ts'
import { assertStillAllowed, type LocatedCaller, requireCaller, sessionOf } from '../../../access/caller.ts'
import { assertOrConfirm } from '../../../access/confirmed.ts'
import type { Context } from '../../../access/context.ts'
import { endSecondStep, finishSecondStep, secondSteps, stepTokenOf } from '../../../access/entrance.ts'
import { endSecondFactor, FACTORS, type Factor } from '../../../access/factors.ts'
import type { SideCookies } from '../../../access/plugin.ts'
import type { SecurityEventType } from '../../../access/security-log.ts'
import type { Device } from '../../../http/exchange.ts'
import { Refusal } from '../../../platform/errors.ts'
import { seal, unseal } from '../../../platform/seal.ts'
import type { AuthenticatorRow, UserRow, Work } from '../../../store/rows.ts'
import { relyingPartyOf } from '../passkeys/webauthn.ts'
import { hashRecoveryCode, newRecoveryCodes } from './secrets.ts'
import { addressOf, stepOf } from './totp.ts'

/** Bytes of a secret: as many as SHA-1 returns (RFC 4226, section 4). */
const SECRET_BYTES = 20

/** Codes that one sign-in may try. */
const MAX_TRIES = 5

/** Authenticator app to add, and recovery codes. Neither is shown again. */
interface Enabling {
  totpURI: string
  backupCodes: string[]
}

/** Request to add an app. */
interface AppRequest {
  password?: string | undefined
  /** True to add it in place of one that works. */
  replace?: boolean | undefined
}

/**
 * Begins to enable codes: they count from the first right one. Until then an app that is replaced counts no longer, and
 * recovery codes sign in.
 *
 * @throws {Refusal} `codes-enabled`; what `assertOrConfirm` throws.
 */
export async function enableCodes(
  deps: Context,
  caller: LocatedCaller,
  { password, replace = false }: AppRequest,
): Promise<Enabling> {
  const { store, random, config } = deps
  await assertOrConfirm(deps, caller, password)
  const secret = random.bytes(SECRET_BYTES)
  const { id: userId, email } = caller.user
  const backupCodes = newRecoveryCodes(random)
  await store.transact(function* () {
    yield* assertStillAllowed(deps, caller)
    const known = yield* store.authenticators.ofUser(userId)
    if (!replace && known?.enabledAt != null && secretOf(deps, known)) throw new Refusal('codes-enabled')
    const unused = { lastStep: 0, enabledAt: null, wrong: 0, lockedUntil: 0 }
    yield* store.authenticators.replace({
      userId,
      secret: seal(deps, sealingOf(deps, userId), secret),
      ...unused,
    })
    yield* store.recoveryCodes.replace(userId, hashesOf(userId, backupCodes))
  })
  record(deps, caller, 'backup-codes.made')
  const issuer = config.hasBaseUrl ? new URL(config.baseUrl).hostname : 'Holdfast'
  return { totpURI: addressOf(secret, { issuer, account: email }), backupCodes }
}

const hashesOf = (userId: string, codes: readonly string[]) =>
  codes.map((code) => hashRecoveryCode(userId, code))

/**
 * Makes new recovery codes, which replace those before.
 *
 * @throws {Refusal} `codes-not-enabled` without a second factor; what `assertOrConfirm` throws.
 */
export async function renewRecoveryCodes(
  deps: Context,
  caller: LocatedCaller,
  password: string | undefined,
): Promise<string[]> {
  const { store, random } = deps
  await assertOrConfirm(deps, caller, password)
  const codes = newRecoveryCodes(random)
  await store.transact(function* () {
    const { user } = yield* requireCaller(deps, caller)
    if (!user.secondFactor) throw new Refusal('codes-not-enabled')
    yield* store.recoveryCodes.replace(user.id, hashesOf(user.id, codes))
  })
  record(deps, caller, 'backup-codes.made')
  return codes
}

/**
 * Removes the caller's app. Where passkeys are asked for as well, they stay the second step, with the recovery codes for
 * it; else the second step ends.
 *
 * @throws {Refusal} `last-factor` for an account that must have one; what `assertOrConfirm` throws.
 */
export async function disableCodes(
  deps: Context,
  caller: LocatedCaller,
  password: string | undefined,
): Promise<void> {
  const { store, clock } = deps
  await assertOrConfirm(deps, caller, password)
  const staysTwoStep = await store.transact(function* () {
    const { user } = yield* requireCaller(deps, caller)
    const asksPasskey = user.secondFactor && (yield* secondFactorsOf(deps, user.id)).includes('passkey')
    if (!asksPasskey) yield* endSecondFactor(deps, user)
    else if (yield* store.authenticators.remove(user.id))
      // Ends the trust in browsers, because the factor is another one.
      yield* store.users.update(user.id, { secondFactor: true, updatedAt: clock.now() })
    return asksPasskey
  })
  record(deps, caller, 'second-factor.disabled', staysTwoStep ? 'codes; passkeys stay' : undefined)
}

/** Person that sends a code. */
interface Sender {
  user: UserRow
  device: Device
}

const record = (deps: Context, { user, device }: Sender, type: SecurityEventType, detail?: string) =>
  deps.securityLog.record({ type, account: user, device, ...(detail !== undefined && { detail }) })

/** Right code: the app, and the step that is used up with it. */
interface RightCode {
  app: AuthenticatorRow
  step: number
}

/**
 * Judges a code. It counts as wrong before it is compared, so that many at once count as many.
 *
 * @param mayWait True when the app may still wait for its first code.
 * @throws {Refusal} `codes-not-enabled`, `codes-locked`, `invalid-code`.
 */
async function judge(
  deps: Context,
  sender: Sender,
  { code, mayWait }: { code: string; mayWait: boolean },
): Promise<RightCode> {
  const app = await countCode(deps, sender)
  const secret = app && (mayWait || app.enabledAt !== null) ? secretOf(deps, app) : undefined
  if (!app || !secret) throw new Refusal('codes-not-enabled')
  const step = stepOf(secret, code, { now: deps.clock.now(), lastStep: app.lastStep })
  if (step !== undefined) return { app, step }
  recordWrong(deps, sender, app)
  throw new Refusal('invalid-code')
}

/** Counts a code of an account, if that has an app. @throws {Refusal} `codes-locked`. */
async function countCode({ store, clock }: Context, { user }: Sender): Promise<AuthenticatorRow | undefined> {
  const now = clock.now()
  const { app, counted } = await store.transact(function* () {
    const app = yield* store.authenticators.ofUser(user.id)
    return { app, counted: app && (yield* store.authenticators.count(user.id, now)) }
  })
  if (!app || counted) return counted
  const wait = Math.max(1, Math.ceil((app.lockedUntil - now) / 1000))
  throw new Refusal('codes-locked', undefined, { headers: { 'Retry-After': String(wait) } })
}

function recordWrong(deps: Context, sender: Sender, app: AuthenticatorRow | undefined): void {
  record(deps, sender, 'second-factor.failed')
  if (app && app.lockedUntil > deps.clock.now()) record(deps, sender, 'second-factor.locked')
}

/** Uses up a right code. @throws {Refusal} `invalid-code` when another request has used it meanwhile. */
function* useCode({ store, clock }: Context, { app, step }: RightCode): Work<void> {
  if (!(yield* store.authenticators.use(app, step, clock.now()))) throw new Refusal('invalid-code')
}

/**
 * Confirms a session by a code.
 *
 * @param mayEnable True when the first code of an app enables it, which makes the password two-step.
 */
export async function confirmByCode(
  deps: Context,
  caller: LocatedCaller,
  { code, mayEnable = false }: { code: string; mayEnable?: boolean },
): Promise<UserRow> {
  const { store, clock } = deps
  const right = await judge(deps, caller, { code, mayWait: mayEnable })
  const enables = right.app.enabledAt === null
  const user = await store.transact(function* () {
    const { user } = yield* requireCaller(deps, caller)
    yield* useCode(deps, right)
    yield* store.sessions.confirm(sessionOf(caller).id, clock.now())
    if (!enables) return user
    return (yield* store.users.update(user.id, { secondFactor: true, updatedAt: clock.now() })) ?? user
  })
  if (enables) record(deps, caller, 'second-factor.enabled')
  return user
}

/** Code of a second step, and what it leads to. */
interface SentCode {
  code: string
  trustDevice?: boolean | undefined
}

type Entered = SignedIn & { remembered: boolean }

/**
 * Signs in by a code after the password.
 *
 * @throws {Refusal} `second-step-missing`, `too-many-codes`, and what `judge` throws.
 */
export async function signInByCode(
  deps: Context,
  cookies: SideCookies,
  { device, code, trustDevice = false }: SentCode & { device: Device },
): Promise<Entered> {
  const user = await countStep(deps, cookies)
  const right = await judge(deps, { user, device }, { code, mayWait: false })
  const way = 'password+totp'
  return finishSecondStep(deps, cookies, { device, way, trustDevice, prove: () => useCode(deps, right) })
}

/** Signs in by a recovery code after the password, as `signInByCode` does. @throws {Refusal} `invalid-backup-code`. */
export async function signInByRecoveryCode(
  deps: Context,
  cookies: SideCookies,
  { device, code, trustDevice = false }: SentCode & { device: Device },
): Promise<Entered> {
  const { store } = deps
  const user = await countStep(deps, cookies)
  const app = await countCode(deps, { user, device })
  const hash = hashRecoveryCode(user.id, code)
  let left = 0
  function* prove(): Work<void> {
    if (!(yield* store.recoveryCodes.use(user.id, hash))) throw new Refusal('invalid-backup-code')
    yield* store.authenticators.unlock(user.id)
    left = yield* store.recoveryCodes.countOf(user.id)
  }
  try {
    const way = 'password+recovery-code'
    const entered = await finishSecondStep(deps, cookies, { device, way, trustDevice, prove })
    record(deps, { user, device }, 'backup-codes.used', `${left} left`)
    return entered
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'invalid-backup-code')
      recordWrong(deps, { user, device }, app)
    throw error
  }
}

/** Counts a try of the second step that a browser is at, and returns its account. */
async function countStep(deps: Context, cookies: SideCookies): Promise<UserRow> {
  const { store } = deps
  const token = stepTokenOf(cookies)
  const step = await store.transact(() => secondSteps(deps).count(token))
  const user = step?.userId == null ? undefined : await store.users.byId(step.userId)
  if (!step || !user) throw new Refusal('second-step-missing')
  if (step.tries <= MAX_TRIES) return user
  await endSecondStep(deps, cookies)
  throw new Refusal('too-many-codes')
}

/** Returns true if the caller's app waits for its first code. */
export async function waitsForFirstCode({ store }: Context, userId: string): Promise<boolean> {
  const app = await store.authenticators.ofUser(userId)
  return app !== undefined && app.enabledAt === null
}

/** Returns the second factors of an account, without recovery codes. Those of an app must be readable. */
export function* secondFactorsOf(deps: Context, userId: string): Work<Factor[]> {
  const { store, config } = deps
  const app = yield* store.authenticators.ofUser(userId)
  const hasCodes = app?.enabledAt != null && secretOf(deps, app) !== undefined
  const hasPasskey = relyingPartyOf(config) && (yield* store.passkeys.countOf(userId)) > 0
  return FACTORS.filter((factor) => (factor === 'totp' ? hasCodes : hasPasskey))
}

/** Secrets of apps are encrypted, each for its account only. */
const sealingOf = ({ secrets }: Pick<Context, 'secrets'>, userId: string) => ({
  key: secrets.authenticator,
  subject: userId,
})

/** Decrypts the secret of an account's app; `undefined` when `AUTH_SECRET` was another one. */
const secretOf = (deps: Pick<Context, 'secrets'>, { userId, secret }: { userId: string; secret: string }) =>
  unseal(sealingOf(deps, userId), secret)

import { isPassword, type SignedIn, tooManyWrong } from '../../access/accounts.ts'
import type { Context } from '../../access/context.ts'
import { assertAcceptable } from '../../access/new-password.ts'
import { normalizeEmail, readEmail, readName } from '../../access/profile.ts'
import { MAX_SESSIONS, newSession, type OpenSession } from '../../access/sessions.ts'
import type { Device } from '../../http/exchange.ts'
import { Refusal } from '../../platform/errors.ts'
import { rateLimitBucket } from '../../platform/rate-limit.ts'
import type { UserRow, Work } from '../../store/rows.ts'
import type { SignIn, SignUp } from './model.ts'

/**
 * Maximum length of an e-mail in a limiter, in UTF-16 units: two for each of the longest e-mail's characters.
 */
const MAX_BUCKET_LENGTH = 510

/**
 * Asserts that there is no account yet.
 *
 * @throws {Refusal} `forbidden` once there is one.
 */
export function* assertRegistrationOpen({ store }: Pick<Context, 'store'>): Work<void> {
  if ((yield* store.users.count()) === 0) return
  throw new Refusal('forbidden', 'Registration is closed: an administrator adds further accounts', {
    code: 'REGISTRATION_CLOSED',
  })
}

/**
 * Registers the first account, as admin, and signs it in.
 *
 * @throws {Refusal} `forbidden` once there is an account, or without the required token; `invalid`.
 */
export async function signUp(deps: Context, sent: SignUp, device: Device): Promise<SignedIn> {
  const { store, passwords, clock, random } = deps
  deps.setupToken.assertSent(sent.setupToken)
  const [name, email] = [readName(sent.name), readEmail(sent.email)]
  await assertAcceptable(sent.password, 'password')
  const passwordHash = await passwords.hash(sent.password)

  const now = clock.now()
  const account = { name, email, passwordHash, image: null, disabled: false, customScopes: [] }
  const user: UserRow = { id: random.id(), ...account, role: 'admin', createdAt: now, updatedAt: now }
  const { token, row } = newSession(deps, user.id, { ...device, remembered: true })
  await store.transact(function* () {
    // Hashing took a while, so another first registration may have come in between.
    yield* assertRegistrationOpen(deps)
    yield* store.users.insert(user)
    yield* store.sessions.insert(row)
  })
  deps.securityLog.record({ type: 'account.registered', account: user, device })
  return { token, user }
}

/**
 * Signs in with e-mail and password. The response and its time are the same for every failure.
 *
 * @throws {Refusal} `unauthorized`; `rate_limited` after ten failures in a minute for one address and e-mail,
 *   and when the account is throttled and the device unknown.
 */
export async function signIn(
  deps: Context,
  { email, password, rememberMe = true }: SignIn,
  device: Device,
): Promise<SignedIn> {
  const { store } = deps
  const address = normalizeEmail(email)
  const bucket = `${rateLimitBucket(device.ipAddress)} ${address.slice(0, MAX_BUCKET_LENGTH)}`
  const user = await store.users.byEmail(address)
  await assertMayTry(deps, { address, bucket, user, device })
  const matches = await isPassword(deps, password, { bucket, passwordHash: user?.passwordHash })
  if (!matches) await deps.signInGuard.failed(address)
  if (!user || !matches || user.disabled) {
    deps.securityLog.record({ type: 'sign-in.failed', account: user, device })
    throw invalidSignIn()
  }
  const { token, row } = newSession(deps, user.id, { ...device, remembered: rememberMe })
  // Works on a full volume too, because an admin must be able to free space.
  await store.transactToFree(function* () {
    // Hashing took a while: the account may have been disabled, deleted or given another password.
    const current = yield* store.users.byId(user.id)
    if (!current || current.disabled || current.passwordHash !== user.passwordHash) throw invalidSignIn()
    yield* store.sessions.insert(row)
    // Few at once, because an account of an older version may have very many.
    yield* store.sessions.removeOldest(row, { kept: MAX_SESSIONS - 1, limit: MAX_SESSIONS })
  })
  deps.securityLog.record({ type: 'sign-in.succeeded', account: user, device })
  return { token, user }
}

interface Try {
  /** E-mail address. */
  address: string
  bucket: string
  user: UserRow | undefined
  device: Device
}

/**
 * Asserts that a try is allowed.
 *
 * @throws {Refusal} `rate_limited` when the account is throttled, unless the device is known.
 */
async function assertMayTry(deps: Context, { address, bucket, user, device }: Try): Promise<void> {
  const { signInGuard, signInLimiter } = deps
  if (!(await signInGuard.isSlowed(address))) return
  const isKnown = await isKnownDevice(deps, user?.id ?? '', device)
  // A client that has to wait anyway does not use up this second's try.
  if (isKnown || (await signInLimiter.peek(bucket)) > 0) return
  const wait = await signInGuard.takeTry(address)
  if (wait > 0) throw tooManyWrong(wait)
}

/** Maximum sign-ins of an account that are compared with a device. */
const MAX_COMPARED = 100

/**
 * Returns true if the account signed in before from the same address with the same browser. A cookie would
 * tell more surely, but @elysiajs/cookie joins two cookies of one response into one line that browsers
 * misread.
 */
async function isKnownDevice(
  { store }: Pick<Context, 'store'>,
  userId: string,
  device: Device,
): Promise<boolean> {
  const types = ['account.registered', 'invitation.used', 'sign-in.succeeded']
  const address = rateLimitBucket(device.ipAddress)
  const signIns = await store.securityEvents.newest({ userId, types, limit: MAX_COMPARED })
  return signIns.some(
    (seen) => seen.userAgent === device.userAgent && rateLimitBucket(seen.ipAddress) === address,
  )
}

/** Ends a session at its owner's request. */
export async function signOut(deps: Context, { session, user }: OpenSession, device: Device): Promise<void> {
  await deps.store.transact(() => deps.store.sessions.remove(session.id))
  deps.securityLog.record({ type: 'sign-out', account: user, device })
}

const invalidSignIn = () =>
  new Refusal('unauthorized', 'Invalid email or password', { code: 'INVALID_EMAIL_OR_PASSWORD' })

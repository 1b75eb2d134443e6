import type { UserRow } from '../catalog/users.ts'
import type { Deps } from '../deps.ts'
import { Refusal, refuseInvalid } from '../errors.ts'
import { rateLimitBucket } from '../http/client-address.ts'
import { MAX_EMAIL, MAX_PASSWORD, type SignIn, type SignUp } from './model.ts'
import { type Device, newSession } from './sessions.ts'

/** An account that has just been signed in. */
export interface SignedIn {
  token: string
  user: UserRow
}

const EMAIL = /^[^\s@]+@[^\s@]+$/

export const normalizeEmail = (email: string) => email.trim().toLowerCase()

const registrationClosed = () =>
  new Refusal('forbidden', 'Registration is closed: an administrator adds further accounts', {
    code: 'REGISTRATION_CLOSED',
  })

/**
 * Registers the first account, as admin, and signs it in.
 *
 * @throws {Refusal} `forbidden` once there is an account, `invalid`.
 */
export async function signUp(deps: Deps, sent: SignUp, device: Device): Promise<SignedIn> {
  const { catalog, passwords, clock, random } = deps
  if (catalog.users.count() > 0) throw registrationClosed()
  const email = normalizeEmail(sent.email)
  if (!EMAIL.test(email)) throw refuseInvalid('"email" must be an e-mail address')
  const name = sent.name.trim()
  if (name === '') throw refuseInvalid('"name" must not be empty')
  const passwordHash = await passwords.hash(sent.password)

  const now = clock.now()
  const account = { name, email, passwordHash, image: null, disabled: false, customScopes: [] }
  const user: UserRow = { id: random.id(), ...account, role: 'admin', createdAt: now, updatedAt: now }
  const { token, row } = newSession(deps, user.id, device)
  await catalog.transact(() => {
    // Hashing took a while: another first registration may have come in between.
    if (catalog.users.count() > 0) throw registrationClosed()
    catalog.users.insert(user)
    catalog.sessions.insert(row)
  })
  return { token, user }
}

/**
 * Signs in with e-mail and password. Whatever is wrong, the answer and its time are the same.
 *
 * @throws {Refusal} `unauthorized`; `rate_limited` after ten failures in a minute for one address and e-mail.
 */
export async function signIn(deps: Deps, { email, password }: SignIn, device: Device): Promise<SignedIn> {
  const { catalog, passwords, signInLimiter } = deps
  const address = normalizeEmail(email).slice(0, MAX_EMAIL)
  const bucket = `${rateLimitBucket(device.ipAddress)} ${address}`
  const wait = signInLimiter.take(bucket)
  if (wait > 0) throw tooManySignIns(wait)
  const user = catalog.users.byEmail(address)
  // No password is longer: such a one costs what a wrong one costs, and is not hashed.
  const attempt = password.length <= MAX_PASSWORD ? password : ''
  const matches = await passwords.verify(user?.passwordHash, attempt)
  if (!user || !matches || user.disabled) {
    throw new Refusal('unauthorized', 'Invalid email or password', { code: 'INVALID_EMAIL_OR_PASSWORD' })
  }
  signInLimiter.forget(bucket)
  const { token, row } = newSession(deps, user.id, device)
  await catalog.transact(() => catalog.sessions.insert(row))
  return { token, user }
}

const tooManySignIns = (seconds: number) =>
  new Refusal('rate_limited', 'Too many failed sign-ins, try again later', {
    headers: { 'Retry-After': String(seconds) },
  })

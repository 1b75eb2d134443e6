import type { Device } from '../http/exchange.ts'
import { Refusal } from '../platform/errors.ts'
import { rateLimitBucket } from '../platform/rate-limit.ts'
import type { UserRow } from '../store/rows.ts'
import { isPassword, tooManyWrong } from './accounts.ts'
import type { Context } from './context.ts'
import { normalizeEmail } from './profile.ts'

interface Try {
  /** E-mail address. */
  address: string
  bucket: string
  user: UserRow | undefined
  device: Device
}

/**
 * Maximum length of an e-mail in a limiter, in UTF-16 units: two for each of the longest e-mail's characters.
 */
const MAX_BUCKET_LENGTH = 510

/**
 * Verifies e-mail and password. The refusal and its time are the same for a wrong password and an unknown e-mail. Only the
 * right password learns that its account is disabled.
 *
 * @throws {Refusal} `invalid-email-or-password`; `account-disabled`; `password-sign-in-off`; `rate-limited` after ten failures in a minute for one
 *   address and e-mail, and when the account is throttled and the device unknown.
 */
export async function verifySignIn(
  deps: Context,
  { email, password, device }: { email: string; password: string; device: Device },
): Promise<UserRow> {
  const { password: passwordsOf } = deps.config.signIn
  if (passwordsOf === 'no') throw new Refusal('password-sign-in-off')
  const address = normalizeEmail(email)
  const bucket = `${rateLimitBucket(device.ipAddress)} ${address.slice(0, MAX_BUCKET_LENGTH)}`
  const user = await deps.store.users.byEmail(address)
  await assertMayTry(deps, { address, bucket, user, device })
  const matches = await isPassword(deps, password, { bucket, passwordHash: user?.passwordHash })
  if (!matches) await deps.signInGuard.failed(address)
  if (!user || !matches || user.disabled) {
    deps.securityLog.record({ type: 'sign-in.failed', account: user, device })
    throw new Refusal(matches ? 'account-disabled' : 'invalid-email-or-password')
  }
  if (passwordsOf === 'admins' && user.role !== 'admin') throw new Refusal('password-sign-in-off')
  return user
}

/**
 * Asserts that a try is allowed.
 *
 * @throws {Refusal} `rate-limited` when the account is throttled, unless the device is known.
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

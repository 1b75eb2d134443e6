import type { Device } from '../http/exchange.ts'
import { rateLimitBucket } from '../platform/rate-limit.ts'
import type { UserRow } from '../store/rows.ts'
import { tooManyWrong } from './accounts.ts'
import type { Context } from './context.ts'

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
 * @throws {Refusal} `rate-limited` when the account is throttled, unless the device is known.
 */
export async function assertMayTry(deps: Context, { address, bucket, user, device }: Try): Promise<void> {
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

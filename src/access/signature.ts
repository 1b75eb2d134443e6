import { createHmac } from 'node:crypto'
import { isSameSecret } from '../platform/same-secret.ts'
import type { Context } from './context.ts'

/** Content of a signed link: this very file, at this key, until `expires` (Unix seconds). */
interface Link {
  fileId: string
  key: string
  expires: string
}

/**
 * Version of the signed text. Incremented when its format changes, so that old links stop working instead of
 * changing meaning.
 */
const VERSION = 'v1'

/**
 * Returns when a link expires that is signed now, in seconds since 1970.
 *
 * @param expiresIn Seconds; rounded down and clamped to between 1 and the instance's maximum.
 */
export function linkExpiry(
  { clock, store }: Pick<Context, 'clock' | 'store'>,
  expiresIn: number | undefined,
): number {
  const { defaultPresignSeconds, maxPresignSeconds } = store.settings.current()
  const seconds = Math.min(Math.max(Math.floor(expiresIn ?? defaultPresignSeconds), 1), maxPresignSeconds)
  return Math.floor(clock.now() / 1000) + seconds
}

/** Returns the HMAC-SHA256 in base64url of version, file id, decoded key and expiry. */
export function signLink(secret: Uint8Array, { fileId, key, expires }: Link): string {
  return createHmac('sha256', secret).update([VERSION, fileId, key, expires].join('\n')).digest('base64url')
}

/**
 * Returns true if `signature` was made for `link`, which is valid while `now < expires`. The expiry must be
 * plain digits, exactly as they were signed.
 *
 * @param now Milliseconds since 1970.
 */
export function verifyLink(
  secret: Uint8Array,
  link: Link,
  { signature, now }: { signature: string; now: number },
): boolean {
  const genuine = isSameSecret(signature, signLink(secret, link))
  return genuine && /^\d{1,12}$/.test(link.expires) && now < Number(link.expires) * 1000
}

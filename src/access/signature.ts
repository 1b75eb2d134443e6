import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a signed link opens: this very file, at this key, until `expires` (Unix seconds). */
interface Link {
  fileId: string
  key: string
  expires: string
}

/** Bumped when what is signed changes, so that old links stop working instead of meaning something else. */
const VERSION = 'v1'

/** HMAC-SHA256 in base64url over version, file id, decoded key and expiry (spec: open points §5). */
export function signLink(secret: Uint8Array, { fileId, key, expires }: Link): string {
  return createHmac('sha256', secret).update([VERSION, fileId, key, expires].join('\n')).digest('base64url')
}

/**
 * Whether `signature` was made for `link` and its time has not come: a link is good while
 * `now < expires`. The expiry must be plain digits, exactly as they were signed.
 *
 * @param now Milliseconds since 1970.
 */
export function verifyLink(
  secret: Uint8Array,
  link: Link,
  { signature, now }: { signature: string; now: number },
): boolean {
  const expected = Buffer.from(signLink(secret, link))
  const given = Buffer.from(signature)
  const genuine = given.length === expected.length && timingSafeEqual(given, expected)
  return genuine && /^\d{1,12}$/.test(link.expires) && now < Number(link.expires) * 1000
}

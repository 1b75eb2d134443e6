import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Context } from '../../../access/context.ts'
import type { Random } from '../../../platform/random.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

type SealDeps = Pick<Context, 'random' | 'secrets'>

/** Encrypts the secret of an account's app. It can be decrypted for that account only. */
export function seal({ random, secrets }: SealDeps, userId: string, secret: Uint8Array): string {
  const nonce = random.bytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, secrets.authenticator, nonce).setAAD(Buffer.from(userId))
  const encrypted = [cipher.update(secret), cipher.final()]
  return Buffer.concat([nonce, ...encrypted, cipher.getAuthTag()]).toString('base64url')
}

/** Decrypts the secret of an account's app; `undefined` when `AUTH_SECRET` was another one. */
export function unseal(
  { secrets }: Pick<Context, 'secrets'>,
  { userId, secret }: { userId: string; secret: string },
): Uint8Array | undefined {
  const sealed = Buffer.from(secret, 'base64url')
  const decipher = createDecipheriv(CIPHER, secrets.authenticator, sealed.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(userId))
    .setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}

/** Letters of recovery codes: those that look like digits are missing. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ'
const CODE_LENGTH = 12
const CODE_COUNT = 10

function newLetter(random: Random): string {
  // Bytes past the last multiple would make some letters more likely.
  for (;;) {
    const [byte = 0] = random.bytes(1)
    if (byte < 256 - (256 % LETTERS.length)) return LETTERS.charAt(byte % LETTERS.length)
  }
}

/** Makes ten recovery codes, such as `KQWX-HTPA-ZNEB`. */
export const newRecoveryCodes = (random: Random): string[] =>
  Array.from({ length: CODE_COUNT }, () =>
    Array.from({ length: CODE_LENGTH }, () => newLetter(random))
      .join('')
      .replace(/(.{4})(.{4})/, '$1-$2-'),
  )

/**
 * Returns the hash of a recovery code, typed in any case, with or without hyphens. The account's id peppers it.
 * `AUTH_SECRET` has no part in it, because these codes are the way back when that has changed.
 */
export function hashRecoveryCode(userId: string, code: string): string {
  const letters = code.toUpperCase().replaceAll(/[^A-Z]/g, '')
  return new Bun.CryptoHasher('sha256').update(`recovery code ${userId} ${letters}`).digest('hex')
}

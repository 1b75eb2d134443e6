import { type Random, randomText } from '../../../platform/random.ts'

/** Letters of recovery codes: those that look like digits are missing. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ'
const CODE_LENGTH = 12
const CODE_COUNT = 10

/** Makes ten recovery codes, such as `KQWX-HTPA-ZNEB`. */
export const newRecoveryCodes = (random: Random): string[] =>
  Array.from({ length: CODE_COUNT }, () =>
    randomText(random, LETTERS, CODE_LENGTH).replace(/(.{4})(.{4})/, '$1-$2-'),
  )

/**
 * Returns the hash of a recovery code, typed in any case, with or without hyphens. The account's id peppers it.
 * `AUTH_SECRET` has no part in it, because these codes are the way back when that has changed.
 */
export function hashRecoveryCode(userId: string, code: string): string {
  const letters = code.toUpperCase().replaceAll(/[^A-Z]/g, '')
  return new Bun.CryptoHasher('sha256').update(`recovery code ${userId} ${letters}`).digest('hex')
}

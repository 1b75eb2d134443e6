import * as T from 'typebox'
import { refuseInvalid } from '../platform/errors.ts'

/**
 * Minimum length of a password. Lengths count Unicode code points, as JSON Schema does; elsewhere use
 * `characters`.
 */
export const MIN_PASSWORD = 8
export const MAX_PASSWORD = 128
const MAX_EMAIL = 255

/** Schema of names and e-mails as sent. `readName` and `readEmail` check those of an account. */
export const NameField = T.String({ minLength: 1, maxLength: 255, examples: ['Ada'] })
export const EmailField = T.String({ minLength: 1, maxLength: MAX_EMAIL })
/** Schema of a new password, with its length in characters. It is taken verbatim. */
export const PasswordField = T.String({ minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD })

/**
 * Matches control characters and lone surrogates, which a database or a terminal would not show as they are.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u
const EMAIL = /^[^\s@]+@[^\s@]+$/

export const normalizeEmail = (email: string) => email.trim().toLowerCase()

/** Returns true if an e-mail shares its lower case with no other spelling: that of the Kelvin sign is the letter "k". */
export const hasOwnLowerCase = (email: string): boolean =>
  email.toLowerCase().toUpperCase() === email.toUpperCase()

/** Counts the Unicode code points in `text`. */
export const characters = (text: string): number => [...text].length

/** Returns true if an account can have this password; a longer one is not worth a hash. */
export const isPossiblePassword = (password: string): boolean =>
  // The first comparison bounds the work: a code point has at most two units.
  password.length <= 2 * MAX_PASSWORD && characters(password) <= MAX_PASSWORD

/**
 * Trims white space from a name.
 *
 * @throws {Refusal} `invalid` when nothing is left.
 */
export function trimName(sent: string): string {
  const name = sent.trim()
  if (name === '') throw refuseInvalid('"name" must not be empty')
  return name
}

/**
 * Validates a name and trims it.
 *
 * @throws {Refusal} `invalid`.
 */
export function readName(sent: string): string {
  const name = trimName(sent)
  if (UNPRINTABLE.test(name)) throw refuseInvalid('"name" must not contain control characters')
  return name
}

/**
 * Validates an e-mail, trims it and converts it to lower case.
 *
 * @throws {Refusal} `invalid`.
 */
export function readEmail(sent: string): string {
  const email = normalizeEmail(sent)
  if (email === '') throw refuseInvalid('"email" must not be empty')
  if (!EMAIL.test(email) || UNPRINTABLE.test(email)) throw refuseInvalid('"email" must be an e-mail address')
  // Lower case can be longer: "İ" becomes two characters.
  if (characters(email) > MAX_EMAIL) throw refuseInvalid(`"email" must have at most ${MAX_EMAIL} characters`)
  return email
}

import * as T from 'typebox'
import { refuseInvalid } from '../errors.ts'

export const MAX_PASSWORD = 128
export const MAX_EMAIL = 255

/** Names and e-mails as they are sent; `readName` and `readEmail` judge what is in those of an account. */
export const NameField = T.String({ minLength: 1, maxLength: 255 })
export const EmailField = T.String({ minLength: 1, maxLength: MAX_EMAIL })
/** A new password, in characters. It is taken verbatim. */
export const PasswordField = T.String({ minLength: 8, maxLength: MAX_PASSWORD })

/** Control characters and lone surrogates: a database or a terminal would show something else. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u
const EMAIL = /^[^\s@]+@[^\s@]+$/

export const normalizeEmail = (email: string) => email.trim().toLowerCase()

/**
 * A name without the white space around it.
 *
 * @throws {Refusal} `invalid` when nothing is left.
 */
export function trimName(sent: string): string {
  const name = sent.trim()
  if (name === '') throw refuseInvalid('"name" must not be empty')
  return name
}

/** @throws {Refusal} `invalid`. */
export function readName(sent: string): string {
  const name = trimName(sent)
  if (UNPRINTABLE.test(name)) throw refuseInvalid('"name" must not contain control characters')
  return name
}

/** @throws {Refusal} `invalid`. */
export function readEmail(sent: string): string {
  const email = normalizeEmail(sent)
  if (email === '') throw refuseInvalid('"email" must not be empty')
  if (!EMAIL.test(email) || UNPRINTABLE.test(email)) throw refuseInvalid('"email" must be an e-mail address')
  return email
}

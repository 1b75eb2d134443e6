import { refuseInvalid } from '../platform/errors.ts'
import { characters, MAX_PASSWORD, MIN_PASSWORD } from './profile.ts'

/**
 * Checks a new password.
 *
 * @param field Name of the field in the body, for the message.
 * @throws {Refusal} `invalid` for its length, for a common password, and for text that is not valid UTF-8.
 */
export async function assertAcceptable(password: string, field: string): Promise<void> {
  const length = characters(password)
  if (length < MIN_PASSWORD) throw refuseInvalid(`"${field}" must have at least ${MIN_PASSWORD} characters`)
  if (length > MAX_PASSWORD) throw refuseInvalid(`"${field}" must have at most ${MAX_PASSWORD} characters`)
  if (!password.isWellFormed()) throw refuseInvalid(`"${field}" must be well-formed Unicode`)
  // Loaded on first use, because a start does not need 490 KB of passwords.
  const { default: common } = await import('@zxcvbn-ts/language-common/src/passwords.json')
  if (common.includes(password.toLowerCase()))
    throw refuseInvalid(`"${field}" is one of the most common passwords: choose another`)
}

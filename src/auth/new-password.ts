import { refuseInvalid } from '../errors.ts'

/**
 * Checks a password that is about to be set; its length is the schema's to check.
 *
 * @param field Name of the field in the body, for the message.
 * @throws {Refusal} `invalid` for a common password, and for one that no keyboard can type again.
 */
export async function assertAcceptable(password: string, field: string): Promise<void> {
  if (!password.isWellFormed()) throw refuseInvalid(`"${field}" must be well-formed Unicode`)
  // Loaded on first use: a start does not need 490 KB of passwords.
  const { default: common } = await import('@zxcvbn-ts/language-common/src/passwords.json')
  if (common.includes(password.toLowerCase()))
    throw refuseInvalid(`"${field}" is one of the most common passwords: choose another`)
}

import Format from 'typebox/format'
import { refuseInvalid } from '../platform/errors.ts'

/**
 * Parses the field `expiresAt` of a body: a date, or a date and time with its zone.
 *
 * @throws {Refusal} `invalid` when it is neither, or not after `now`.
 */
export function parseExpiry(text: string | null, now: number): number | null {
  if (text === null) return null
  const expiresAt = Format.IsDate(text) || Format.IsDateTime(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(expiresAt) || expiresAt <= now)
    throw refuseInvalid('"expiresAt" must be a date, or a date and time with its zone, in the future')
  return expiresAt
}

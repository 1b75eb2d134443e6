import * as T from 'typebox'
import Format from 'typebox/format'
import { refuseInvalid } from '../platform/errors.ts'

const TIME = '\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d))?'

/** Builds the schema of a query parameter that is a date or a time. */
export const timeParameter = (description: string) =>
  T.String({ pattern: `^${TIME}$`, description, examples: ['2026-11-01'] })

/** Parses a date or a time into milliseconds since 1970. @throws {Refusal} `invalid` for one that does not exist. */
export function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  // `Date.parse` takes 31 February for 3 March.
  const time = Format.IsDate(text.slice(0, 10)) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw refuseInvalid(`"${name}" must be a time that exists`)
  return time
}

import * as T from 'typebox'
import { queryParameters } from '../../api/schema.ts'
import { refuseInvalid } from '../../platform/errors.ts'

const DEFAULT_WIDTH = 400
const MAX_WIDTH = 1600

export const ThumbnailQuery = queryParameters(
  T.Object({
    width: T.Optional(
      T.String({
        description: `Pixels, 1 to ${MAX_WIDTH}; rounded up to 200, 400 or 1600. Default: ${DEFAULT_WIDTH}.`,
        examples: ['200'],
      }),
    ),
  }),
)

/** Parses a width in pixels. @throws {Refusal} `invalid`. */
export function readWidth(sent: string | undefined): number {
  if (sent === undefined) return DEFAULT_WIDTH
  const width = /^[1-9]\d{0,3}$/.test(sent) ? Number(sent) : Number.NaN
  if (width <= MAX_WIDTH) return width
  throw refuseInvalid(`"width" must be a whole number from 1 to ${MAX_WIDTH}`)
}

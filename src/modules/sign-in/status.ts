import * as T from 'typebox'
import { both, inBothForms } from '../../api/schema.ts'

/** Response that says only that a change was made, as better-auth's clients read it. */
export const StatusAnswer = both({ status: T.Literal(true) }, {})
export const STATUS = inBothForms({ status: true as const })

import * as T from 'typebox'
import { envelope } from '../../api/schema.ts'

/** State of an instance that a page must know before a visitor signs in. */
export const SetupAnswer = envelope(
  T.Object({
    needed: T.Boolean({ description: 'True while the instance has no account.' }),
    tokenRequired: T.Boolean({ description: 'True while registering the first account requires a token.' }),
    originTrusted: T.Boolean({
      description:
        'True if the server accepts changes from the page that asks, at the address it was opened at.',
    }),
  }),
)

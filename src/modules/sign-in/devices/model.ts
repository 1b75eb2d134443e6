import * as T from 'typebox'
import { FILE_SCOPES } from '../../../access/caller.ts'
import { both, IsoTime, jsonBody, oneOf, queryParameters } from '../../../api/schema.ts'

/** Time in which a person must approve a program. */
export const LIFETIME_MS = 600_000
/** Minimum time between two polls of a program. */
export const INTERVAL_MS = 5000
const CLIENT_ID = T.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\p{Cc}]+$',
  description: 'Name of the program and its machine. The API key gets it.',
  examples: ['CLI on laptop'],
})
/** Random 256 bits in base64url. */
const DEVICE_CODE = T.String({ examples: ['pC6hn0fk3vGJmXz0wQ2uB7r9sT1yL5eA8dKcNiOaPbE'] })

export const AskBody = jsonBody(
  T.Object({
    client_id: CLIENT_ID,
    scope: T.Optional(
      T.String({
        description: 'Scopes of the API key, separated by spaces; all by default.',
        examples: ['files:read'],
      }),
    ),
  }),
)
export const TokenBody = jsonBody(
  T.Object({
    grant_type: T.Literal('urn:ietf:params:oauth:grant-type:device_code'),
    device_code: DEVICE_CODE,
    client_id: CLIENT_ID,
  }),
)
export type AskForKey = T.Static<typeof AskBody.schema>

export const UserCodeBody = jsonBody(T.Object({ userCode: T.String({ examples: ['WDJB-MJHT'] }) }))
export const UserCodeQuery = queryParameters(
  T.Object({ user_code: T.String({ description: 'Code that the program shows.', examples: ['WDJB-MJHT'] }) }),
)

export const AskAnswer = both(
  {
    device_code: DEVICE_CODE,
    user_code: T.String({ examples: ['WDJB-MJHT'] }),
    verification_uri: T.String({ examples: ['https://files.example.com/device'] }),
    verification_uri_complete: T.String({
      examples: ['https://files.example.com/device?user_code=WDJB-MJHT'],
    }),
    expires_in: T.Integer({ description: 'In seconds.', examples: [LIFETIME_MS / 1000] }),
    interval: T.Integer({ description: 'Minimum time between two polls, in seconds.', examples: [5] }),
  },
  {},
)
export const TokenAnswer = both(
  {
    access_token: T.String({
      description: 'API key, for the header `API-Key`.',
      examples: [`hf_${'0123456789abcdef'.repeat(4)}`],
    }),
    token_type: T.Literal('API-Key'),
    scope: T.String({ examples: [FILE_SCOPES.join(' ')] }),
  },
  {},
)
export const AskingAnswer = both(
  {
    user_code: T.String({ examples: ['WDJB-MJHT'] }),
    status: T.Literal('pending'),
    client_id: CLIENT_ID,
    scopes: T.Array(oneOf(FILE_SCOPES)),
    ipAddress: T.String({ description: 'Address that the program asks from.', examples: ['203.0.113.7'] }),
    expiresAt: IsoTime,
  },
  {},
)
export const AnsweredAnswer = both({ success: T.Literal(true) }, {})

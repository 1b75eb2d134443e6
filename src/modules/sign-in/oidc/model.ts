import * as T from 'typebox'
import { answer, both, envelope, IsoTime, jsonBody, nullable, oneOf } from '../../../api/schema.ts'
import { refuseInvalid } from '../../../platform/errors.ts'

/** Name of the provider of the configuration, in addresses, rows and bodies. */
export const PROVIDER = 'oidc' as const

/** Codes of failed sign-ins, which the callback adds to the address that it leads to. */
export const SIGN_IN_CODES = [
  'state_mismatch',
  'access_denied',
  'invalid_code',
  'email_missing',
  'email_not_verified',
  'account_not_linked',
  'account_already_linked',
  'signup_disabled',
  'not_in_group',
  'account_disabled',
  'provider_unavailable',
] as const
export type SignInCode = (typeof SIGN_IN_CODES)[number]

const Path = T.String({
  description: 'Path on this instance, such as `/files`.',
  examples: ['/files'],
})

export const BeginBody = jsonBody(
  T.Object({
    provider: oneOf([PROVIDER]),
    callbackURL: T.Optional(Path),
    errorCallbackURL: T.Optional(Path),
  }),
)
export type Begin = T.Static<typeof BeginBody.schema>

export const LogoutBody = jsonBody(
  T.Object({
    logout_token: T.Array(T.String({ examples: ['eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ…'] }), {
      minItems: 1,
      maxItems: 1,
    }),
  }),
)

export const BeginAnswer = both(
  {
    url: T.String({
      description: 'Address to continue at.',
      examples: ['https://auth.example.com/authorize?client_id=holdfast&state=q3…'],
    }),
    redirect: T.Literal(true),
  },
  {},
)

export const ProviderSettingsAnswer = envelope(
  T.Object({
    redirectUrl: T.String({
      description: 'Redirect address of the client at the provider.',
      examples: ['https://files.example.com/api/auth/callback/oidc'],
    }),
    providers: T.Array(
      T.Object({
        id: T.String({ examples: [PROVIDER] }),
        name: T.String({ examples: ['Example'] }),
        issuer: T.String({ examples: ['https://auth.example.com'] }),
      }),
    ),
  }),
)
export const TriedAnswer = envelope(
  T.Object({
    problem: nullable(
      T.String({
        description: 'What is wrong with the provider; null for nothing.',
        examples: ['"https://auth.example.com" did not respond in time'],
      }),
    ),
  }),
)

export const UnlinkBody = jsonBody(
  T.Object({
    providerId: T.Optional(T.String({ examples: [PROVIDER] })),
    accountId: T.Optional(T.String({ description: '`id` in the list, in place of `providerId`.' })),
  }),
)
export type Unlink = T.Static<typeof UnlinkBody.schema>

const LinkedAccount = T.Object({
  id: T.String(),
  providerId: oneOf(['credential', PROVIDER], { examples: [PROVIDER] }),
  accountId: T.String({ description: 'Id of the person there.', examples: ['248289761001'] }),
  createdAt: IsoTime,
})
export type LinkedAccount = T.Static<typeof LinkedAccount>
export const LinkedAccountsAnswer = answer(
  T.Array(LinkedAccount, {
    examples: [
      [
        {
          id: '019a2f02-4c11-7a9e-8b57-6f5e4d3c2b1a',
          providerId: PROVIDER,
          accountId: '248289761001',
          createdAt: '2026-11-01T08:00:00.000Z',
        },
      ],
    ],
  }),
)

/**
 * Matches paths that stay on this instance wherever a browser resolves them. Browsers drop tabs and line feeds, and take
 * a backslash for a slash, so `/\t/example.com` would lead to another site.
 */
const OWN_PATH = /^\/(?![/\\])\P{Cc}*$/u

/** Reads a path to lead to. @throws {Refusal} `invalid` for anything but a path of this instance. */
export function readPath(name: string, sent: string | undefined, otherwise: string): string {
  if (sent === undefined) return otherwise
  if (OWN_PATH.test(sent) && sent.length <= 2000) return sent
  throw refuseInvalid(`"${name}" must be a path of this instance, such as /files`)
}

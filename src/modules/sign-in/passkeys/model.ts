import * as T from 'typebox'
import { AuthSession, AuthUser } from '../../../access/accounts.ts'
import { NameField } from '../../../access/profile.ts'
import {
  answer,
  both,
  IsoTime,
  jsonBody,
  named,
  nullable,
  oneOf,
  queryParameters,
} from '../../../api/schema.ts'
import { iso } from '../../../platform/time.ts'
import type { PasskeyRow } from '../../../store/rows.ts'

/** Ways in which browsers reach an authenticator (WebAuthn, section 5.8.4). */
export const TRANSPORTS = ['ble', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const

/** Schema of bytes in base64url without padding; no field of an authenticator is longer. */
const Bytes = T.String({
  minLength: 1,
  maxLength: 16_384,
  pattern: '^[A-Za-z0-9_-]+$',
  description: 'bytes in base64url',
  examples: ['q3ZtYW5k'],
})

const credential = { id: Bytes, rawId: Bytes, type: T.Literal('public-key') }
const AttestationField = T.Object({
  ...credential,
  response: T.Object({
    clientDataJSON: Bytes,
    attestationObject: Bytes,
    transports: T.Optional(T.Array(T.String(), { examples: [['internal']] })),
  }),
})
export const AssertionField = T.Object({
  ...credential,
  response: T.Object({
    clientDataJSON: Bytes,
    authenticatorData: Bytes,
    signature: Bytes,
    userHandle: T.Optional(nullable(Bytes)),
  }),
})

/** `RegistrationResponseJSON` and `AuthenticationResponseJSON` of WebAuthn, as far as they are read. */
export type Attestation = T.Static<typeof AttestationField>
export type Assertion = T.Static<typeof AssertionField>

export const AddBody = jsonBody(T.Object({ response: AttestationField, name: T.Optional(NameField) }))
export const ProofBody = jsonBody(
  T.Object({
    response: AssertionField,
    rememberMe: T.Optional(T.Boolean({ description: 'As at `sign-in/email`; a second step keeps its own.' })),
    trustDevice: T.Optional(
      T.Boolean({ description: 'True to skip the second step in this browser for 30 days.' }),
    ),
  }),
)
export type Proof = T.Static<typeof ProofBody.schema>
export const RenameBody = jsonBody(T.Object({ id: T.String(), name: NameField }))
export const RemoveBody = jsonBody(T.Object({ id: T.String() }))
export const SecondFactorBody = jsonBody(T.Object({ enabled: T.Boolean() }))

const ATTACHMENTS = ['platform', 'cross-platform'] as const
export type Attachment = (typeof ATTACHMENTS)[number]
export const AddQuery = queryParameters(
  T.Object({
    authenticatorAttachment: T.Optional(
      oneOf(ATTACHMENTS, {
        description: 'Offers only the passkeys of this device, or only those of others.',
        examples: ['platform'],
      }),
    ),
  }),
)
export const PURPOSES = ['sign-in', 'second-step', 'confirm'] as const
export type Purpose = (typeof PURPOSES)[number]
export const ProofQuery = queryParameters(
  T.Object({
    purpose: T.Optional(
      oneOf(PURPOSES, {
        description:
          '`sign-in` by default; `second-step` after the password; `confirm` for `POST /api/auth/confirm`. The last two ' +
          'ask for the passkeys of the account.',
        examples: ['second-step'],
      }),
    ),
  }),
)

/** Schema of a passkey. */
export const PasskeyView = named(
  'Passkey',
  T.Object({
    id: T.String(),
    name: T.String(),
    credentialID: T.String({
      description: 'Id that the browser knows it by.',
      examples: ['q3ZtYW5kLWEtcGFzc2tleQ'],
    }),
    userId: T.String(),
    createdAt: IsoTime,
    usedAt: nullable(IsoTime),
  }),
  {
    id: '019a2f02-4c11-7a9e-8b57-6f5e4d3c2b1a',
    name: 'Firefox on Linux',
    credentialID: 'q3ZtYW5kLWEtcGFzc2tleQ',
    userId: '019a2f02-4c11-7a9e-8b57-000000000001',
    createdAt: '2026-11-20T18:00:00.000Z',
    usedAt: null,
  },
)

export const passkeyView = (row: PasskeyRow): T.Static<typeof PasskeyView> => ({
  id: row.id,
  name: row.name,
  credentialID: row.credentialId,
  userId: row.userId,
  createdAt: iso(row.createdAt),
  usedAt: row.usedAt === null ? null : iso(row.usedAt),
})

const Known = T.Array(
  T.Object({
    id: Bytes,
    type: T.Literal('public-key'),
    transports: T.Array(T.String({ examples: ['internal'] })),
  }),
)
const asked = {
  challenge: Bytes,
  timeout: T.Integer({ description: 'In milliseconds.', examples: [300_000] }),
}
const creation = {
  ...asked,
  rp: T.Object({
    id: T.String({ examples: ['files.example.com'] }),
    name: T.String({ examples: ['Holdfast'] }),
  }),
  user: T.Object({
    id: Bytes,
    name: T.String({ examples: ['ada@example.com'] }),
    displayName: T.String({ examples: ['Ada'] }),
  }),
  pubKeyCredParams: T.Array(T.Object({ type: T.Literal('public-key'), alg: T.Integer({ examples: [-7] }) })),
  excludeCredentials: Known,
  authenticatorSelection: T.Object({
    authenticatorAttachment: T.Optional(oneOf(ATTACHMENTS)),
    residentKey: T.Literal('required'),
    requireResidentKey: T.Literal(true),
    userVerification: T.Literal('required'),
  }),
  attestation: T.Literal('none'),
}
const request = {
  ...asked,
  rpId: T.String({ examples: ['files.example.com'] }),
  allowCredentials: Known,
  userVerification: T.Literal('required'),
}
export type CreationOptions = T.Static<T.TObject<typeof creation>>
export type RequestOptions = T.Static<T.TObject<typeof request>>

export const CreationAnswer = both(creation, {})
export const RequestAnswer = both(request, {})
export const AddedAnswer = both(PasskeyView.properties, {})
export const RenamedAnswer = both({ passkey: PasskeyView }, {})
export const ListAnswer = answer(T.Array(PasskeyView))
export const SignedInAnswer = both({ session: AuthSession, user: AuthUser }, {})

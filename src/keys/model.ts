import * as T from 'typebox'
import { FILE_SCOPES } from '../auth/scopes.ts'
import type { KeyRow } from '../catalog/keys.ts'
import { envelope } from '../envelope.ts'
import { jsonBody } from '../schema.ts'

const nullable = <const S extends T.TSchema>(schema: S) => T.Union([schema, T.Null()])

/** Spec: API key object, with the secret that can be read only once. */
const NewKeyView = T.Object({
  id: T.String(),
  name: T.String(),
  scopes: T.Array(T.String()),
  createdAt: T.String(),
  lastUsed: nullable(T.String()),
  expiresAt: nullable(T.String()),
  key: T.String(),
})

export const NewKeyAnswer = envelope(T.Object({ key: NewKeyView }))

export const CreateKeyBody = jsonBody(
  T.Object({
    name: T.String({ minLength: 1, maxLength: 255 }),
    scopes: T.Array(T.Union(FILE_SCOPES.map((scope) => T.Literal(scope))), { minItems: 1 }),
    expiresAt: T.Optional(nullable(T.String())),
  }),
)
export type CreateKey = T.Static<typeof CreateKeyBody.schema>

const iso = (epochMs: number | null) => (epochMs === null ? null : new Date(epochMs).toISOString())

export const newKeyView = (key: KeyRow, secret: string): T.Static<typeof NewKeyView> => ({
  id: key.id,
  name: key.name,
  scopes: key.scopes,
  createdAt: new Date(key.createdAt).toISOString(),
  lastUsed: iso(key.usedAt),
  expiresAt: iso(key.expiresAt),
  key: secret,
})

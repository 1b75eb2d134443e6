import * as T from 'typebox'
import { FILE_SCOPES, scopesOfKey } from '../../access/caller.ts'
import { NameField } from '../../access/profile.ts'
import { envelope, IsoTime, jsonBody, named, nullable, oneOf } from '../../api/schema.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { KeyRow } from '../../store/rows.ts'

/** Fields of an API key. */
const keyFields = {
  id: T.String(),
  name: T.String(),
  scopes: T.Array(T.String()),
  createdAt: IsoTime,
  lastUsed: nullable(IsoTime),
  expiresAt: nullable(IsoTime),
}
const SAMPLE = {
  id: '019a2f5e-8f01-7b3d-9e44-1d2c3b4a5f60',
  name: 'backup script',
  scopes: ['files:read', 'files:write'],
  createdAt: '2026-11-03T10:00:00.000Z',
  lastUsed: '2026-11-21T03:00:00.000Z',
  expiresAt: null,
}
export const KeyView = named('ApiKey', T.Object(keyFields), SAMPLE)
/** Schema of a new API key with its secret, which can be read only once. */
export const NewKeyView = named('NewApiKey', T.Object({ ...keyFields, key: T.String() }), {
  ...SAMPLE,
  lastUsed: null,
  key: `hf_${'0123456789abcdef'.repeat(4)}`,
})

export const KeysAnswer = envelope(T.Object({ keys: T.Array(KeyView) }))
export const NewKeyAnswer = envelope(T.Object({ key: NewKeyView }))

export const CreateKeyBody = jsonBody(
  T.Object({
    name: NameField,
    scopes: T.Array(oneOf(FILE_SCOPES), { minItems: 1 }),
    expiresAt: T.Optional(nullable(T.String())),
  }),
)
export type CreateKey = T.Static<typeof CreateKeyBody.schema>

export const RenameKeyBody = jsonBody(T.Object({ id: T.String(), name: NameField }))
export const DeleteKeyBody = jsonBody(T.Object({ id: T.String() }))

export const keyView = (key: KeyRow): T.Static<typeof KeyView> => ({
  id: key.id,
  name: key.name,
  scopes: [...scopesOfKey(key)],
  createdAt: iso(key.createdAt),
  lastUsed: isoOrNull(key.usedAt),
  expiresAt: isoOrNull(key.expiresAt),
})

export const newKeyView = (key: KeyRow, secret: string): T.Static<typeof NewKeyView> => ({
  ...keyView(key),
  key: secret,
})

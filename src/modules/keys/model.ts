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
export const KeyView = named('ApiKey', T.Object(keyFields))
/** Schema of a new API key with its secret, which can be read only once. */
export const NewKeyView = named('NewApiKey', T.Object({ ...keyFields, key: T.String() }))

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

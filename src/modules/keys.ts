import { Elysia } from 'elysia'
import * as T from 'typebox'
import {
  assertScope,
  assertStillAllowed,
  type Caller,
  FILE_SCOPES,
  type LocatedCaller,
  newKey,
  scopesOfKey,
} from '../access/caller.ts'
import { assertOrConfirm } from '../access/confirmed.ts'
import type { Context, TreeContext } from '../access/context.ts'
import { insertActivity } from '../access/history.ts'
import { type Access, auth } from '../access/plugin.ts'
import { NameField, trimName } from '../access/profile.ts'
import { within } from '../access/reach.ts'
import { route } from '../access/route.ts'
import { type S3Credentials, S3View, s3CredentialsOf } from '../access/s3-secret.ts'
import { parseExpiry } from '../api/expiry.ts'
import { EXAMPLE_ID } from '../api/openapi/samples.ts'
import {
  done,
  emptyEnvelope,
  envelope,
  IsoTime,
  jsonBody,
  named,
  nullable,
  oneOf,
  success,
} from '../api/schema.ts'
import { Refusal, refuseInvalid } from '../platform/errors.ts'
import { iso, isoOrNull, utcDay } from '../platform/time.ts'
import type { KeyRow, Work } from '../store/rows.ts'
import { announceEnded } from '../views/events.ts'
import { findView } from '../views/folders.ts'

/** Fields of an API key. */
const keyFields = {
  id: T.String(),
  name: T.String(),
  scopes: T.Array(T.String()),
  createdAt: IsoTime,
  lastUsed: nullable(IsoTime),
  expiresAt: nullable(IsoTime),
  folder: nullable(
    T.Object(
      {
        id: T.String(),
        key: nullable(
          T.String({ description: 'Null while the folder is in the trash, or when it is gone.' }),
        ),
      },
      { description: 'The only folder that it reaches; null for all that its account reaches.' },
    ),
  ),
}
const SAMPLE = {
  id: '019a2f5e-8f01-7b3d-9e44-1d2c3b4a5f60',
  name: 'backup script',
  scopes: ['files:read', 'files:write'],
  createdAt: '2026-11-03T10:00:00.000Z',
  lastUsed: '2026-11-21T03:00:00.000Z',
  expiresAt: null,
  folder: null,
}
const KeyView = named('ApiKey', T.Object(keyFields), SAMPLE)
/** Schema of a new API key with its secret, which can be read only once. */
const NewKeyView = named('NewApiKey', T.Object({ ...keyFields, key: T.String() }), {
  ...SAMPLE,
  lastUsed: null,
  key: `hf_${'0123456789abcdef'.repeat(4)}`,
})

export const KeysAnswer = envelope(T.Object({ keys: T.Array(KeyView) }))
export const NewKeyAnswer = envelope(T.Object({ key: NewKeyView, s3: S3View }))
export const S3Answer = envelope(T.Object({ s3: S3View }))

const CreateKeyBody = jsonBody(
  T.Object({
    name: NameField,
    scopes: T.Array(oneOf(FILE_SCOPES), { minItems: 1 }),
    expiresAt: T.Optional(nullable(T.String())),
    folderId: T.Optional(
      T.String({ description: 'Binds the key to this folder: nothing else exists for it.' }),
    ),
  }),
)
export type CreateKey = T.Static<typeof CreateKeyBody.schema>

const RenameKeyBody = jsonBody(T.Object({ id: T.String(), name: NameField }))
const ShowS3Body = jsonBody(
  T.Object({
    id: T.String(),
    password: T.Optional(T.String({ description: 'Password of the account; or confirm the session first.' })),
  }),
)
const DeleteKeyBody = jsonBody(T.Object({ id: T.String() }))

/** API key with the key of its folder. */
interface PlacedKey {
  key: KeyRow
  at: string | null
}

const keyView = ({ key, at }: PlacedKey): T.Static<typeof KeyView> => ({
  id: key.id,
  name: key.name,
  scopes: [...scopesOfKey(key)],
  createdAt: iso(key.createdAt),
  lastUsed: isoOrNull(key.usedAt),
  expiresAt: isoOrNull(key.expiresAt),
  folder: key.folderId === null ? null : { id: key.folderId, key: at },
})

const newKeyView = (key: PlacedKey, secret: string): T.Static<typeof NewKeyView> => ({
  ...keyView(key),
  key: secret,
})

const MANAGE: Access = { scope: 'api-keys:manage', by: 'session' }
const MAKE: Access = { ...MANAGE, isDangerous: true }

const LIST_KEYS = route('API keys', MANAGE, {
  id: 'listKeys',
  summary: 'List the caller’s API keys',
  answer: KeysAnswer,
  returns: 'Newest first.',
})

const CREATE_KEY = route('API keys', MAKE, {
  id: 'createKey',
  summary: 'Create an API key',
  description:
    'The secret is shown only in this response. Without `expiresAt`, or with null, the key never expires. With `folderId` ' +
    'it reaches that folder and everything below it; what is outside does not exist for it.',
  example: { name: 'backup script', scopes: ['files:read', 'files:write'], expiresAt: null },
  takes: CreateKeyBody,
  answer: NewKeyAnswer,
  returns: 'The API key, with its secret as `key`, and its credentials for the S3 API.',
  refusals: {
    400: ['"expiresAt" must be a date, or a date and time with its zone, in the future'],
    404: ['Folder not found'],
    409: ['You have an API key named "backup script" already'],
  },
})

const SHOW_S3 = route('API keys', MANAGE, {
  id: 'showS3Credentials',
  summary: 'Show the credentials of an API key for the S3 API',
  description:
    'For a key that was created before. They reach what the key reaches, with its scopes, and end with it or when ' +
    '`AUTH_SECRET` changes. Send `password`, or confirm the session by another way first.',
  example: { id: EXAMPLE_ID, password: 'correct horse' },
  takes: ShowS3Body,
  answer: S3Answer,
  returns: 'The credentials.',
  refusals: {
    400: ['This is not your password'],
    403: ['Confirm that it is you, then try again'],
    404: ['API key not found'],
  },
})

const RENAME_KEY = route('API keys', MANAGE, {
  id: 'renameKey',
  summary: 'Rename an API key',
  example: { id: EXAMPLE_ID, name: 'nightly backup' },
  takes: RenameKeyBody,
  answer: emptyEnvelope,
  returns: 'The key was renamed.',
  refusals: {
    404: ['API key not found'],
    409: ['You have an API key named "nightly backup" already'],
  },
})

const DELETE_KEY = route('API keys', MANAGE, {
  id: 'deleteKey',
  summary: 'Delete an API key',
  description: 'The next request with it is refused.',
  takes: DeleteKeyBody,
  answer: emptyEnvelope,
  returns: 'Deleted.',
  refusals: { 404: ['API key not found'] },
})

/** Builds `/api/keys`: the caller's own API keys. */
export function keyRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/keys' })
    .use(auth(deps))
    .get(
      '/',
      async ({ caller }) => success({ keys: (await listKeys(within(deps, caller), caller)).map(keyView) }),
      { ...LIST_KEYS },
    )
    .post(
      '/',
      async ({ caller, body }) => {
        const { secret, ...key } = await createKey(within(deps, caller), caller, body)
        return success({ key: newKeyView(key, secret), s3: s3CredentialsOf(deps.secrets, key.key) })
      },
      { ...CREATE_KEY },
    )
    .post('/s3', async ({ caller, body }) => success({ s3: await showS3(deps, caller, body) }), {
      ...SHOW_S3,
    })
    .put('/', ({ caller, body }) => done(renameKey(deps, caller, body)), { ...RENAME_KEY })
    .delete('/', ({ caller, body }) => done(deleteKey(deps, caller, body.id)), { ...DELETE_KEY })
}

/** Returns the caller's API keys, newest first, with their uses up to now. */
async function listKeys({ store, keyUsage, log }: TreeContext, caller: Caller): Promise<PlacedKey[]> {
  await keyUsage.flush().catch((error) => log.error('The latest uses of keys could not be saved', error))
  return store.read(function* () {
    const keys: PlacedKey[] = []
    for (const key of yield* store.keys.ofUser(caller.user.id))
      keys.push({
        key,
        at: (key.folderId === null ? null : yield* store.folders.keyOf(key.folderId)) ?? null,
      })
    return keys
  })
}

/**
 * Creates an API key for its caller. Only its hash is stored, so the secret can be read this once.
 *
 * @throws {Refusal} `invalid`, `forbidden` for a scope the caller's role does not hold, `conflict`.
 */
async function createKey(
  deps: TreeContext,
  caller: LocatedCaller,
  sent: CreateKey,
): Promise<PlacedKey & { secret: string }> {
  const { store, clock } = deps
  const name = readName(sent.name)
  const expiresAt = parseExpiry(sent.expiresAt ?? null, clock.now())
  for (const scope of sent.scopes) assertScope(caller, scope)

  const { secret, key } = newKey(deps, {
    userId: caller.user.id,
    name,
    scopes: [...new Set(sent.scopes)],
    expiresAt,
    folderId: sent.folderId ?? null,
  })
  const detail = expiresAt === null ? 'Never expires' : `Expires ${utcDay(expiresAt)}`
  const at = await store.transact(function* () {
    // The account may have been deleted in the same commit, or its role may have lost a scope.
    yield* assertStillAllowed(deps, caller, 'api-keys:manage')
    for (const scope of sent.scopes) yield* assertStillAllowed(deps, caller, scope)
    const at = sent.folderId === undefined ? null : yield* requireBindable(deps, sent.folderId)
    yield* assertNameFree(deps, key.userId, name)
    yield* store.keys.insert(key)
    yield* insertActivity(deps, { userId: key.userId, type: 'api-key.created', target: name, detail })
    return at
  })
  recordKey(deps, caller, 'api-key.created', at === null ? name : `${name}, only ${at}`)
  return { key, at, secret }
}

/** Returns one of the caller's API keys as the S3 API uses it. @throws {Refusal} `not-found`, as `assertOrConfirm`. */
async function showS3(
  deps: Context,
  caller: LocatedCaller,
  { id, password }: { id: string; password?: string },
): Promise<S3Credentials> {
  const key = await deps.store.read(() => requireOwnKey(deps, caller.user.id, id))
  await assertOrConfirm(deps, caller, password)
  return s3CredentialsOf(deps.secrets, key)
}

/** Returns the key of a folder that an API key may be bound to. @throws {Refusal} `not-found`, `invalid` for the root. */
function* requireBindable(deps: TreeContext, id: string): Work<string> {
  const { key } = yield* findView(deps, { id })
  if (key === '') throw refuseInvalid('An API key cannot be bound to the root folder: leave "folderId" out')
  return key
}

/**
 * Renames one of the caller's API keys.
 *
 * @throws {Refusal} `invalid`, `not-found`, `conflict` when another of them has the name.
 */
async function renameKey(
  deps: Context,
  caller: Caller,
  { id, name: sentName }: { id: string; name: string },
): Promise<void> {
  const { user } = caller
  const name = readName(sentName)
  await deps.store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'api-keys:manage')
    const key = yield* requireOwnKey(deps, user.id, id)
    if (key.name === name) return
    yield* assertNameFree(deps, user.id, name)
    yield* deps.store.keys.rename(id, name)
    const detail = `Renamed from "${key.name}"`
    yield* insertActivity(deps, { userId: user.id, type: 'api-key.renamed', target: name, detail })
  })
}

/**
 * Deletes one of the caller's API keys: the next request made with it is refused.
 *
 * @throws {Refusal} `not-found`.
 */
async function deleteKey(deps: Context, caller: LocatedCaller, id: string): Promise<void> {
  const { user } = caller
  const detail = 'Access revoked for anything using this key'
  const deleted = await deps.store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'api-keys:manage')
    const { name } = yield* requireOwnKey(deps, user.id, id)
    yield* announceEnded(deps, yield* deps.store.shares.ofKey(id))
    yield* deps.store.keys.remove(id)
    yield* insertActivity(deps, { userId: user.id, type: 'api-key.deleted', target: name, detail })
    return name
  })
  recordKey(deps, caller, 'api-key.deleted', deleted)
}

const recordKey = (
  { securityLog }: Context,
  { user, device }: LocatedCaller,
  type: 'api-key.created' | 'api-key.deleted',
  name: string,
) => securityLog.record({ type, account: user, device, detail: name })

const UNREADABLE = /\p{Cc}/u

function readName(sent: string): string {
  const name = trimName(sent)
  if (UNREADABLE.test(name)) throw refuseInvalid('"name" must not contain control characters')
  if (!name.isWellFormed()) throw refuseInvalid('"name" must be well-formed Unicode')
  return name
}

function* requireOwnKey({ store }: Context, userId: string, id: string): Work<KeyRow> {
  const key = yield* store.keys.byId(id)
  if (key?.userId !== userId) throw new Refusal('api-key-not-found')
  return key
}

function* assertNameFree({ store }: Context, userId: string, name: string): Work<void> {
  if (yield* store.keys.byName(userId, name))
    throw new Refusal('name-taken', `You have an API key named "${name}" already`)
}

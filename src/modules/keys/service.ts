import {
  assertScope,
  assertStillAllowed,
  type Caller,
  hashKey,
  type LocatedCaller,
  newKeySecret,
} from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { insertActivity } from '../../access/history.ts'
import { trimName } from '../../access/profile.ts'
import { parseExpiry } from '../../api/expiry.ts'
import { refuseConflict, refuseInvalid, refuseNotFound } from '../../platform/errors.ts'
import { utcDay } from '../../platform/time.ts'
import type { KeyRow, Work } from '../../store/rows.ts'
import type { CreateKey } from './model.ts'

/** Returns the caller's API keys, newest first, with their uses up to now. */
export async function listKeys({ store, keyUsage, log }: Context, caller: Caller): Promise<KeyRow[]> {
  await keyUsage.flush().catch((error) => log.error('The latest uses of keys could not be saved', error))
  return store.keys.ofUser(caller.user.id)
}

/**
 * Creates an API key for its caller. Only its hash is stored, so the secret can be read this once.
 *
 * @throws {Refusal} `invalid`, `forbidden` for a scope the caller's role does not hold, `conflict`.
 */
export async function createKey(
  deps: Context,
  caller: LocatedCaller,
  sent: CreateKey,
): Promise<{ key: KeyRow; secret: string }> {
  const { store, clock, random } = deps
  const name = readName(sent.name)
  const expiresAt = parseExpiry(sent.expiresAt ?? null, clock.now())
  for (const scope of sent.scopes) assertScope(caller, scope)

  const secret = newKeySecret(random)
  const key: KeyRow = {
    id: random.id(),
    userId: caller.user.id,
    name,
    keyHash: hashKey(secret),
    scopes: [...new Set(sent.scopes)],
    createdAt: clock.now(),
    usedAt: null,
    expiresAt,
  }
  const detail = expiresAt === null ? 'Never expires' : `Expires ${utcDay(expiresAt)}`
  await store.transact(function* () {
    // The account may have been deleted in the same commit, or its role may have lost a scope.
    yield* assertStillAllowed(deps, caller, 'api-keys:manage')
    for (const scope of sent.scopes) yield* assertStillAllowed(deps, caller, scope)
    yield* assertNameFree(deps, key.userId, name)
    yield* store.keys.insert(key)
    yield* insertActivity(deps, { userId: key.userId, type: 'api-key.created', target: name, detail })
  })
  recordKey(deps, caller, 'api-key.created', name)
  return { key, secret }
}

/**
 * Renames one of the caller's API keys.
 *
 * @throws {Refusal} `invalid`, `not_found`, `conflict` when another of them has the name.
 */
export async function renameKey(
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
 * @throws {Refusal} `not_found`.
 */
export async function deleteKey(deps: Context, caller: LocatedCaller, id: string): Promise<void> {
  const { user } = caller
  const detail = 'Access revoked for anything using this key'
  const deleted = await deps.store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'api-keys:manage')
    const { name } = yield* requireOwnKey(deps, user.id, id)
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
  if (key?.userId !== userId) throw refuseNotFound('API key not found')
  return key
}

function* assertNameFree({ store }: Context, userId: string, name: string): Work<void> {
  if (yield* store.keys.byName(userId, name))
    throw refuseConflict(`You have an API key named "${name}" already`)
}

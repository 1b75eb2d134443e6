import Format from 'typebox/format'
import { insertActivity } from '../activity/service.ts'
import { assertScope, type Caller } from '../auth/caller.ts'
import { hashKey, newKeySecret } from '../auth/keys.ts'
import type { KeyRow } from '../catalog/keys.ts'
import type { Deps } from '../deps.ts'
import { refuseConflict, refuseInvalid } from '../errors.ts'
import type { CreateKey } from './model.ts'

/**
 * Makes an API key for its caller. Only its hash is stored, so the secret can be read this once.
 *
 * @throws {Refusal} `invalid`, `forbidden` for a scope the caller's role does not hold, `conflict`.
 */
export async function createKey(
  deps: Deps,
  caller: Caller,
  sent: CreateKey,
): Promise<{ key: KeyRow; secret: string }> {
  const { catalog, clock, random } = deps
  const name = sent.name.trim()
  if (name === '') throw refuseInvalid('"name" must not be empty')
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
  const detail =
    expiresAt === null ? 'Never expires' : `Expires ${new Date(expiresAt).toISOString().slice(0, 10)}`
  await catalog.transact(() => {
    if (catalog.keys.byName(key.userId, name))
      throw refuseConflict(`You have an API key named "${name}" already`)
    catalog.keys.insert(key)
    insertActivity(deps, { userId: key.userId, type: 'api-key.created', target: name, detail })
  })
  return { key, secret }
}

function parseExpiry(text: string | null, now: number): number | null {
  if (text === null) return null
  const expiresAt = Format.IsDate(text) || Format.IsDateTime(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(expiresAt) || expiresAt <= now)
    throw refuseInvalid('"expiresAt" must be an ISO date in the future')
  return expiresAt
}

import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { hashKey } from '../../src/auth/keys.ts'
import type { Role } from '../../src/catalog/users.ts'
import { ADMIN, BASE_URL, cookieOf, type Holdfast, postJson } from './holdfast.ts'

/** Another connection to the database of a running server. */
export const openDatabase = ({ dataPath }: Pick<Holdfast, 'dataPath'>) =>
  new Database(join(dataPath, 'db', 'holdfast.sqlite'))

export interface Access {
  role: Role
  /** Scopes picked for the custom role. */
  customScopes?: readonly string[]
}

export interface User {
  id: string
  email: string
  /** Request headers that carry the user's session, from the instance's own pages. */
  withSession: { Cookie: string; Origin: string }
}

let users = 0

/** Adds an account with the admin's password and signs it in; the first account must be there. */
export async function addUser(holdfast: Holdfast, { role, customScopes = [] }: Access): Promise<User> {
  const { catalog, random, clock } = holdfast.server.deps
  const passwordHash = catalog.users.byEmail(ADMIN.email)?.passwordHash ?? ''
  users += 1
  const [id, email, now] = [random.id(), `user${users}@example.com`, clock.now()]
  const row = { id, email, name: `User ${users}`, passwordHash, image: null, disabled: false, role }
  await catalog.transact(() =>
    catalog.users.insert({ ...row, customScopes: [...customScopes], createdAt: now, updatedAt: now }),
  )
  const signedIn = await postJson(holdfast, '/api/auth/sign-in/email', { email, password: ADMIN.password })
  return { id, email, withSession: { Cookie: cookieOf(signedIn), Origin: BASE_URL } }
}

/** Gives an account another role. */
export function setAccess(holdfast: Holdfast, id: string, { role, customScopes = [] }: Access): void {
  using database = openDatabase(holdfast)
  database.run('UPDATE users SET role = ?, custom_scopes = ? WHERE id = ?', [
    role,
    JSON.stringify(customScopes),
    id,
  ])
}

export function setDisabled(holdfast: Holdfast, id: string, disabled: boolean): void {
  using database = openDatabase(holdfast)
  database.run('UPDATE users SET disabled = ? WHERE id = ?', [disabled ? 1 : 0, id])
}

let keys = 0

/**
 * Adds an API key to an account, whatever its role: as one that was made before the role changed, or, with
 * an empty list of scopes, before keys had any.
 *
 * @returns Request headers that carry it.
 */
export async function addKey(
  holdfast: Holdfast,
  key: { userId: string; scopes: readonly string[]; expiresAt?: number; name?: string },
): Promise<{ 'API-Key': string }> {
  const { catalog, random, clock } = holdfast.server.deps
  keys += 1
  const { userId, scopes, expiresAt = null, name = `key ${keys}` } = key
  const secret = `hf_${keys.toString(16).padStart(64, '0')}`
  const row = { id: random.id(), userId, name, keyHash: hashKey(secret), scopes: [...scopes] }
  await catalog.transact(() =>
    catalog.keys.insert({ ...row, createdAt: clock.now(), usedAt: null, expiresAt }),
  )
  return { 'API-Key': secret }
}

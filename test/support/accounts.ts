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
  users += 1
  const [id, email, now] = [Bun.randomUUIDv7(), `user${users}@example.com`, holdfast.now()]
  {
    using database = openDatabase(holdfast)
    const row = [id, email, `User ${users}`, role, JSON.stringify(customScopes), now, now, ADMIN.email]
    database.run(
      `INSERT INTO users (id, email, name, password_hash, disabled, role, custom_scopes, created_at, updated_at)
       SELECT ?, ?, ?, password_hash, 0, ?, ?, ?, ? FROM users WHERE email = ?`,
      row,
    )
  }
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
  using database = openDatabase(holdfast)
  keys += 1
  const { userId, scopes, expiresAt = null, name = `key ${keys}` } = key
  const secret = `hf_${keys.toString(16).padStart(64, '0')}`
  const row = [
    Bun.randomUUIDv7(),
    userId,
    name,
    hashKey(secret),
    JSON.stringify(scopes),
    holdfast.now(),
    expiresAt,
  ]
  database.run(
    `INSERT INTO api_keys (id, user_id, name, key_hash, scopes, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    row,
  )
  return { 'API-Key': secret }
}

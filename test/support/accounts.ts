import { hashKey } from '../../src/access/caller.ts'
import type { Role } from '../../src/catalog/people/users.ts'
import { type Api, apiOf } from './api.ts'
import { ADMIN, BASE_URL, cookieOf, createKey, type Holdfast, postJson } from './holdfast.ts'
import { openRows } from './rows.ts'

export const openDatabase = openRows

export interface Access {
  role: Role
  /** Scopes picked for the custom role. */
  customScopes?: readonly string[]
}

/** Account with a session. */
export interface User {
  id: string
  email: string
  cookie: string
  /** Request headers that carry the user's session, from the instance's own pages. */
  withSession: { Cookie: string; Origin: string }
  /** API client with this session. */
  api: Api
}

export const bySession = (holdfast: Holdfast, cookie: string): Api =>
  apiOf(holdfast, { withKey: { Cookie: cookie } })

/** Creates an API key with the file scopes for the account of `cookie`. Returns an API client that sends it. */
export async function byKey(holdfast: Holdfast, cookie: string): Promise<Api> {
  const scopes = ['files:read', 'files:write', 'files:delete']
  const key = await createKey(holdfast, cookie, { name: `key ${Bun.randomUUIDv7()}`, scopes })
  return apiOf(holdfast, { withKey: { 'API-Key': key } })
}

export const trySignIn = (holdfast: Holdfast, email: string, password: string = ADMIN.password) =>
  postJson(holdfast, '/api/auth/sign-in/email', { email, password }, { 'User-Agent': `browser of ${email}` })

/** Opens a new session. */
export async function signIn(holdfast: Holdfast, email: string, password?: string): Promise<User> {
  const response = await trySignIn(holdfast, email, password)
  if (response.status !== 200) throw new Error(`Cannot sign in: ${await response.text()}`)
  const { user } = (await response.json()) as { user: { id: string } }
  const cookie = cookieOf(response)
  const withSession = { Cookie: cookie, Origin: BASE_URL }
  return { id: user.id, email, cookie, withSession, api: bySession(holdfast, cookie) }
}

/** Registers the first account. */
export async function registerAdmin(holdfast: Holdfast): Promise<User> {
  await postJson(holdfast, '/api/auth/sign-up/email', ADMIN)
  return signIn(holdfast, ADMIN.email)
}

let users = 0

/** Adds an account with the admin's password and no session. The first account must exist. */
export async function addAccount(
  holdfast: Holdfast,
  { role, customScopes = [] }: Access,
): Promise<{ id: string; email: string }> {
  users += 1
  const [id, email, now] = [Bun.randomUUIDv7(), `user${users}@example.com`, holdfast.now()]
  using database = openDatabase(holdfast)
  database.run(
    `INSERT INTO users (id, email, name, password_hash, disabled, role, custom_scopes, created_at, updated_at)
     SELECT ?, ?, ?, password_hash, 0, ?, ?, ?, ? FROM users WHERE email = ?`,
    [id, email, `A ${role}`, role, JSON.stringify(customScopes), now, now, ADMIN.email],
  )
  return { id, email }
}

/** Adds an account and signs it in. */
export async function addUser(holdfast: Holdfast, access: Access): Promise<User> {
  const { email } = await addAccount(holdfast, access)
  return signIn(holdfast, email)
}

/** Returns the status of `GET /me`: 401 when the caller's credentials are no longer valid. */
export const statusOf = async (api: Api): Promise<number> => (await api.send('GET', '/me')).status

/** Changes an account's role. */
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
 * Adds an API key to an account without checking its role, like a key from before the role changed. An empty list of
 * scopes makes a key from before keys had scopes.
 *
 * @returns Request headers with the key.
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

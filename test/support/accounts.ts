import { hashKey, newKeySecret } from '../../src/auth/keys.ts'
import type { KeyRow } from '../../src/catalog/keys.ts'
import type { UserRow } from '../../src/catalog/users.ts'
import { cookieOf, type Holdfast, messageOf, postJson } from './holdfast.ts'

/** Request headers that carry a credential. */
export type Credential = Record<string, string>

const PASSWORD = 'a password of its own'

/** Adds an account and signs it in. */
export async function addAccount(
  holdfast: Holdfast,
  account: Pick<UserRow, 'role'> & Partial<UserRow>,
): Promise<{ userId: string; withSession: Credential }> {
  const { catalog, passwords, clock, random } = holdfast.server.deps
  const userId = random.id()
  const now = clock.now()
  const user: UserRow = {
    id: userId,
    name: 'Another',
    email: `${userId}@example.com`,
    passwordHash: await passwords.hash(PASSWORD),
    image: null,
    customScopes: [],
    disabled: false,
    createdAt: now,
    updatedAt: now,
    ...account,
  }
  await catalog.transact(() => catalog.users.insert(user))
  return { userId, withSession: await signIn(holdfast, user.email) }
}

/** Signs in to an account made by `addAccount` once more, as from another device. */
export async function signIn(holdfast: Holdfast, email: string): Promise<Credential> {
  const signedIn = await postJson(holdfast, '/api/auth/sign-in/email', { email, password: PASSWORD })
  return { Cookie: cookieOf(signedIn) }
}

/** Adds a key with the three file scopes, as it is after some time. */
export async function addKey(
  holdfast: Holdfast,
  key: Pick<KeyRow, 'userId'> & Partial<KeyRow>,
): Promise<{ keyId: string; withKey: Credential }> {
  const { catalog, clock, random } = holdfast.server.deps
  const secret = newKeySecret(random)
  const row: KeyRow = {
    id: random.id(),
    name: `key ${random.id()}`,
    keyHash: hashKey(secret),
    scopes: ['files:read', 'files:write', 'files:delete'],
    createdAt: clock.now(),
    usedAt: null,
    expiresAt: null,
    ...key,
  }
  await catalog.transact(() => catalog.keys.insert(row))
  return { keyId: row.id, withKey: { 'API-Key': secret } }
}

/** The API as it answers to a credential. */
export function callerOf({ fetch }: Pick<Holdfast, 'fetch'>, credential: Credential) {
  const send = (method: string, path: string, body?: unknown) =>
    fetch(`/api${path}`, {
      method,
      headers: credential,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return {
    send,
    /** The `data` of an answer that must succeed. */
    data: async <Data>(method: string, path: string, body?: unknown): Promise<Data> => {
      const response = await send(method, path, body)
      if (response.status !== 200)
        throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
      const { data, error } = (await response.json()) as { data: Data; error: unknown }
      if (error !== null) throw new Error('The answer is not a success')
      return data
    },
    /** Status and message of an answer that must be a failure. */
    refusal: async (method: string, path: string, body?: unknown): Promise<[number, string]> => {
      const response = await send(method, path, body)
      return [response.status, await messageOf(response)]
    },
  }
}

export type ApiCaller = ReturnType<typeof callerOf>

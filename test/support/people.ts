import { type Api, apiOf } from './api.ts'
import { ADMIN, cookieOf, createKey, type Holdfast, postJson } from './holdfast.ts'

/** An account as an admin sees it. */
export interface UserView {
  id: string
  name: string
  email: string
  role: string
  scopes: string[]
  customScopes: string[]
  disabled: boolean
  apiKeys: number
  createdAt: string
}

/** Someone who is signed in: their API by session, and the session's cookie. */
export interface Person {
  id: string
  email: string
  cookie: string
  api: Api
}

const PASSWORD = 'a long password'

export const bySession = (holdfast: Holdfast, cookie: string): Api =>
  apiOf(holdfast, { withKey: { Cookie: cookie } })

/** The API by a new key of `cookie`'s account, with the file scopes. */
export async function byKey(holdfast: Holdfast, cookie: string): Promise<Api> {
  const scopes = ['files:read', 'files:write', 'files:delete']
  const key = await createKey(holdfast, cookie, { name: `key ${Bun.randomUUIDv7()}`, scopes })
  return apiOf(holdfast, { withKey: { 'API-Key': key } })
}

export const trySignIn = (holdfast: Holdfast, email: string, password: string = PASSWORD) =>
  postJson(holdfast, '/api/auth/sign-in/email', { email, password }, { 'User-Agent': `browser of ${email}` })

/** Opens a new session. */
export async function signIn(holdfast: Holdfast, email: string, password?: string): Promise<Person> {
  const response = await trySignIn(holdfast, email, password)
  if (response.status !== 200) throw new Error(`Cannot sign in: ${await response.text()}`)
  const { user } = (await response.json()) as { user: { id: string } }
  const cookie = cookieOf(response)
  return { id: user.id, email, cookie, api: bySession(holdfast, cookie) }
}

/** Registers the first account. */
export async function registerAdmin(holdfast: Holdfast): Promise<Person> {
  await postJson(holdfast, '/api/auth/sign-up/email', ADMIN)
  return signIn(holdfast, ADMIN.email, ADMIN.password)
}

let added = 0

/** Adds an account with a role, not yet signed in. */
export async function addUser(admin: Api, role: string, scopes?: string[]): Promise<UserView> {
  const email = `${role}${added++}@example.com`
  const body = { name: `A ${role}`, email, password: PASSWORD, role, ...(scopes ? { scopes } : {}) }
  return (await admin.data<{ user: UserView }>('POST', '/users', body)).user
}

/** Adds an account and signs it in. */
export async function addPerson(
  holdfast: Holdfast,
  admin: Api,
  { role = 'editor', scopes }: { role?: string; scopes?: string[] } = {},
): Promise<Person> {
  const { email } = await addUser(admin, role, scopes)
  return signIn(holdfast, email)
}

/** The status that a caller gets for reading its own account: 401 once it may do nothing any more. */
export const statusOf = async (api: Api): Promise<number> => (await api.send('GET', '/me')).status

import { describe, expect, test } from 'bun:test'
import type { User as UserView } from '../../src/client/types.ts'
import { createShare } from '../shares/visitors.ts'
import {
  type Access,
  addAccount,
  addUser,
  byKey,
  registerAdmin,
  signIn,
  statusOf,
  trySignIn,
} from '../support/accounts.ts'
import { type Api, apiOf } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { ADMIN, startInside, TestClock } from '../support/holdfast.ts'

const FILES = ['files:read', 'files:write', 'files:delete']
const ALL = [...FILES, 'api-keys:manage', 'settings:manage', 'users:manage']
const PASSWORD = ADMIN.password
const NO_SCOPE = '"scopes" must name at least one scope beside users:manage for the custom role'

const clock = new TestClock()
const holdfast = withInside({ clock })
let { admin } = holdfast

const list = async (api: Api = admin.api) => (await api.data<{ users: UserView[] }>('GET', '/users')).users
const find = async (id: string) => (await list()).find((user) => user.id === id)
const change = async (body: object) => (await admin.api.data<{ user: UserView }>('PUT', '/users', body)).user
const person = (access: Access = { role: 'editor' }) => addUser(holdfast, access)
const history = (userId: string, limit = 1) =>
  holdfast.catalog.activities.newest(userId, limit).map(({ type, target, detail }) => [type, target, detail])
const canList = async (api: Api) => await api.status('GET', '/files')

let names = 0
const newUser = (fields: object = {}) => ({
  name: 'Grace',
  email: `grace${names++}@example.com`,
  password: PASSWORD,
  role: 'editor',
  ...fields,
})

describe('GET /api/users', () => {
  test('lists every account, the oldest first', async () => {
    await using own = await startInside({ clock: new TestClock() })
    const first = await registerAdmin(own)
    const added: string[] = []
    for (const role of ['viewer', 'editor', 'admin'] as const)
      added.push((await addAccount(own, { role })).id)

    const users = await list(first.api)

    expect(users.map(({ id }) => id)).toEqual([first.id, ...added])
    expect(users[0]).toEqual({
      id: first.id,
      name: 'Ada',
      email: 'ada@example.com',
      role: 'admin',
      scopes: ALL,
      customScopes: [],
      folders: null,
      disabled: false,
      apiKeys: 0,
      createdAt: '2026-03-01T12:00:00.000Z',
    })
  })

  test('counts the keys of each account', async () => {
    const [one, two] = [await person(), await person()]
    await byKey(holdfast, one.cookie)
    await byKey(holdfast, one.cookie)

    expect([(await find(one.id))?.apiKeys, (await find(two.id))?.apiKeys]).toEqual([2, 0])
  })
})

describe('POST /api/users', () => {
  const create = async (body: object) =>
    (await admin.api.data<{ user: UserView }>('POST', '/users', body)).user

  test('adds an account that can sign in, its e-mail trimmed and in lower case', async () => {
    const user = await create(
      newUser({ name: ' Grace ', email: '  Grace.Hopper@Example.COM ', role: 'viewer' }),
    )

    expect(user).toEqual({
      id: expect.any(String),
      name: 'Grace',
      email: 'grace.hopper@example.com',
      role: 'viewer',
      scopes: ['files:read'],
      customScopes: [],
      folders: null,
      disabled: false,
      apiKeys: 0,
      createdAt: new Date(clock.now()).toISOString(),
    })
    expect(await find(user.id)).toEqual(user)
    expect((await trySignIn(holdfast, user.email)).status).toBe(200)
    expect(history(admin.id)).toEqual([['user.created', 'grace.hopper@example.com', null]])
  })

  test('gives the custom role the scopes picked, but never users:manage', async () => {
    const scopes = ['users:manage', 'settings:manage', 'files:read', 'files:read']

    const user = await create(newUser({ role: 'custom', scopes }))

    expect(user).toMatchObject({
      role: 'custom',
      scopes: ['files:read', 'settings:manage'],
      customScopes: ['files:read', 'settings:manage'],
    })
    const custom = await signIn(holdfast, user.email)
    expect(await custom.api.refusal('GET', '/users')).toEqual([403, 'Missing required scope "users:manage"'])
  })

  test('ignores scopes beside another role', async () => {
    expect(await create(newUser({ role: 'viewer', scopes: ['files:delete'] }))).toMatchObject({
      scopes: ['files:read'],
      customScopes: [],
    })
    expect(await create(newUser({ role: 'viewer', scopes: [] }))).toMatchObject({ customScopes: [] })
  })

  test.each([8, 128])('takes a password of %d characters', async (length) => {
    const password = 'x'.repeat(length)
    const { email } = await create(newUser({ password }))

    expect((await trySignIn(holdfast, email, password)).status).toBe(200)
  })

  const UNKNOWN = `"scopes.1" must be one of ${ALL.map((scope) => `"${scope}"`).join(', ')}`
  test.each<[string, object, string]>([
    ['no name', { name: undefined }, '"name" is required'],
    ['a blank name', { name: '  ' }, '"name" must not be empty'],
    ['a name with a line break', { name: 'a\nb' }, '"name" must not contain control characters'],
    ['no e-mail', { email: undefined }, '"email" is required'],
    ['an e-mail that is none', { email: 'grace' }, '"email" must be an e-mail address'],
    ['a taken e-mail', { email: ' ADA@example.com' }, 'Another account uses this "email" already'],
    ['no password', { password: undefined }, '"password" is required'],
    ['a password of 7 characters', { password: 'x'.repeat(7) }, '"password" must have at least 8 characters'],
    ['129 characters', { password: 'x'.repeat(129) }, '"password" must have at most 128 characters'],
    ['no role', { role: undefined }, '"role" is required'],
    ['an unknown role', { role: 'owner' }, '"role" must be one of "admin", "editor", "viewer", "custom"'],
    ['a custom role without scopes', { role: 'custom' }, NO_SCOPE],
    ['a custom role with no scope', { role: 'custom', scopes: [] }, NO_SCOPE],
    ['a custom role with users:manage alone', { role: 'custom', scopes: ['users:manage'] }, NO_SCOPE],
    ['an unknown scope', { role: 'custom', scopes: ['files:read', 'files:own'] }, UNKNOWN],
    ['a text for scopes', { role: 'custom', scopes: 'files:read' }, '"scopes" must be of type array'],
  ])('refuses %s and adds nothing', async (_, fields, message) => {
    const before = [await list(), history(admin.id, 1000).length]

    expect(await admin.api.refusal('POST', '/users', newUser(fields))).toEqual([400, message])
    expect([await list(), history(admin.id, 1000).length]).toEqual(before)
  })

  test('of ten accounts made with one e-mail at once adds one', async () => {
    const { email } = newUser()

    const statuses = await Promise.all(
      Array.from(
        { length: 10 },
        async () => (await admin.api.send('POST', '/users', newUser({ email }))).status,
      ),
    )

    expect(statuses.sort()).toEqual([200, ...Array(9).fill(400)])
    expect((await list()).filter((user) => user.email === email)).toHaveLength(1)
  })
})

describe('PUT /api/users', () => {
  test('gives a new role that counts for the very next request, sessions and keys alike', async () => {
    const user = await person()
    const key = await byKey(holdfast, user.cookie)
    const write = async (api: Api) => await api.status('POST', '/files/canceled', { names: ['a'] })

    const answer = await change({ id: user.id, role: 'custom', scopes: ['files:read', 'api-keys:manage'] })

    expect(answer).toMatchObject({ id: user.id, role: 'custom', apiKeys: 1 })
    expect(answer.scopes).toEqual(['files:read', 'api-keys:manage'])
    expect(await find(user.id)).toEqual(answer)
    expect([await write(user.api), await write(key)]).toEqual([403, 403])
    expect([await canList(user.api), await canList(key)]).toEqual([200, 200])
    expect(history(admin.id)).toEqual([['user.access-changed', user.email, 'editor to custom']])

    expect(await change({ id: user.id, role: 'editor' })).toMatchObject({ role: 'editor', customScopes: [] })
    expect([await write(user.api), await write(key)]).toEqual([200, 200])
  })

  test('names the scope that the role lacks, and stops all keys without api-keys:manage', async () => {
    const user = await person()
    const key = await byKey(holdfast, user.cookie)

    await change({ id: user.id, role: 'custom', scopes: ['files:write', 'api-keys:manage'] })
    expect(await key.refusal('GET', '/files')).toEqual([403, 'Missing required scope "files:read"'])
    await change({ id: user.id, role: 'custom', scopes: ['files:read'] })
    expect(await key.refusal('GET', '/files')).toEqual([403, 'Missing required scope "api-keys:manage"'])
    expect(await canList(user.api)).toBe(200)
    await change({ id: user.id, role: 'editor' })
    expect(await canList(key)).toBe(200)
  })

  test('changes any role to Admin, and Admin to any role', async () => {
    const user = await person({ role: 'viewer' })

    await change({ id: user.id, role: 'admin' })
    expect((await list(user.api)).length).toBeGreaterThan(1)
    await change({ id: user.id, role: 'viewer' })
    expect((await user.api.refusal('GET', '/users'))[0]).toBe(403)
  })

  test('records new scopes of the custom role as a change of access', async () => {
    const user = await person({ role: 'custom', customScopes: ['files:read'] })

    await change({ id: user.id, role: 'custom', scopes: ['users:manage', 'files:write'] })

    expect(await find(user.id)).toMatchObject({ scopes: ['files:write'], customScopes: ['files:write'] })
    expect(history(admin.id)).toEqual([['user.access-changed', user.email, 'custom to custom']])
  })

  test('resets a password and signs the account out of every device; its keys continue to work', async () => {
    const user = await person()
    const [phone, key] = [await signIn(holdfast, user.email), await byKey(holdfast, user.cookie)]

    await change({ id: user.id, password: 'set by an admin' })

    expect([await statusOf(user.api), await statusOf(phone.api), await statusOf(key)]).toEqual([
      401, 401, 200,
    ])
    expect((await trySignIn(holdfast, user.email, PASSWORD)).status).toBe(401)
    expect((await trySignIn(holdfast, user.email, 'set by an admin')).status).toBe(200)
    expect(await statusOf(admin.api)).toBe(200)
    expect(history(admin.id)).toEqual([['user.password-reset', user.email, null]])
  })

  test('resets a password and deletes the API keys of the account, and of no other', async () => {
    const [user, other] = [await person(), await person()]
    const [key, otherKey] = [await byKey(holdfast, user.cookie), await byKey(holdfast, other.cookie)]

    expect((await admin.api.refusal('PUT', '/users', { id: user.id, deleteKeys: true }))[0]).toBe(400)
    expect(await statusOf(key)).toBe(200)
    await change({ id: user.id, password: 'set by an admin', deleteKeys: true })

    expect([await statusOf(user.api), await statusOf(key), await statusOf(otherKey)]).toEqual([401, 401, 200])
    expect((await find(user.id))?.apiKeys).toBe(0)
  })

  test('resets a password and ends the shares of the account, and of no other', async () => {
    const [user, other] = [await person(), await person()]
    const share = async ({ api }: typeof user) => {
      const { id: folderId } = await api.createFolder(`shared ${Bun.randomUUIDv7()}`)
      return createShare(api, { items: [{ folderId }] })
    }
    const [ended, kept] = [await share(user), await share(other)]

    await change({ id: user.id, password: 'set by an admin', endShares: true })

    const statuses = [ended, kept].map(({ slug }) => holdfast.fetch(`/api/s/${slug}`))
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([404, 200])
  })

  test('disables an account: signed out everywhere, no sign-in, no keys', async () => {
    const user = await person()
    const [phone, key] = [await signIn(holdfast, user.email), await byKey(holdfast, user.cookie)]

    expect(await change({ id: user.id, disabled: true })).toMatchObject({ disabled: true, role: 'editor' })

    for (const api of [user.api, phone.api, key])
      expect(await api.refusal('GET', '/me')).toEqual([401, 'Unauthorized'])
    const refused = await trySignIn(holdfast, user.email)
    const wrong = await trySignIn(holdfast, user.email, 'not the password')
    expect([refused, wrong].map(({ status, headers }) => [status, headers.get('error-code')])).toEqual([
      [401, 'account-disabled'],
      [401, 'invalid-email-or-password'],
    ])
    expect(history(admin.id)).toEqual([['user.disabled', user.email, null]])
  })

  test('enables it again: it may sign in, keys work, old sessions do not', async () => {
    const user = await person()
    const key = await byKey(holdfast, user.cookie)
    await change({ id: user.id, disabled: true })

    expect(await change({ id: user.id, disabled: false })).toMatchObject({ disabled: false })

    expect([await statusOf(key), await statusOf(user.api)]).toEqual([200, 401])
    expect((await trySignIn(holdfast, user.email)).status).toBe(200)
    expect(history(admin.id)).toEqual([['user.enabled', user.email, null]])
  })

  test('refuses a sign-in that overlaps with disabling or a new password', async () => {
    const { deps } = holdfast.server
    for (const changes of [{ disabled: true }, { password: 'set by an admin' }]) {
      const { id, email } = await addAccount(holdfast, { role: 'editor' })

      await Promise.all([change({ id, ...changes }), trySignIn(holdfast, email)])

      expect(await deps.store.sessions.ofUser(id, clock.now())).toEqual([])
    }
  })

  test.each<[object, string, string | null]>([
    [{ role: 'viewer', disabled: true }, 'user.access-changed', 'editor to viewer, disabled'],
    [{ role: 'viewer', password: 'x'.repeat(8) }, 'user.access-changed', 'editor to viewer, password reset'],
    [{ role: 'editor', disabled: true, password: 'x'.repeat(8) }, 'user.disabled', 'password reset'],
    [{ disabled: false, password: 'x'.repeat(8) }, 'user.password-reset', null],
  ])('applies %j together and records it in one entry', async (changes, type, detail) => {
    const user = await addAccount(holdfast, { role: 'editor' })
    const entries = history(admin.id, 1000).length

    await change({ id: user.id, ...changes })

    expect(history(admin.id, 1000)).toHaveLength(entries + 1)
    expect(history(admin.id)).toEqual([[type, user.email, detail]])
  })

  test('succeeds without an entry when everything is so already', async () => {
    const user = await person()
    const entries = history(admin.id, 1000).length

    expect(await change({ id: user.id, role: 'editor', disabled: false })).toMatchObject({ role: 'editor' })

    expect(history(admin.id, 1000)).toHaveLength(entries)
    expect(await statusOf(user.api)).toBe(200)
  })

  test.each<[string, object, string]>([
    ['nothing to change', {}, '"role", "password" or "disabled" is required'],
    ['only unknown fields', { name: 'x', email: 'x@y' }, '"role", "password" or "disabled" is required'],
    ['scopes without a role', { scopes: ['files:read'] }, '"role", "password" or "disabled" is required'],
    ['an unknown role', { role: 'owner' }, '"role" must be one of "admin", "editor", "viewer", "custom"'],
    ['a short password', { password: 'x'.repeat(7) }, '"password" must have at least 8 characters'],
    ['a long password', { password: 'x'.repeat(129) }, '"password" must have at most 128 characters'],
    ['a word for disabled', { disabled: 'true' }, '"disabled" must be of type boolean'],
    [
      'a custom role left with nothing',
      { role: 'custom', scopes: ['users:manage'], disabled: true },
      NO_SCOPE,
    ],
  ])('refuses %s and changes nothing', async (_, changes, message) => {
    const user = await person()
    const before = await find(user.id)

    expect(await admin.api.refusal('PUT', '/users', { id: user.id, ...changes })).toEqual([400, message])
    expect(await find(user.id)).toEqual(before)
    expect(await statusOf(user.api)).toBe(200)
  })

  test.each<object>([
    { role: 'viewer' },
    { role: 'admin' },
    { password: 'set by myself' },
    { disabled: true },
    { disabled: false },
  ])('refuses %j for the own account', async (changes) => {
    expect(await admin.api.refusal('PUT', '/users', { id: admin.id, ...changes })).toEqual([
      400,
      '"id" is your own account: another admin must change its role, password or status',
    ])
    expect(await find(admin.id)).toMatchObject({ role: 'admin', disabled: false })
  })

  test('knows no account with another id', async () => {
    for (const changes of [{ role: 'viewer' }, { disabled: true }, { password: 'x'.repeat(8) }]) {
      const refused = await admin.api.refusal('PUT', '/users', { id: 'nope', ...changes })
      expect(refused).toEqual([404, 'User not found'])
    }
    expect(await admin.api.refusal('PUT', '/users', { role: 'viewer' })).toEqual([400, '"id" is required'])
  })
})

describe('DELETE /api/users', () => {
  test('removes the account with its sessions, keys and history; its files stay', async () => {
    const user = await person()
    const key = await byKey(holdfast, user.cookie)
    const file = await key.upload('kept.txt', 'content')
    expect(history(user.id, 10)).not.toEqual([])

    expect(await admin.api.data<null>('DELETE', '/users', { id: user.id })).toBeNull()

    expect(await find(user.id)).toBeUndefined()
    expect([await statusOf(user.api), await statusOf(key)]).toEqual([401, 401])
    expect((await trySignIn(holdfast, user.email)).status).toBe(401)
    expect(history(user.id, 10)).toEqual([])
    expect(holdfast.catalog.users.countKeys(user.id)).toBe(0)
    expect((await admin.api.file(file.id)).key).toBe('kept.txt')
    expect(await admin.api.hosted('kept.txt')).toBe('content')
    expect(history(admin.id)).toEqual([['user.deleted', user.email, null]])
  })

  test('frees the e-mail', async () => {
    const { id, email } = await addAccount(holdfast, { role: 'viewer' })
    await admin.api.data('DELETE', '/users', { id })

    expect((await admin.api.send('POST', '/users', newUser({ email }))).status).toBe(200)
  })

  test('refuses the own account, an unknown one and no id', async () => {
    const refused = await admin.api.refusal('DELETE', '/users', { id: admin.id })
    expect(refused).toEqual([400, '"id" is your own account: another admin must delete it'])
    expect(await admin.api.refusal('DELETE', '/users', { id: 'nope' })).toEqual([404, 'User not found'])
    expect(await admin.api.refusal('DELETE', '/users', {})).toEqual([400, '"id" is required'])
    expect(await find(admin.id)).toMatchObject({ role: 'admin' })
  })

  test('of ten deletes of one account at once one succeeds', async () => {
    const { id } = await addAccount(holdfast, { role: 'viewer' })

    const statuses = await Promise.all(
      Array.from({ length: 10 }, async () => (await admin.api.send('DELETE', '/users', { id })).status),
    )

    expect(statuses.sort()).toEqual([200, ...Array(9).fill(404)])
  })

  test('during requests of the account breaks nothing', async () => {
    const user = await person()

    const [deleted, ...others] = await Promise.all([
      admin.api.send('DELETE', '/users', { id: user.id }),
      trySignIn(holdfast, user.email),
      user.api.send('POST', '/files/canceled', { names: ['a'] }),
      user.api.send('PUT', '/me', { name: 'Late' }),
      user.api.send('PUT', '/me/password', { currentPassword: PASSWORD, newPassword: 'x'.repeat(8) }),
      user.api.send('DELETE', '/me/sessions', { others: true }),
    ])

    expect(deleted.status).toBe(200)
    for (const { status } of others) expect([200, 401]).toContain(status)
    expect(await find(user.id)).toBeUndefined()
  })
})

describe('an instance always keeps an admin', () => {
  test.each<[string, string, object]>([
    ['demote', 'PUT', { role: 'viewer' }],
    ['disable', 'PUT', { disabled: true }],
    ['delete', 'DELETE', {}],
  ])('of two admins that %s each other at once only one succeeds', async (_, method, body) => {
    const other = await person({ role: 'admin' })

    const responses = await Promise.all([
      other.api.send(method, '/users', { id: admin.id, ...body }),
      admin.api.send(method, '/users', { id: other.id, ...body }),
    ])

    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.every((status) => [200, 401, 403].includes(status))).toBe(true)
    const winner = statuses[0] === 200 ? other : admin
    expect(
      (await list(winner.api)).filter(({ role, disabled }) => role === 'admin' && !disabled),
    ).toHaveLength(1)
    admin = winner
  })
})

describe('/api/users', () => {
  test('refuses a page of another site', async () => {
    const elsewhere = apiOf(holdfast, { withKey: { Cookie: admin.cookie, Origin: 'null' } })
    const body = newUser({ role: 'admin' })

    expect((await elsewhere.refusal('POST', '/users', body))[0]).toBe(403)
    expect((await list()).some(({ email }) => email === body.email)).toBe(false)
  })
})

import { describe, expect, test } from 'bun:test'
import type { Account as Me } from '../../src/client/types.ts'
import { type Access, addUser, byKey, signIn, statusOf, trySignIn, type User } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { ADMIN, createKey, TestClock } from '../support/holdfast.ts'

const FILES = ['files:read', 'files:write', 'files:delete']
const ALL = [...FILES, 'api-keys:manage', 'settings:manage', 'users:manage']

const clock = new TestClock()
const holdfast = withInside({ clock })
const { admin } = holdfast

const person = (access: Access = { role: 'editor' }) => addUser(holdfast, access)
const me = ({ api }: Pick<User, 'api'>) => api.data<Me>('GET', '/me')
const setRole = (id: string, role: string, scopes?: string[]) =>
  admin.api.data('PUT', '/users', { id, role, ...(scopes ? { scopes } : {}) })

describe('GET /api/me', () => {
  test('is the account and what its session may do', async () => {
    expect(await me(admin)).toEqual({
      user: { id: admin.id, name: 'Ada', email: 'ada@example.com', image: null, role: 'admin' },
      scopes: ALL,
      folders: null,
    })
  })

  test.each([
    ['editor' as const, [...FILES, 'api-keys:manage']],
    ['viewer' as const, ['files:read']],
  ])('returns the scopes of an %s', async (role, scopes) => {
    expect(await me(await person({ role }))).toMatchObject({ user: { role }, scopes })
  })

  test('has the language that the account has chosen, until it takes that of the browser again', async () => {
    const { api } = await person()

    expect(await api.data('PUT', '/me', { language: 'de' })).toMatchObject({ language: 'de' })
    expect(await me({ api })).toMatchObject({ language: 'de' })
    expect((await api.send('PUT', '/me', { language: 'xx' })).status).toBe(400)
    expect(await api.data('PUT', '/me', { language: null })).not.toHaveProperty('language')
    expect(await me({ api })).not.toHaveProperty('language')
  })

  test('returns the scopes picked for a custom role', async () => {
    const custom = await person({ role: 'custom', customScopes: ['settings:manage', 'files:read'] })

    expect(await me(custom)).toMatchObject({
      user: { role: 'custom' },
      scopes: ['files:read', 'settings:manage'],
    })
  })

  test('returns to a key only the scopes that both it and the role of its owner allow', async () => {
    const owner = await person()
    const narrow = await createKey(holdfast, owner.cookie, { name: 'narrow', scopes: ['files:write'] })
    const api = apiOf(holdfast, { withKey: { 'API-Key': narrow } })
    const wide = await byKey(holdfast, owner.cookie)

    expect((await me({ api })).scopes).toEqual(['files:write'])
    expect((await me({ api: wide })).scopes).toEqual(FILES)

    await setRole(owner.id, 'custom', ['files:delete', 'api-keys:manage'])

    expect((await me({ api })).scopes).toEqual([])
    expect((await me({ api: wide })).scopes).toEqual(['files:delete'])
  })

  test('is 403 for a key whose owner may not use keys any more, until it may again', async () => {
    const owner = await person()
    const key = await byKey(holdfast, owner.cookie)

    await setRole(owner.id, 'viewer')
    expect(await key.refusal('GET', '/me')).toEqual([403, 'Missing required scope "api-keys:manage"'])
    await setRole(owner.id, 'editor')
    expect(await statusOf(key)).toBe(200)
  })

  test('is 401 without credentials, with wrong ones and for a disabled account', async () => {
    const gone = await person()
    await admin.api.data('PUT', '/users', { id: gone.id, disabled: true })

    for (const headers of [{}, { 'API-Key': 'hf_wrong' }, { Cookie: 'nonsense' }, { Cookie: gone.cookie }])
      expect(await apiOf(holdfast, { withKey: headers }).refusal('GET', '/me')).toEqual([401, 'Unauthorized'])
  })
})

describe('PUT /api/me', () => {
  const change = (api: User['api'], body: unknown) => api.data<Me>('PUT', '/me', body)

  test('changes the name, the e-mail or both, trimmed, and answers as GET does', async () => {
    const changing = await person()

    expect((await change(changing.api, { name: '  Grace  ' })).user).toMatchObject({
      name: 'Grace',
      email: changing.email,
    })
    expect((await change(changing.api, { email: ' Grace@Example.COM ' })).user).toMatchObject({
      name: 'Grace',
      email: 'grace@example.com',
    })
    const both = await change(changing.api, { name: 'Hopper', email: 'hopper@example.com' })
    expect(both).toEqual(await me(changing))
    expect(both).toEqual({
      user: { id: changing.id, name: 'Hopper', email: 'hopper@example.com', image: null, role: 'editor' },
      scopes: [...FILES, 'api-keys:manage'],
      folders: null,
    })
  })

  test('makes the new e-mail the one to sign in with at once; the old one is free', async () => {
    const moving = await person()

    await change(moving.api, { email: 'moved@example.com' })

    expect((await trySignIn(holdfast, 'moved@example.com')).status).toBe(200)
    expect((await trySignIn(holdfast, moving.email)).status).toBe(401)
    const other = await person()
    expect((await change(other.api, { email: moving.email })).user.email).toBe(moving.email)
  })

  test('accepts the e-mail that the account has already', async () => {
    const same = await person()

    expect((await change(same.api, { email: same.email.toUpperCase() })).user.email).toBe(same.email)
  })

  test.each<[string, object, string]>([
    ['nothing', {}, '"name" or "email" is required'],
    ['only unknown fields', { role: 'admin', image: 'x' }, '"name" or "email" is required'],
    ['an empty name', { name: '' }, '"name" must not be empty'],
    ['a blank name', { name: ' \t ' }, '"name" must not be empty'],
    ['a blank name beside an e-mail', { name: ' ', email: 'x@example.com' }, '"name" must not be empty'],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, '"name" must have at most 255 characters'],
    ['a name with a NUL', { name: 'a\0b' }, '"name" must not contain control characters'],
    ['a lone surrogate', { name: 'a\ud800' }, '"name" must not contain control characters'],
    ['null', { name: null }, '"name" must be of type string'],
    ['an empty e-mail', { email: '' }, '"email" must not be empty'],
    ['a blank e-mail', { email: '  ' }, '"email" must not be empty'],
    ['an e-mail that is none', { email: 'grace' }, '"email" must be an e-mail address'],
    ['an e-mail with a NUL', { email: 'a\0@b' }, '"email" must be an e-mail address'],
    ['a number', { email: 7 }, '"email" must be of type string'],
  ])('refuses %s and changes nothing', async (_, body, message) => {
    const before = await me(admin)

    expect(await admin.api.refusal('PUT', '/me', body)).toEqual([400, message])
    expect(await me(admin)).toEqual(before)
  })

  test('refuses an e-mail that another account uses, in any case, and changes nothing', async () => {
    const [one, other] = [await person(), await person()]

    const sent = { name: 'Changed', email: ` ${other.email.toUpperCase()}` }
    const refused = await one.api.refusal('PUT', '/me', sent)
    expect(refused).toEqual([409, 'Another account uses this "email" already'])
    expect((await me(one)).user).toMatchObject({ name: 'A editor', email: one.email })
  })

  test('of ten that take one e-mail at once, and an account made with it, one gets it', async () => {
    const people: User[] = []
    while (people.length < 10) people.push(await person({ role: 'viewer' }))
    const email = 'wanted@example.com'

    const responses = await Promise.all([
      admin.api.send('POST', '/users', { name: 'New', email, password: 'x'.repeat(8), role: 'viewer' }),
      ...people.map(({ api }) => api.send('PUT', '/me', { email })),
    ])

    const [created, ...changed] = responses.map(({ status }) => status)
    const all = created === 200 ? Array(10).fill(409) : [200, ...Array(9).fill(409)]
    expect([200, 400]).toContain(created ?? 0)
    expect(changed.sort()).toEqual(all)
  })

  test('refuses a page of another site', async () => {
    const elsewhere = apiOf(holdfast, { withKey: { Cookie: admin.cookie, Origin: 'https://evil.example' } })

    expect((await elsewhere.refusal('PUT', '/me', { name: 'x' }))[0]).toBe(403)
    expect((await me(admin)).user.name).toBe('Ada')
  })
})

describe('PUT /api/me/password', () => {
  const OLD = ADMIN.password
  const NEW = 'another password'

  test('changes the password; the other devices stay signed in', async () => {
    const changing = await person()
    const phone = await signIn(holdfast, changing.email)

    const answer = await changing.api.data('PUT', '/me/password', { currentPassword: OLD, newPassword: NEW })

    expect(answer).toBeNull()
    expect((await trySignIn(holdfast, changing.email, OLD)).status).toBe(401)
    expect((await trySignIn(holdfast, changing.email, NEW)).status).toBe(200)
    expect([await statusOf(changing.api), await statusOf(phone.api)]).toEqual([200, 200])
  })

  test('signs out every other device on request, and no other account', async () => {
    const [changing, other] = [await person(), await person()]
    const phone = await signIn(holdfast, changing.email)
    const key = await byKey(holdfast, changing.cookie)

    await changing.api.data('PUT', '/me/password', {
      currentPassword: OLD,
      newPassword: NEW,
      revokeOtherSessions: true,
    })

    expect(await statusOf(phone.api)).toBe(401)
    expect(await statusOf(changing.api)).toBe(200)
    expect(await statusOf(key)).toBe(200)
    expect(await statusOf(other.api)).toBe(200)
  })

  test('refuses a wrong current password and changes nothing', async () => {
    const changing = await person()
    const phone = await signIn(holdfast, changing.email)

    for (const currentPassword of ['wrong', '', `${OLD} `, 'x'.repeat(900_000)]) {
      const body = { currentPassword, newPassword: NEW, revokeOtherSessions: true }
      const refused = await changing.api.refusal('PUT', '/me/password', body)
      expect(refused).toEqual([400, '"currentPassword" is not your current password'])
    }
    expect((await trySignIn(holdfast, changing.email, OLD)).status).toBe(200)
    expect(await statusOf(phone.api)).toBe(200)
  })

  test.each<[string, object, string]>([
    ['no current password', { currentPassword: undefined }, '"currentPassword" is required'],
    ['no new password', { newPassword: undefined }, '"newPassword" is required'],
    ['7 characters', { newPassword: 'x'.repeat(7) }, '"newPassword" must have at least 8 characters'],
    ['129 characters', { newPassword: 'x'.repeat(129) }, '"newPassword" must have at most 128 characters'],
    ['a word', { revokeOtherSessions: 'yes' }, '"revokeOtherSessions" must be of type boolean'],
  ])('refuses %s', async (_, fields, message) => {
    const changing = await person()
    const body = { currentPassword: OLD, newPassword: NEW, ...fields }

    expect(await changing.api.refusal('PUT', '/me/password', body)).toEqual([400, message])
    expect((await trySignIn(holdfast, changing.email, OLD)).status).toBe(200)
  })

  test.each([8, 128])('accepts a password of %d characters, verbatim', async (length) => {
    const changing = await person()
    const newPassword = ` ${'é'.repeat(length - 2)} `

    await changing.api.data('PUT', '/me/password', { currentPassword: OLD, newPassword })

    expect((await trySignIn(holdfast, changing.email, newPassword)).status).toBe(200)
    expect((await trySignIn(holdfast, changing.email, newPassword.trim())).status).toBe(401)
  })

  test('of several changes at once from the same password one succeeds', async () => {
    const changing = await person()
    const passwords = Array.from({ length: 5 }, (_, n) => `${NEW} ${n}`)

    const statuses = await Promise.all(
      passwords.map(async (newPassword) => {
        const body = { currentPassword: OLD, newPassword }
        return (await changing.api.send('PUT', '/me/password', body)).status
      }),
    )

    expect([...statuses].sort()).toEqual([200, 400, 400, 400, 400])
    const winner = passwords[statuses.indexOf(200)]
    expect((await trySignIn(holdfast, changing.email, winner)).status).toBe(200)
  })

  test('never undoes a concurrent reset by an admin', async () => {
    const changing = await person()
    const reset = 'set by an admin'

    const [own, byAdmin] = await Promise.all([
      changing.api.send('PUT', '/me/password', { currentPassword: OLD, newPassword: NEW }),
      admin.api.send('PUT', '/users', { id: changing.id, password: reset }),
    ])

    expect(byAdmin.status).toBe(200)
    expect([200, 400, 401]).toContain(own.status)
    expect((await trySignIn(holdfast, changing.email, reset)).status).toBe(200)
    expect(await statusOf(changing.api)).toBe(401)
  })

  test('is refused after ten wrong passwords for the rest of the minute, for that account only', async () => {
    const [guessing, other] = [await person(), await person()]
    const change = async ({ api }: User, currentPassword: string) =>
      await api.status('PUT', '/me/password', { currentPassword, newPassword: NEW })
    for (let n = 0; n < 10; n += 1) expect(await change(guessing, `guess ${n}`)).toBe(400)

    expect(await change(guessing, OLD)).toBe(429)
    expect(await change(other, OLD)).toBe(200)
    clock.advance(60_000)
    expect(await change(guessing, OLD)).toBe(200)
  })
})

import { describe, expect, test } from 'bun:test'
import { createClient } from '../../src/client/index.ts'
import type { Invitation, NewInvitation } from '../../src/client/types.ts'
import {
  byKey,
  bySession,
  openDatabase,
  registerAdmin,
  setAccess,
  setDisabled,
  trySignIn,
  type User,
} from '../support/accounts.ts'
import { withInside } from '../support/fixture.ts'
import { ADMIN, cookieOf, messageOf, postJson, startInside, TestClock } from '../support/holdfast.ts'

const DAY_MS = 86_400_000
const PASSWORD = 'a long enough passphrase'
const NOT_FOUND: [number, string] = [404, 'Invitation not found']

const clock = new TestClock()
const holdfast = withInside({ clock, isAlone: true })
const { admin } = holdfast

const invite = async (fields: object = {}, { api }: Pick<User, 'api'> = admin) =>
  (await api.data<{ invitation: NewInvitation }>('POST', '/invitations', { role: 'editor', ...fields }))
    .invitation

const list = async () =>
  (await admin.api.data<{ invitations: Invitation[] }>('GET', '/invitations')).invitations
const listed = async (id: string) => (await list()).find((invitation) => invitation.id === id)

const ask = (path: 'open' | 'accept', body: object) => postJson(holdfast, `/api/invitations/${path}`, body)
const accept = (fields: object) => ask('accept', { name: 'Grace', password: PASSWORD, ...fields })
const refusalOf = async (response: Response) => [response.status, await messageOf(response)]
/** Returns the refusals of both ways to use a token. */
const refusals = async (token: string) => [
  await refusalOf(await ask('open', { token })),
  await refusalOf(await accept({ token, email: 'late@example.com' })),
]

/** Lets the minute of the limiter pass, so that tests do not limit each other. */
const rest = () => clock.advance(60_000)

describe('an invitation', () => {
  test('has a link that no later response and no row has', async () => {
    const { token, url, ...invitation } = await invite({
      note: ' the photographer ',
      email: ' New@Example.com ',
    })

    expect(token).toMatch(/^[\w-]{43}$/)
    expect(url).toBe(`invite#${token}`)
    expect(invitation).toEqual({
      id: expect.any(String),
      email: 'new@example.com',
      role: 'editor',
      customScopes: [],
      folders: null,
      note: 'the photographer',
      state: 'open',
      createdBy: { id: admin.id, name: 'Ada' },
      createdAt: new Date(clock.now()).toISOString(),
      expiresAt: new Date(clock.now() + 7 * DAY_MS).toISOString(),
      usedBy: null,
      usedAt: null,
    })
    expect(await listed(invitation.id)).toEqual(invitation)
    using database = openDatabase(holdfast)
    const rows = database.query('SELECT * FROM invitations').all()
    expect(JSON.stringify([rows, await list()])).not.toContain(token)
  })

  test('makes one account while registration is closed, signs it in, and is used', async () => {
    const { id, token, expiresAt } = await invite({ role: 'custom', scopes: ['files:read'] })
    expect(
      (await postJson(holdfast, '/api/auth/sign-up/email', { ...ADMIN, email: 'x@example.com' })).status,
    ).toBe(403)

    const shown: unknown = await (await ask('open', { token })).json()
    const response = await accept({ token, email: ' Grace@Example.com ' })

    expect(shown).toEqual({
      data: {
        invitation: {
          invitedBy: 'Ada',
          email: null,
          role: 'custom',
          scopes: ['files:read'],
          folders: null,
          expiresAt,
        },
      },
      error: null,
    })
    const { data } = (await response.json()) as { data: { user: { id: string } } }
    expect(data.user).toMatchObject({ name: 'Grace', email: 'grace@example.com', role: 'custom' })
    const me = await bySession(holdfast, cookieOf(response)).data('GET', '/me')
    expect(me).toMatchObject({ user: { id: data.user.id }, scopes: ['files:read'] })
    expect((await trySignIn(holdfast, 'grace@example.com', PASSWORD)).status).toBe(200)
    expect(await listed(id)).toMatchObject({
      state: 'used',
      usedBy: { id: data.user.id, name: 'Grace' },
      usedAt: new Date(clock.now()).toISOString(),
    })
    expect(await refusals(token)).toEqual([NOT_FOUND, NOT_FOUND])
    const refused = await admin.api.refusal('DELETE', '/invitations', { id })
    expect(refused).toEqual([409, 'The invitation was used: disable or delete its account instead'])
    rest()
  })

  test('makes one account when eight requests race for it', async () => {
    const { token } = await invite()

    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, n) => accept({ token, email: `racer${n}@example.com` })),
    )

    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 404)).toHaveLength(7)
    const { users } = await admin.api.data<{ users: { email: string }[] }>('GET', '/users')
    expect(users.filter(({ email }) => email.startsWith('racer'))).toHaveLength(1)
    rest()
  })

  test('works through the client, also after a mistake', async () => {
    const { id, token } = await invite({ email: 'client@example.com' })
    const client = createClient({ url: holdfast.url })

    expect((await client.invitations.open(token)).email).toBe('client@example.com')
    const short = client.invitations.accept({ token, name: 'Cleo', password: 'password1' })
    expect(await short.catch((error: Error) => error.message)).toContain('most common passwords')
    expect((await listed(id))?.state).toBe('open')
    await client.invitations.accept({ token, name: 'Cleo', password: PASSWORD })

    expect((await client.account.get()).user.email).toBe('client@example.com')
  })
})

describe('the link of an invitation is the same 404', () => {
  test('when it never was', async () => {
    expect(await refusals('no such token')).toEqual([NOT_FOUND, NOT_FOUND])
    rest()
  })

  test('when it was revoked', async () => {
    const { id, token } = await invite()
    await admin.api.data('DELETE', '/invitations', { id })

    expect(await refusals(token)).toEqual([NOT_FOUND, NOT_FOUND])
    expect(await listed(id)).toBeUndefined()
    expect(await admin.api.refusal('DELETE', '/invitations', { id })).toEqual(NOT_FOUND)
    rest()
  })

  test('while its creator is no admin, and works again with the role', async () => {
    const other = await holdfast.addUser('admin')
    const { id, token } = await invite({}, other)

    setAccess(holdfast, other.id, { role: 'editor' })
    expect(await refusals(token)).toEqual([NOT_FOUND, NOT_FOUND])
    expect((await listed(id))?.state).toBe('suspended')
    setAccess(holdfast, other.id, { role: 'admin' })
    expect((await ask('open', { token })).status).toBe(200)
    setDisabled(holdfast, other.id, true)
    expect(await refusals(token)).toEqual([NOT_FOUND, NOT_FOUND])
    rest()
  })

  test('when its creator was deleted', async () => {
    const other = await holdfast.addUser('admin')
    const { token } = await invite({}, other)
    await admin.api.data('DELETE', '/users', { id: other.id })

    expect(await refusals(token)).toEqual([NOT_FOUND, NOT_FOUND])
    rest()
  })
})

test('ten wrong tokens in a minute are the last for their address, and the right one waits, too', async () => {
  const { token } = await invite()
  for (let n = 0; n < 10; n += 1) expect((await ask('open', { token: `guess ${n}` })).status).toBe(404)

  const [guess, right] = [
    await ask('open', { token: 'guess' }),
    await accept({ token, email: 'r@example.com' }),
  ]

  expect([guess.status, right.status]).toEqual([429, 429])
  expect(Number(guess.headers.get('retry-after'))).toBeGreaterThan(0)
  rest()
  expect((await ask('open', { token })).status).toBe(200)
})

describe('an account by invitation is refused', () => {
  test.each<[what: string, fields: object, message: string]>([
    ['without an e-mail', {}, '"email" is required'],
    ['with an e-mail that is none', { email: 'grace' }, '"email" must be an e-mail address'],
    ['with the e-mail of another', { email: ADMIN.email }, 'Another account uses this "email" already'],
    ['with a common password', { email: 'n@example.com', password: 'password1' }, 'most common passwords'],
    ['with a blank name', { email: 'n@example.com', name: ' ' }, '"name" must not be empty'],
  ])('%s, and the invitation stays open', async (_, fields, message) => {
    const { token } = await invite()
    const response = await accept({ token, ...fields })

    expect(await refusalOf(response)).toEqual([400, expect.stringContaining(message)])
    expect((await ask('open', { token })).status).toBe(200)
  })

  test('with another e-mail than the one of the invitation', async () => {
    const { token } = await invite({ email: 'only@example.com' })

    const refused = await refusalOf(await accept({ token, email: 'other@example.com' }))
    expect(refused).toEqual([400, '"email" must be the one that the invitation is for'])
  })

  test('by a page of another site', async () => {
    const { token } = await invite()
    const response = await postJson(
      holdfast,
      '/api/invitations/accept',
      { token, name: 'Grace', email: 'site@example.com', password: PASSWORD },
      { Origin: 'https://evil.example' },
    )

    expect(response.status).toBe(403)
  })
})

describe('creating an invitation is refused', () => {
  test.each<[what: string, fields: object, message: string]>([
    ['for more than 30 days', { expiresIn: 30 * 86_400 + 1 }, '"expiresIn"'],
    ['for no time', { expiresIn: 0 }, '"expiresIn"'],
    ['for an unknown role', { role: 'owner' }, '"role"'],
    ['for a custom role without scopes', { role: 'custom', scopes: ['users:manage'] }, '"scopes"'],
    ['for the e-mail of an account', { email: ADMIN.email }, 'Another account uses this "email" already'],
    ['with a note in two lines', { note: 'a\nb' }, '"note" must not contain control characters'],
  ])('%s', async (_, fields, message) => {
    const refused = await admin.api.refusal('POST', '/invitations', { role: 'editor', ...fields })
    expect(refused).toEqual([400, expect.stringContaining(message)])
  })

  test('by an API key', async () => {
    const key = await byKey(holdfast, admin.cookie)

    expect(await key.status('POST', '/invitations', { role: 'viewer' })).toBe(403)
  })

  test('past 500 unused ones', async () => {
    using database = openDatabase(holdfast)
    database.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
       INSERT INTO invitations (id, user_id, token_hash, role, custom_scopes, created_at, expires_at)
       SELECT 'many ' || i, '${admin.id}', 'many ' || i, 'viewer', '[]', 0, 1 FROM n`,
    )

    const refused = await admin.api.refusal('POST', '/invitations', { role: 'viewer' })
    expect(refused).toEqual([409, 'There are 500 unused invitations already: revoke some first'])
    await holdfast.server.jobs.runAll()
    await invite()
  })
})

test('the security log has invitations that were created, used and revoked', async () => {
  const made = await invite({ email: 'logged@example.com', role: 'viewer' })
  await accept({ token: made.token })
  const { id } = await invite({ role: 'admin' })
  await admin.api.data('DELETE', '/invitations', { id })

  const types = 'invitation.created,invitation.used,invitation.revoked'
  const { activities } = await admin.api.data<{ activities: object[] }>(
    'GET',
    `/activity?security=1&limit=4&types=${types}`,
  )
  const entry = (type: string, target: string, detail: string) =>
    expect.objectContaining({ type: `invitation.${type}`, target, detail })
  expect(activities).toHaveLength(4)
  for (const expected of [
    entry('revoked', ADMIN.email, 'as admin'),
    entry('created', ADMIN.email, 'as admin'),
    entry('used', 'logged@example.com', `as viewer, invited by ${ADMIN.email}`),
    entry('created', ADMIN.email, 'as viewer, for logged@example.com'),
  ])
    expect(activities).toContainEqual(expected)
})

test('an expired invitation is the same 404, and leaves the list a week later', async () => {
  const later = new TestClock()
  await using own = await startInside({ clock: later, isAlone: true })
  const { api } = await registerAdmin(own)
  const { token } = await invite({ expiresIn: 3600 }, { api })
  const use = () => postJson(own, '/api/invitations/open', { token })
  const stored = async () => (await own.server.deps.store.invitations.all()).length
  later.advance(3_600_000 - 1)
  expect((await use()).status).toBe(200)
  later.advance(1)

  expect(await refusalOf(await use())).toEqual(NOT_FOUND)
  const { invitations } = await api.data<{ invitations: Invitation[] }>('GET', '/invitations')
  expect(invitations.map(({ state }) => state)).toEqual(['expired'])
  later.advance(7 * DAY_MS - 1)
  await own.server.jobs.runAll()
  expect(await stored()).toBe(1)
  later.advance(1)
  await own.server.jobs.runAll()
  expect(await stored()).toBe(0)
})

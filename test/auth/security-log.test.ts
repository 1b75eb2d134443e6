import { beforeEach, describe, expect, test } from 'bun:test'
import type { SecurityEntry as Entry } from '../../src/client/types.ts'
import { addUser, openDatabase, registerAdmin, signIn, trySignIn, type User } from '../support/accounts.ts'
import { withInside } from '../support/fixture.ts'
import { ADMIN, BASE_URL, type Inside, postJson, startInside, TestClock } from '../support/holdfast.ts'
import { withoutAccounts } from './without-accounts.ts'

const SIGN_OUT = '/api/auth/sign-out'
const DAY_MS = 86_400_000

const own = async ({ api }: User) =>
  (await api.data<{ activities: Entry[] }>('GET', '/me/security')).activities

const all = async ({ api }: User, query = '') =>
  (await api.data<{ activities: Entry[] }>('GET', `/activity?security=1${query}`)).activities

/** Instance of the tests that look at entries of one account, or at the latest. */
const holdfast = withInside()

const typesOf = (entries: Entry[]) => entries.map(({ type }) => type)

/** Returns the account's security lines of the log. */
const linesOf = ({ securityLines }: Inside, { id }: Pick<User, 'id'>) =>
  securityLines.filter(({ fields }) => fields?.['account'] === id).map(({ message }) => message)

describe('the security log', () => {
  test('has sign-ins, failed ones and sign-outs, with address and account, in log and database', async () => {
    await using holdfast = await startInside()
    const admin = await registerAdmin(holdfast)

    await trySignIn(holdfast, ADMIN.email, 'a wrong password')
    await postJson(holdfast, SIGN_OUT, {}, (await signIn(holdfast, ADMIN.email)).withSession)

    const [IN, FAILED] = ['sign-in.succeeded', 'sign-in.failed']
    const types = ['account.registered', IN, FAILED, IN, 'sign-out']
    const entries = (await own(admin)).toReversed()
    expect(typesOf(entries)).toEqual(types)
    expect(linesOf(holdfast, admin)).toEqual(types.map((type) => `Security: ${type}`))
    expect(entries[2]).toEqual({
      id: expect.any(String),
      type: 'sign-in.failed',
      target: ADMIN.email,
      detail: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      userId: admin.id,
      actorId: null,
      ipAddress: '127.0.0.1',
      userAgent: `browser of ${ADMIN.email}`,
    })
    expect(holdfast.securityLines).toContainEqual({
      message: 'Security: sign-in.failed',
      fields: { address: '127.0.0.1', account: admin.id },
    })
  })

  test('has changes of password, e-mail, role, status and keys, and the admin that made them', async () => {
    const { admin } = holdfast
    const user = await addUser(holdfast, { role: 'editor' })
    const [currentPassword, newPassword] = [ADMIN.password, 'another good one']

    await user.api.send('PUT', '/me/password', { currentPassword: 'wrong', newPassword })
    await user.api.send('PUT', '/me/password', { currentPassword, newPassword })
    await user.api.send('PUT', '/me', { email: 'new@example.com' })
    const asked = { name: 'a key', scopes: ['files:read'] }
    const { key } = await user.api.data<{ key: { id: string } }>('POST', '/keys', asked)
    await user.api.send('DELETE', '/keys', { id: key.id })
    await user.api.send('DELETE', '/me/sessions', { others: true })
    const change = { role: 'viewer', password: 'set by admin', disabled: true }
    await admin.api.send('PUT', '/users', { id: user.id, ...change })
    await admin.api.send('PUT', '/users/quota', { id: user.id, quota: 1024 })
    await admin.api.send('DELETE', '/users', { id: user.id })

    const entries = (await all(admin, `&user=${user.id}`)).toReversed()
    expect(entries.map(({ type, detail }) => [type, detail])).toEqual([
      ['sign-in.succeeded', 'password'],
      ['password.change-failed', null],
      ['password.changed', null],
      ['email.changed', `${user.email} to new@example.com`],
      ['api-key.created', 'a key'],
      ['api-key.deleted', 'a key'],
      ['session.ended', null],
      ['role.changed', 'editor to viewer'],
      ['password.reset', null],
      ['account.disabled', null],
      ['quota.changed', '1 KiB'],
      ['account.deleted', null],
    ])
    expect(entries.map(({ actorId }) => actorId).slice(6)).toEqual([null, ...Array(5).fill(admin.id)])
  })

  test('has no password and no input for an unknown account', async () => {
    const { admin } = holdfast

    await trySignIn(holdfast, 'my-secret@example.com', 'hunter-two-secret')

    const [entry] = await all(admin)
    expect(entry).toMatchObject({ type: 'sign-in.failed', userId: null, target: null })
    expect(JSON.stringify([holdfast.logged, holdfast.securityLines])).not.toContain('secret')
    expect(holdfast.securityLines.at(-1)?.fields).toEqual({ address: '127.0.0.1', account: 'unknown' })
  })

  test('is for admins; an account sees and pages its own part', async () => {
    const { admin } = holdfast
    const user = await addUser(holdfast, { role: 'editor' })

    const refusal: [number, string] = [403, 'Missing required scope "users:manage"']
    expect(await user.api.refusal('GET', '/activity?security=1')).toEqual(refusal)
    expect(typesOf(await own(user))).toEqual(['sign-in.succeeded'])
    const [latest, ...older] = await all(admin)
    expect((await all(admin, `&before=${latest?.id}&limit=1`))[0]).toEqual(older[0])
    expect(typesOf(await all(admin, '&types=account.registered,sign-out'))).toEqual(['account.registered'])
    const [adminEntry] = await own(admin)
    expect((await user.api.refusal('GET', `/me/security?before=${adminEntry?.id}`))[0]).toBe(400)
    expect((await admin.api.refusal('GET', '/activity?security=1&limit=0'))[0]).toBe(400)
  })

  test('is not cleared with the activity of its account', async () => {
    await using holdfast = await startInside()
    const admin = await registerAdmin(holdfast)
    const entries = await own(admin)

    await admin.api.send('DELETE', '/activity', { ids: entries.map(({ id }) => id) })
    await admin.api.send('DELETE', '/activity', { all: true })

    expect(await own(admin)).toEqual(entries)
  })

  test('survives a stop, and is kept for 90 days when activity is kept for one', async () => {
    const clock = new TestClock()
    await using holdfast = await startInside({ clock, environment: { ACTIVITY_RETENTION_DAYS: '1' } })
    await registerAdmin(holdfast)
    await holdfast.stop()
    const restart = async () => {
      await using again = await startInside({ clock, dataPath: holdfast.dataPath })
      return typesOf(await own(await signIn(again, ADMIN.email)))
    }

    clock.advance(89 * DAY_MS)
    const before = await restart()
    clock.advance(2 * DAY_MS)
    const after = await restart()

    expect(before).toEqual(['sign-in.succeeded', 'sign-in.succeeded', 'account.registered'])
    expect(after).toEqual(['sign-in.succeeded', 'sign-in.succeeded'])
  })

  test('keeps 60 failures an hour of one account, and a line of the log for each', async () => {
    const clock = new TestClock()
    const environment = { TRUST_PROXY: '127.0.0.1' }
    await using holdfast = await startInside({ isAlone: true, clock, environment })
    const admin = await registerAdmin(holdfast)

    await failFrom(holdfast, clock, 70)

    const failed = await all(admin, '&types=sign-in.failed')
    expect(failed).toHaveLength(60)
    const lines = linesOf(holdfast, admin).filter((line) => line === 'Security: sign-in.failed')
    expect(lines).toHaveLength(70)
  })
})

describe('an account that ends sessions all the time', () => {
  test('adds 1,000 entries an hour at most to the security log', async () => {
    await using holdfast = await startInside({ isAlone: true, clock: new TestClock() })
    const admin = await registerAdmin(holdfast)

    for (let n = 0; n < 1010; n += 1) await admin.api.send('DELETE', '/me/sessions', { others: true })
    await own(admin)

    using database = openDatabase(holdfast)
    expect(database.query('SELECT count(*) FROM security_events').values()).toEqual([[1000]])
    expect(linesOf(holdfast, admin)).toHaveLength(1012)
  })
})

/** Signs in with a wrong password once from each of this many addresses, a second apart. */
async function failFrom(holdfast: Inside, clock: TestClock, addresses: number, email = ADMIN.email) {
  for (let n = 0; n < addresses; n += 1) {
    const status = await tryFrom(holdfast, `10.0.0.${n}`, { email, password: 'a wrong password' })
    if (status !== 401) throw new Error(`Try ${n} was answered with ${status}`)
    clock.advance(1000)
  }
}

interface Try {
  email?: string
  password?: string
  browser?: string
}

async function tryFrom(
  holdfast: Inside,
  address: string,
  { email = ADMIN.email, password = ADMIN.password, browser = 'a browser' }: Try = {},
): Promise<number> {
  const headers = { 'X-Forwarded-For': address, 'User-Agent': browser, Origin: BASE_URL }
  return (await postJson(holdfast, '/api/auth/sign-in/email', { email, password }, headers)).status
}

describe('an account with 50 failures in an hour', () => {
  const clock = new TestClock()
  const holdfast = withoutAccounts({ TRUST_PROXY: '127.0.0.1' }, clock)
  const wrong = { password: 'a wrong password' }
  beforeEach(() => registerAdmin(holdfast))

  test.each([ADMIN.email, 'nobody@example.com'])(
    'takes one try a second whatever the addresses: %s',
    async (email) => {
      await failFrom(holdfast, clock, 50, email)

      const sent = { ...wrong, email }
      const statuses = [await tryFrom(holdfast, '10.1.0.1', sent), await tryFrom(holdfast, '10.1.0.2', sent)]
      const headers = { 'X-Forwarded-For': '10.1.0.3' }
      const refused = await postJson(holdfast, '/api/auth/sign-in/email', sent, headers)
      clock.advance(1000)

      expect(statuses).toEqual([401, 429])
      expect(refused.headers.get('retry-after')).toBe('1')
      expect(await tryFrom(holdfast, '10.1.0.4', sent)).toBe(401)
    },
  )

  test('does not spend the try of a second on an address that has to wait anyway', async () => {
    await failFrom(holdfast, clock, 50)
    for (let n = 0; n < 10; n += 1) {
      await tryFrom(holdfast, '10.1.0.1', wrong)
      clock.advance(1000)
    }

    const statuses = [await tryFrom(holdfast, '10.1.0.1', wrong), await tryFrom(holdfast, '10.1.0.2', wrong)]

    expect(statuses).toEqual([429, 401])
  })

  test('takes the right password from a device that signed in before, also beside an attack', async () => {
    expect(await tryFrom(holdfast, '192.0.2.1', { browser: 'the owners' })).toBe(200)
    await holdfast.saveCounts()
    await failFrom(holdfast, clock, 50)
    await tryFrom(holdfast, '10.1.0.1', wrong)

    const known = await tryFrom(holdfast, '192.0.2.1', { browser: 'the owners' })
    const otherBrowser = await tryFrom(holdfast, '192.0.2.1', { browser: 'another' })
    const otherAddress = await tryFrom(holdfast, '192.0.2.2', { browser: 'the owners' })

    expect([known, otherBrowser, otherAddress]).toEqual([200, 429, 429])
  })

  test('takes the right password from the device on which its invitation was used', async () => {
    const { api } = await signIn(holdfast, ADMIN.email)
    const role = { role: 'viewer' }
    const { invitation } = await api.data<{ invitation: { token: string } }>('POST', '/invitations', role)
    const grace = { email: 'grace@example.com', password: ADMIN.password }
    const headers = { 'X-Forwarded-For': '192.0.2.1', 'User-Agent': 'the guests' }
    const sent = { token: invitation.token, name: 'Grace', ...grace }
    expect((await postJson(holdfast, '/api/invitations/accept', sent, headers)).status).toBe(200)
    await holdfast.saveCounts()
    await failFrom(holdfast, clock, 50, grace.email)
    await tryFrom(holdfast, '10.1.0.1', { ...grace, ...wrong })

    const known = await tryFrom(holdfast, '192.0.2.1', { ...grace, browser: 'the guests' })
    const other = await tryFrom(holdfast, '192.0.2.2', { ...grace, browser: 'the guests' })

    expect([known, other]).toEqual([200, 429])
  })

  test('is free again after the hour', async () => {
    await failFrom(holdfast, clock, 50)
    clock.advance(3_600_000)

    const statuses = [await tryFrom(holdfast, '10.1.0.1', wrong), await tryFrom(holdfast, '10.1.0.2', wrong)]

    expect(statuses).toEqual([401, 401])
  })
})

describe('sessions of one account', () => {
  test('are 100 at most: a sign-in ends those used least recently', async () => {
    const clock = new TestClock()
    await using holdfast = await startInside({ clock })
    const admin = await registerAdmin(holdfast)
    using database = openDatabase(holdfast)
    const rows = Array.from({ length: 120 }, (_, n) => n)
    for (const n of rows)
      database.run(
        `INSERT INTO sessions (id, user_id, token_hash, ip_address, user_agent, created_at, used_at, expires_at)
         VALUES (?, ?, ?, '', '', ?, ?, ?)`,
        [`s${n}`, admin.id, `h${n}`, n, clock.now() - 1_000_000 + n, clock.now() + DAY_MS],
      )

    const latest = await signIn(holdfast, ADMIN.email)

    const left = database.query<{ id: string }, []>('SELECT id FROM sessions').all()
    expect(left).toHaveLength(100)
    expect(left.map(({ id }) => id)).toContain('s119')
    expect(left.map(({ id }) => id)).not.toContain('s0')
    expect((await latest.api.send('GET', '/me')).status).toBe(200)
  })

  test('keep 512 characters of a User-Agent', async () => {
    await tryFrom(holdfast, '127.0.0.1', { browser: 'x'.repeat(5000) })

    using database = openDatabase(holdfast)
    const [longest] = database.query('SELECT max(length(user_agent)) FROM sessions').values()
    expect(longest).toEqual([512])
  })
})

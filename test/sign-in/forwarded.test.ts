import { describe, expect, test } from 'bun:test'
import { NAMES_EMAIL } from '../../src/access/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount, withInside } from '../support/fixture.ts'
import { ADMIN, BASE_URL, startInside } from '../support/holdfast.ts'
import { watch } from '../support/watched.ts'

/** Sign-ins by the header of a trusted proxy. The tests are that proxy: they come from 127.0.0.1. */

const SECRET = 'a-secret-of-the-proxy'
const PROXY = {
  FORWARD_AUTH_HEADER: 'Remote-Email',
  FORWARD_AUTH_FROM: '127.0.0.1',
  FORWARD_AUTH_NEW_ACCOUNTS: 'editor',
}

const holdfast = withInside({ environment: PROXY })
const strict = withInside({
  environment: {
    ...PROXY,
    FORWARD_AUTH_SECRET: SECRET,
    FORWARD_AUTH_NEW_ACCOUNTS: 'no',
    FORWARD_AUTH_GROUPS_HEADER: 'Remote-Groups',
    OIDC_ROLES: 'admins=admin,family=viewer',
  },
})
const elsewhere = withInside({ environment: { ...PROXY, FORWARD_AUTH_FROM: '10.0.0.0/8' } })
const without = withInside()

type At = Pick<typeof holdfast, 'fetch'>
type Lines = [name: string, value: string][]

const signIn = (at: At, lines: Lines, origin = BASE_URL) =>
  at.fetch('/api/auth/sign-in/forwarded', {
    method: 'POST',
    headers: [['Content-Type', 'application/json'], ['Origin', origin], ...lines],
    body: '{}',
  })

const cookieOf = (response: Response) => response.headers.get('set-cookie')?.split(';')[0] ?? ''

describe('a trusted proxy', () => {
  test('signs in the account that has the e-mail, and makes one for a new person', async () => {
    const known = await signIn(holdfast, [['Remote-Email', 'ADA@example.com']])
    const made = await signIn(holdfast, [['Remote-Email', 'grace@example.com']])
    const again = await signIn(holdfast, [['Remote-Email', 'grace@example.com']])

    expect(await known.json()).toMatchObject({ user: { email: 'ada@example.com', role: 'admin' } })
    const grace = { user: { email: 'grace@example.com', name: 'grace', role: 'editor' } }
    expect([await made.json(), await again.json()]).toMatchObject([grace, grace])
    const { users } = await holdfast.bySession.data<{ users: { email: string }[] }>('GET', '/users')
    expect(users.filter(({ email }) => email === 'grace@example.com')).toHaveLength(1)
    const password = { email: 'grace@example.com', password: '' }
    const body = {
      method: 'POST',
      body: JSON.stringify(password),
      headers: { 'Content-Type': 'application/json' },
    }
    expect((await holdfast.fetch('/api/auth/sign-in/email', body)).status).toBe(401)
  })

  test('must name the same person in each request of the session', async () => {
    const cookie = cookieOf(await signIn(holdfast, [['Remote-Email', 'grace@example.com']]))
    const statusWith = async (headers: Record<string, string>) =>
      (await holdfast.fetch('/api/me', { headers: { Cookie: cookie, ...headers } })).status
    const sessionWith = async (headers: Record<string, string>) =>
      (await holdfast.fetch('/api/auth/get-session', { headers: { Cookie: cookie, ...headers } })).json()

    expect(await statusWith({ 'Remote-Email': 'grace@example.com' })).toBe(200)
    expect(await statusWith({ 'Remote-Email': 'ada@example.com' })).toBe(401)
    expect(await statusWith({})).toBe(401)
    expect(await sessionWith({})).toBe(null)
    expect(await sessionWith({ 'Remote-Email': 'grace@example.com' })).toMatchObject({
      user: { email: 'grace@example.com' },
    })
  })

  test('must vouch again every five minutes for a stream of changes', async () => {
    let later = 0
    const clock = { now: Date.now, monotonic: () => 10 * performance.now() + later }
    await using local = await startInsideWithAccount({ environment: PROXY, clock })
    const cookie = cookieOf(await signIn(local, [['Remote-Email', ADMIN.email]]))
    const headers = { Cookie: cookie, 'Remote-Email': ADMIN.email }
    const user = await local.addUser('editor')
    const disable = (disabled: boolean) => local.bySession.data('PUT', '/users', { id: user.id, disabled })
    await using stream = await watch(local, headers)
    await using byPassword = await watch(local, local.admin.withSession)

    await disable(true)
    await stream.until(({ areas }) => areas.includes('users'))
    later = 300_000
    await disable(false)
    await stream.ended

    await using again = await watch(local, { ...headers, 'Last-Event-ID': stream.events.at(-1)?.id ?? '' })
    await again.until(({ areas }) => areas.includes('users'))
    const without = await local.fetch('/api/changes', { headers: { Cookie: cookie } })
    expect([without.status, byPassword.events[0]?.type]).toEqual([401, 'ready'])
    await disable(true)
    await eventually(() => byPassword.events.length > 3)
  })

  test('must name the person for a list of passkeys, too', async () => {
    await using local = await startInsideWithAccount({
      environment: { ...PROXY, BASE_URL: 'http://localhost' },
    })
    const cookie = cookieOf(await signIn(local, [['Remote-Email', ADMIN.email]], 'http://localhost'))
    const statusWith = async (headers: Record<string, string>) => {
      const path = '/api/auth/passkey/generate-authenticate-options?purpose=confirm'
      return (await local.fetch(path, { headers: { Cookie: cookie, ...headers } })).status
    }

    expect([await statusWith({ 'Remote-Email': ADMIN.email }), await statusWith({})]).toEqual([200, 401])
  })

  test('gives the role of the groups at each sign-in, and the last admin stays one', async () => {
    const at = (email: string, groups: string) =>
      signIn(strict, [
        ['Remote-Email', email],
        ['Remote-Groups', groups],
        ['X-Forward-Auth-Secret', SECRET],
      ])
    const user = await strict.addUser('editor')

    expect(await (await at(user.email, 'a, admins')).json()).toMatchObject({ user: { role: 'admin' } })
    expect(await (await at(user.email, 'family')).json()).toMatchObject({ user: { role: 'viewer' } })
    expect((await at(user.email, 'other')).headers.get('error-code')).toBe('not-in-group')
    expect(await (await at('ada@example.com', 'family')).json()).toMatchObject({ user: { role: 'admin' } })
    await strict.bySession.data('PUT', '/users', { id: user.id, disabled: true })
    expect((await at(user.email, 'admins')).headers.get('error-code')).toBe('account-disabled')
    const { users } = await strict.bySession.data<{ users: object[] }>('GET', '/users')
    expect(users).toContainEqual(expect.objectContaining({ id: user.id, role: 'viewer' }))
    expect((await at('new@example.com', 'family')).headers.get('error-code')).toBe('account-missing')
  })

  test('gives roles that cannot be changed by hand, while accounts without it keep theirs', async () => {
    const [user, local] = [await strict.addUser('editor'), await strict.addUser('editor')]
    const lines: Lines = [
      ['Remote-Email', user.email],
      ['Remote-Groups', 'family'],
      ['X-Forward-Auth-Secret', SECRET],
    ]
    await signIn(strict, lines)
    const byHand = await strict.bySession.refusal('PUT', '/users', { id: user.id, role: 'editor' })

    expect(byHand).toEqual([400, '"role" comes from the proxy: change the groups there'])
    expect(
      await strict.bySession.status('PUT', '/users', { id: user.id, role: 'viewer', disabled: true }),
    ).toBe(200)
    expect(await strict.bySession.status('PUT', '/users', { id: local.id, role: 'viewer' })).toBe(200)
  })

  test('never signs a person in to an account whose owner chose the e-mail of that person', async () => {
    const eve = await strict.addUser('editor')
    const invite = (fields: object) =>
      strict.bySession.send('POST', '/invitations', { role: 'viewer', ...fields })

    const taking = await eve.api.refusal('PUT', '/me', { email: 'boss@example.com' })
    const renaming = await eve.api.status('PUT', '/me', { name: 'Eve', email: eve.email.toUpperCase() })
    const byAdmin = await strict.bySession.status('PUT', '/me', { email: 'ada@example.com' })

    expect(taking).toEqual([400, NAMES_EMAIL])
    expect([renaming, byAdmin]).toEqual([200, 200])
    expect((await invite({})).status).toBe(400)
    expect((await invite({ email: 'new@example.com' })).status).toBe(200)
  })

  test('is said in the ways to sign in and in the security log', async () => {
    const methods = await (await holdfast.fetch('/api/auth/methods')).json()
    await signIn(holdfast, [['Remote-Email', 'ada@example.com']])
    const { activities } = await holdfast.bySession.data<{ activities: { type: string; detail: string }[] }>(
      'GET',
      '/me/security',
    )

    expect(methods).toMatchObject({ forwarded: true })
    expect(activities[0]).toMatchObject({ type: 'sign-in.succeeded', detail: 'forwarded' })
  })

  test('of an instance without accounts makes none', async () => {
    await using fresh = await startInside({ environment: PROXY })

    const response = await signIn(fresh, [['Remote-Email', 'first@example.com']])
    expect(response.headers.get('error-code')).toBe('account-missing')
  })
})

const ADA: Lines = [['Remote-Email', 'ada@example.com']]

test.each<[string, At, Lines]>([
  ['from another address', elsewhere, ADA],
  ['from another address that X-Forwarded-For hides', elsewhere, [...ADA, ['X-Forwarded-For', '10.0.0.1']]],
  ['without the header', holdfast, []],
  ['with an empty header', holdfast, [['Remote-Email', ' ']]],
  ['with two lines of it', holdfast, [...ADA, ['Remote-Email', 'eve@example.com']]],
  ['with two addresses in it', holdfast, [['Remote-Email', 'ada@example.com, eve@example.com']]],
  [
    'with the header spelled with an underscore beside',
    holdfast,
    [...ADA, ['Remote_Email', 'eve@example.com']],
  ],
  ['without the secret', strict, ADA],
  ['with a wrong secret', strict, [...ADA, ['X-Forward-Auth-Secret', `${SECRET}x`]]],
])('a request %s is refused', async (_, at, lines) => {
  const response = await signIn(at, lines)

  expect([response.status, response.headers.get('error-code')]).toEqual([401, 'not-forwarded'])
})

test('an instance without such a proxy has no such way in', async () => {
  const response = await signIn(without, ADA)

  expect([response.status, response.headers.get('error-code')]).toEqual([404, 'provider-not-found'])
})

test('a request from the page of another site is refused', async () => {
  const response = await signIn(holdfast, [...ADA, ['Sec-Fetch-Site', 'cross-site']])

  expect(response.status).toBe(403)
})

test.each([
  [
    'without the addresses of the proxy',
    { FORWARD_AUTH_HEADER: 'Remote-Email' },
    'FORWARD_AUTH_FROM is missing',
  ],
  [
    'with everybody as the proxy',
    { ...PROXY, FORWARD_AUTH_FROM: '0.0.0.0/0' },
    'must not have every address',
  ],
  [
    'with everybody on IPv6',
    { ...PROXY, FORWARD_AUTH_FROM: '10.0.0.1, ::/0' },
    'must not have every address',
  ],
  [
    'with everybody in halves',
    { ...PROXY, FORWARD_AUTH_FROM: '0.0.0.0/1, 128.0.0.0/1' },
    'must not have every address',
  ],
  [
    'with everybody on IPv4 as IPv6 writes it',
    { ...PROXY, FORWARD_AUTH_FROM: '::ffff:0:0/96' },
    'must not have every address',
  ],
  ['with a name for its address', { ...PROXY, FORWARD_AUTH_FROM: 'proxy' }, 'must be addresses'],
])('a server does not start %s', async (_, environment, words) => {
  await expect(startInside({ environment })).rejects.toThrow(words)
})

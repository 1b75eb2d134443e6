import { describe, expect, test } from 'bun:test'
import { startWithAccount, withInside } from '../support/fixture.ts'
import {
  ADMIN,
  BASE_URL,
  cookieOf,
  type Inside,
  messageOf,
  postJson,
  startHoldfast,
  startInside,
  TestClock,
} from '../support/holdfast.ts'
import { withoutAccounts } from './without-accounts.ts'

const SIGN_UP = '/api/auth/sign-up/email'
const SIGN_IN = '/api/auth/sign-in/email'
/** Description of an API key. */
const KEY = { name: 'a', scopes: ['files:read'] }
const DAY_MS = 86_400_000

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

type User = Record<string, unknown>
type SignedIn = { token: string; user: User; data: { token: string; user: User }; error: null }

const clock = new TestClock()
const holdfast = withInside({
  clock,
  environment: { TRUSTED_ORIGINS: 'https://app.example.com, holdfast://' },
})

/** Returns the statuses of attempts to sign in, one after the other. */
async function attempt(holdfast: Inside, ...passwords: string[]): Promise<number[]> {
  const statuses: number[] = []
  for (const password of passwords)
    statuses.push((await postJson(holdfast, SIGN_IN, { email: ADMIN.email, password })).status)
  return statuses
}

describe('an instance without an account', () => {
  const clock = new TestClock()
  const holdfast = withoutAccounts({}, clock)

  describe('POST /api/auth/sign-up/email', () => {
    test('makes the first account the admin, signs it in, and answers in both forms', async () => {
      const response = await postJson(holdfast, SIGN_UP, { ...ADMIN, email: '  Ada@Example.COM ' })

      const body = (await response.json()) as SignedIn
      expect(response.status).toBe(200)
      expect(body.user).toEqual({
        id: expect.any(String),
        name: 'Ada',
        email: 'ada@example.com',
        emailVerified: false,
        image: null,
        role: 'admin',
        createdAt: new Date(clock.now()).toISOString(),
        updatedAt: new Date(clock.now()).toISOString(),
      })
      const { token, user } = body
      expect(body).toEqual({ data: { token, user }, error: null, token, user })
      expect(response.headers.get('set-cookie')).toMatch(
        /^better-auth\.session_token=[^;]+\.[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
      )
    })

    test('is closed afterwards, also to the first e-mail and whatever the body', async () => {
      await postJson(holdfast, SIGN_UP, ADMIN)
      const bodies = [ADMIN, { ...ADMIN, email: 'second@example.com' }, {}, 'no object']
      for (const body of bodies) {
        const response = await postJson(holdfast, SIGN_UP, body)
        expect(response.status).toBe(403)
        expect(response.headers.get('set-cookie')).toBeNull()
      }
      expect(holdfast.catalog.users.count()).toBe(1)
    })

    test('makes exactly one admin of fifty that register at once', async () => {
      const people = Array.from({ length: 50 }, (_, n) => ({ ...ADMIN, email: `person${n}@example.com` }))

      const responses = await Promise.all(people.map((person) => postJson(holdfast, SIGN_UP, person)))

      const statuses = responses.map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      expect(statuses.every((status) => [200, 403, 429].includes(status))).toBe(true)
      expect(holdfast.catalog.users.count()).toBe(1)
    })

    const LONG = 'x'.repeat(129)

    test.each<[string, unknown, string]>([
      ['broken JSON', '{"name"', 'The body must be JSON'],
      ['nothing', '', 'The body must be JSON'],
      ['a list', '[]', 'The body must be of type object'],
      ['no name', { ...ADMIN, name: undefined }, '"name" is required'],
      ['an empty name', { ...ADMIN, name: '' }, '"name" must not be empty'],
      ['a blank name', { ...ADMIN, name: '  ' }, '"name" must not be empty'],
      ['a number for a name', { ...ADMIN, name: 7 }, '"name" must be of type string'],
      ['no e-mail', { ...ADMIN, email: undefined }, '"email" is required'],
      ['an e-mail that is none', { ...ADMIN, email: 'ada' }, '"email" must be an e-mail address'],
      ['a short password', { ...ADMIN, password: '1234567' }, '"password" must have at least 8 characters'],
      ['a long password', { ...ADMIN, password: LONG }, '"password" must have at most 128 characters'],
    ])('refuses %s with a message that names the field', async (_, sent, message) => {
      const body = typeof sent === 'string' ? sent : JSON.stringify(sent)

      const response = await holdfast.fetch(SIGN_UP, { method: 'POST', body })

      expect(response.status).toBe(400)
      expect(await response.json()).toEqual({ data: null, error: { message }, message, code: 'INVALID' })
      expect(holdfast.catalog.users.count()).toBe(0)
    })

    test('marks the cookie Secure behind https', async () => {
      await using holdfast = await startHoldfast({ environment: { BASE_URL: 'https://files.example.com/' } })

      const response = await postJson(holdfast, SIGN_UP, ADMIN)

      expect(response.headers.get('set-cookie')).toMatch(/^__Secure-better-auth\.session_token=.*; Secure/)
    })
  })

  describe('POST /api/auth/sign-in/email', () => {
    test('signs in with a new token each time, whatever the case of the e-mail', async () => {
      await postJson(holdfast, SIGN_UP, ADMIN)
      const signIn = () =>
        postJson(holdfast, SIGN_IN, { email: 'ADA@example.com ', password: ADMIN.password })

      const [first, second] = [await signIn(), await signIn()]

      const body = (await first.json()) as SignedIn
      expect(first.status).toBe(200)
      const data = { token: body.token, user: { email: ADMIN.email } }
      expect(body).toMatchObject({ error: null, redirect: false, data })
      expect(((await second.json()) as SignedIn).token).not.toBe(body.token)
      expect(cookieOf(first)).not.toBe(cookieOf(second))
    })

    test('sends a cookie that ends with the browser when it is not to be remembered', async () => {
      await postJson(holdfast, SIGN_UP, ADMIN)
      const response = await postJson(holdfast, SIGN_IN, { ...ADMIN, rememberMe: false })

      expect(response.headers.get('set-cookie')).not.toContain('Max-Age')
    })

    test('answers the same to a wrong password and to an unknown e-mail', async () => {
      await postJson(holdfast, SIGN_UP, ADMIN)
      const tryAs = (email: string) => postJson(holdfast, SIGN_IN, { email, password: 'not the password' })
      const [wrong, unknown] = [await tryAs(ADMIN.email), await tryAs('bob@example.com')]

      const message = 'Invalid email or password'
      const body = { data: null, error: { message }, message, code: 'INVALID_EMAIL_OR_PASSWORD' }
      expect([wrong.status, unknown.status]).toEqual([401, 401])
      expect([await wrong.json(), await unknown.json()]).toEqual([body, body])
      expect(wrong.headers.get('set-cookie')).toBeNull()
    })

    test('is refused for the rest of the minute after ten failures, for that address and e-mail only', async () => {
      await postJson(holdfast, SIGN_UP, ADMIN)
      expect(await attempt(holdfast, ...Array(10).fill('wrong password'))).toEqual(Array(10).fill(401))

      clock.advance(20_000)
      const refused = await postJson(holdfast, SIGN_IN, ADMIN)

      expect(refused.status).toBe(429)
      expect(refused.headers.get('retry-after')).toBe('40')
      const other = { email: 'bob@example.com', password: 'wrong' }
      expect((await postJson(holdfast, SIGN_IN, other)).status).toBe(401)
      clock.advance(40_000)
      expect(await attempt(holdfast, ADMIN.password)).toEqual([200])
    })

    test('resets the failures after a right password', async () => {
      await postJson(holdfast, SIGN_UP, ADMIN)
      const nineAndRight = [...Array(9).fill('wrong password'), ADMIN.password]

      for (let round = 0; round < 3; round += 1)
        expect(await attempt(holdfast, ...nineAndRight)).toEqual([...Array(9).fill(401), 200])
    })

    test('limits concurrent password hashes', async () => {
      const passwordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
      await using holdfast = await startInside({ isAlone: true, passwordCost })
      await postJson(holdfast, SIGN_UP, ADMIN)
      const attempts = Array.from({ length: 200 }, (_, n) =>
        postJson(holdfast, SIGN_IN, { email: `nobody${n}@example.com`, password: 'x'.repeat(8) }),
      )

      const responses = await Promise.all(attempts)

      const refused = responses.filter(({ status }) => status === 429)
      expect(responses.every(({ status }) => status === 401 || status === 429)).toBe(true)
      expect(refused.length).toBeGreaterThan(0)
      expect(refused.every(({ headers }) => headers.get('retry-after') === '1')).toBe(true)
    })
  })
})

describe('POST /api/keys', () => {
  const create = (body: unknown, headers: Record<string, string> = { Cookie: holdfast.cookie }) =>
    postJson(holdfast, '/api/keys', body, headers)

  test('answers with the key object and its secret, which is stored as a hash only', async () => {
    const response = await create({
      name: ' deploy ',
      scopes: ['files:write', 'files:read', 'files:write'],
      expiresAt: '2027-01-02',
    })

    const { data } = (await response.json()) as { data: { key: { key: string } } }
    expect<object>(data.key).toEqual({
      id: expect.any(String),
      name: 'deploy',
      scopes: ['files:write', 'files:read'],
      createdAt: '2026-03-01T12:00:00.000Z',
      lastUsed: null,
      expiresAt: '2027-01-02T00:00:00.000Z',
      folder: null,
      key: expect.stringMatching(/^hf_[0-9a-f]{64}$/),
    })
    const keyHash = sha256(data.key.key)
    expect(holdfast.catalog.keys.withOwner(keyHash)?.key).toMatchObject({ name: 'deploy', keyHash })
  })

  test.each<[string, unknown, number, string]>([
    ['no name', { scopes: KEY.scopes }, 400, '"name" is required'],
    ['a blank name', { ...KEY, name: ' ' }, 400, '"name" must not be empty'],
    ['no scopes', { name: 'a' }, 400, '"scopes" is required'],
    ['an empty list of scopes', { name: 'a', scopes: [] }, 400, '"scopes" must not be empty'],
    ['a scope of no key', { name: 'a', scopes: ['users:manage'] }, 400, '"scopes.0" must be one of'],
    ['one scope as text', { name: 'a', scopes: 'files:read' }, 400, '"scopes" must be of type array'],
    ['an expiry in the past', { ...KEY, expiresAt: '2026-03-01T12:00:00Z' }, 400, '"expiresAt"'],
    ['an expiry that is no date', { ...KEY, expiresAt: 'tomorrow' }, 400, '"expiresAt"'],
    ['the expiry 2', { ...KEY, expiresAt: '2' }, 400, '"expiresAt"'],
    ['31 February', { ...KEY, expiresAt: '2027-02-31' }, 400, '"expiresAt"'],
    ['a number for an expiry', { ...KEY, expiresAt: 5 }, 400, '"expiresAt" must be of type string or null'],
    ['the name of another key', { ...KEY, name: 'test' }, 409, '"test"'],
  ])('refuses %s', async (_, body, status, message) => {
    const response = await create(body)

    expect(response.status).toBe(status)
    expect(await messageOf(response)).toContain(message)
  })

  test('an invalid key is refused even beside a valid session', async () => {
    const headers = { 'API-Key': 'hf_nonsense', Cookie: holdfast.cookie }

    expect((await holdfast.fetch('/api/files?key=none', { headers })).status).toBe(401)
  })
})

describe('a session', () => {
  const signIn = async () => cookieOf(await postJson(holdfast, SIGN_IN, ADMIN))
  const sessionOf = async (cookie: string) =>
    (await (await holdfast.fetch('/api/auth/get-session', { headers: { Cookie: cookie } })).json()) as {
      session: Record<string, string>
      user: Record<string, string>
    } | null

  test('is the JSON text null without a session, and never cached', async () => {
    for (const headers of [{}, { Cookie: 'better-auth.session_token=forged.signature' }]) {
      const response = await holdfast.fetch('/api/auth/get-session', { headers })

      expect(response.status).toBe(200)
      expect(await response.text()).toBe('null')
      expect(response.headers.get('content-type')).toStartWith('application/json')
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
  })

  test('is returned in both forms, without its token, and never cached', async () => {
    const cookie = await signIn()

    const headers = { Cookie: cookie, 'User-Agent': 'a test' }
    const response = await holdfast.fetch('/api/auth/get-session', { headers })

    const body = (await response.json()) as { session: unknown; user: unknown }
    const { session, user } = body
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(body).toMatchObject({ error: null, data: { session, user }, user: { role: 'admin' } })
    expect(JSON.stringify(body)).not.toContain(decodeURIComponent(cookie).split('=')[1]?.split('.')[0] ?? '')
  })

  test('is null without a cookie, with one that was tampered with, and with a made-up token', async () => {
    const cookie = await signIn()
    const [token = '', signature = ''] = cookie.split('.').slice(-2)

    const tampered = [cookie.replace(token, `${token}x`), cookie.replace(`.${signature}`, '')]
    for (const bad of ['', `${cookie}x`, ...tampered, 'a=b']) expect(await sessionOf(bad)).toBeNull()
  })

  test('takes the cookie decoded as well as encoded', async () => {
    const cookie = await signIn()

    expect(await sessionOf(decodeURIComponent(cookie))).not.toBeNull()
  })

  test('is none of two different ones in a request, in either order, while one sent twice counts', async () => {
    const [own, planted] = [await signIn(), await signIn()]
    const statusOf = async (...cookies: string[]) =>
      (await holdfast.fetch('/api/me', { headers: { Cookie: cookies.join('; ') } })).status

    expect([await statusOf(own, planted), await statusOf(planted, own)]).toEqual([401, 401])
    expect(await sessionOf(`${own}; a=b; ${planted}`)).toBeNull()
    expect([await statusOf(own, 'a=b', own), await statusOf(own, decodeURIComponent(own))]).toEqual([
      200, 200,
    ])
    expect(await statusOf(planted)).toBe(200)
  })

  test('removes others that a page of a neighbouring host may have planted, when signing in or out', async () => {
    const environment = { BASE_URL: 'http://files.example.test', TRUSTED_ORIGINS: BASE_URL }
    await using own = await startWithAccount({ environment })
    const name = 'better-auth.session_token'
    const headersOf = (Cookie: string) => ({ Cookie, Origin: BASE_URL })
    const removedBy = async (path: string, Cookie: string) =>
      (await postJson(own, path, ADMIN, headersOf(Cookie))).headers
        .getSetCookie()
        .filter((line) => line.startsWith(`${name}=; Max-Age=0`))
        .flatMap((line) => /Path=[^;]*(?:; Domain=[^;]*)?/.exec(line) ?? [])
    const planted = [
      ...['Path=/api', 'Path=/api/auth'],
      ...['Path=/api; Domain=files.example.test', 'Path=/api/auth; Domain=files.example.test'],
      ...[
        'Path=/api; Domain=example.test',
        'Path=/api/auth; Domain=example.test',
        'Path=/; Domain=example.test',
      ],
    ]
    const two = `${own.cookie}; ${name}=planted`
    expect((await removedBy(SIGN_IN, two)).sort()).toEqual(planted.sort())
    expect(await removedBy(SIGN_IN, own.cookie)).toEqual([])
    expect(await removedBy('/api/auth/sign-out', two)).toEqual(expect.arrayContaining(planted))
  })

  test.each(['other.application', '%', ''])(
    'is found beside a cookie of the same name that another application set: %j',
    async (value) => {
      const [own, other] = [await signIn(), `better-auth.session_token=${value}`]

      expect(await sessionOf(`${own}; ${other}`)).not.toBeNull()
      expect(await sessionOf(`${other}; ${own}`)).not.toBeNull()
    },
  )

  test('ends with sign-out beside a cookie of another application', async () => {
    const cookie = await signIn()
    const headers = { Cookie: `better-auth.session_token=other.application; ${cookie}`, Origin: BASE_URL }
    await holdfast.fetch('/api/auth/sign-out', { method: 'POST', headers })

    expect(await sessionOf(cookie)).toBeNull()
  })

  test('ends with sign-out, which works without a session too', async () => {
    const cookie = await signIn()
    const signOut = (headers: Record<string, string>) =>
      holdfast.fetch('/api/auth/sign-out', { method: 'POST', headers })

    const response = await signOut({ Cookie: cookie, Origin: BASE_URL })

    expect(await response.json()).toEqual({ data: null, error: null, success: true })
    expect(response.headers.get('set-cookie')).toMatch(/^better-auth\.session_token=; Max-Age=0/)
    expect(await sessionOf(cookie)).toBeNull()
    expect((await signOut({})).status).toBe(200)
  })

  test.each([
    ['a cookie is sent again when use extends its session, by any route', true],
    ['a cookie that ends with the browser stays as it is', false],
  ])('%s', async (_, rememberMe) => {
    const cookie = cookieOf(await postJson(holdfast, SIGN_IN, { ...ADMIN, rememberMe }))
    clock.advance(DAY_MS - 1)
    const early = await holdfast.fetch('/api/me', { headers: { Cookie: cookie } })
    clock.advance(1)

    const extending = await holdfast.fetch('/api/me', { headers: { Cookie: cookie } })

    expect(early.headers.get('set-cookie')).toBeNull()
    const sent = rememberMe
      ? [expect.stringMatching(/; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)]
      : []
    expect(extending.headers.getSetCookie()).toEqual(sent)
    expect(rememberMe ? cookieOf(extending) : cookie).toBe(cookie)
  })

  test('is not extended by hosted files, whose responses cannot extend its cookie, but by the next API request', async () => {
    const cookie = await signIn()
    clock.advance(2 * DAY_MS)
    const headers = { Cookie: cookie }

    const hosted = await holdfast.fetch('/api/hosting/none', { headers })
    const next = await holdfast.fetch('/api/me', { headers })

    expect(hosted.headers.getSetCookie()).toEqual([])
    expect(cookieOf(next)).toBe(cookie)
  })

  test('is returned with its new expiry by the request that extends it', async () => {
    const cookie = await signIn()
    clock.advance(2 * DAY_MS)

    const told = await sessionOf(cookie)

    expect(told?.session['expiresAt']).toBe(new Date(clock.now() + 7 * DAY_MS).toISOString())
    expect(told?.session['updatedAt']).toBe(new Date(clock.now()).toISOString())
  })

  test('lasts seven days, and use extends it once a day', async () => {
    const cookie = await signIn()
    clock.advance(6 * DAY_MS)
    expect(await sessionOf(cookie)).not.toBeNull()
    await holdfast.fetch('/api/health') // lets the extension be committed
    clock.advance(6 * DAY_MS)
    expect(await sessionOf(cookie)).not.toBeNull()
    await holdfast.fetch('/api/health')
    clock.advance(7 * DAY_MS)
    expect(await sessionOf(cookie)).toBeNull()
  })

  test('is kept in the database as a hash only', async () => {
    const cookie = await signIn()
    const token = decodeURIComponent(cookie).split('=')[1]?.split('.')[0] ?? 'none'
    const { sessions } = holdfast.catalog

    expect(sessions.withOwner(token)).toBeUndefined()
    expect(sessions.withOwner(sha256(token))).toBeDefined()
  })

  const UNTRUSTED = [
    ...['https://evil.example', 'null', ''],
    `${BASE_URL}.evil.example`,
    'https://app.example.com.evil.example',
    'http://app.example.com',
  ]

  test.each(UNTRUSTED)('changes nothing for a page of %j', async (origin) => {
    const cookie = await signIn()
    const headers = { Cookie: cookie, Origin: origin }

    for (const path of ['/api/keys', '/api/files', '/api/auth/sign-out']) {
      expect((await postJson(holdfast, path, { ...KEY, name: 'stolen' }, headers)).status).toBe(403)
    }
    expect(await sessionOf(cookie)).not.toBeNull()
  })

  test.each([
    { Origin: BASE_URL },
    { Origin: 'https://app.example.com' },
    { 'expo-origin': 'holdfast://' },
    { 'expo-origin': 'holdfast://somewhere' },
  ])('changes things for %j', async (headers) => {
    const cookie = await signIn()

    const body = { ...KEY, name: `for ${JSON.stringify(headers)}` }
    const response = await postJson(holdfast, '/api/keys', body, { Cookie: cookie, ...headers })

    expect(response.status).toBe(200)
  })

  test('must say where it comes from on the sign-in routes', async () => {
    const cookie = await signIn()
    const signOut = (headers: Record<string, string>) =>
      holdfast.fetch('/api/auth/sign-out', { method: 'POST', headers: { Cookie: cookie, ...headers } })

    const refused = await signOut({})

    expect(refused.status).toBe(403)
    expect(await messageOf(refused)).toBe('Missing or null Origin')
    expect((await signOut({ 'expo-origin': 'evil://' })).status).toBe(403)
    expect((await signOut({ 'expo-origin': 'holdfast://' })).status).toBe(200)
  })
})

import { describe, expect, test } from 'bun:test'
import { addUser } from '../support/accounts.ts'
import { withHoldfast } from '../support/fixture.ts'
import {
  ADMIN,
  BASE_URL,
  cookieOf,
  createKey,
  postJson,
  refusalOf,
  startInside,
  TestClock,
} from '../support/holdfast.ts'
import { KIND } from '../support/kind.ts'
import { filePart, MULTIPART, multipartBody } from '../support/multipart.ts'
import { storedIn } from '../support/stored.ts'

/** Time to the end of a window, on a clock that stands still; that of PostgreSQL goes on. */
const RETRY_AFTER = KIND === 'scale' ? /^([1-5]?\d|60)$/ : /^60$/
const SIGN_IN = '/api/auth/sign-in/email'

const holdfast = withHoldfast()

// Row 57.
test('no header moves a client past its 300 requests a minute', async () => {
  await using limited = await startInside({ clock: new TestClock(), environment: { RATE_LIMIT_API: '' } })
  const forged = (n: number) => {
    const address = `203.0.${n >> 8}.${n & 255}`
    const names = ['X-Forwarded-For', 'X-Real-IP', 'CF-Connecting-IP', 'True-Client-IP', 'X-Client-IP']
    return { Forwarded: `for=${address}`, ...Object.fromEntries(names.map((name) => [name, address])) }
  }
  const statuses: number[] = []
  for (let n = 0; n < 400; n += 1) {
    const response = await limited.fetch('/api/setup', { headers: forged(n) })
    statuses.push(response.status)
    if (response.status === 429) expect(response.headers.get('retry-after')).toMatch(RETRY_AFTER)
  }

  expect(statuses).toEqual([...Array(300).fill(200), ...Array(100).fill(429)])
})

// Row 62.
test.each(['https://evil.example', 'null', `${BASE_URL}.evil.example`])(
  'the API allows no page of %s to read a response',
  async (origin) => {
    for (const [method, path] of [
      ['GET', '/api/me'],
      ['GET', '/api/auth/get-session'],
      ['OPTIONS', '/api/me'],
      ['OPTIONS', '/api/auth/sign-in/email'],
      ['POST', SIGN_IN],
    ] as const) {
      const headers = { Origin: origin, Cookie: holdfast.cookie, 'Access-Control-Request-Method': 'POST' }
      const body = method === 'POST' ? { body: '{}' } : {}
      const response = await holdfast.fetch(path, { method, headers, ...body })

      const allowed = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))
      expect({ path, allowed }).toEqual({ path, allowed: [] })
    }
  },
)

// Row 63.
test('an identity claimed in a body has no effect', async () => {
  const before = await storedIn(holdfast).keys()
  const { userId, key: apiKey, cookie: session } = holdfast
  const claim = { userId, role: 'admin', scopes: ['files:write'], apiKey, session }
  for (const [method, path] of [
    ['POST', '/api/folders'],
    ['POST', '/api/keys'],
    ['POST', '/api/users'],
    ['PUT', '/api/settings'],
    ['DELETE', '/api/files'],
  ] as const) {
    const body = JSON.stringify({ ...claim, folder: 'claimed', name: 'claimed' })
    expect((await holdfast.fetch(path, { method, body })).status).toBe(401)
  }
  const person = { ...claim, ...ADMIN, email: 'claimed@example.com' }
  const signedUp = await postJson(holdfast, '/api/auth/sign-up/email', person)

  expect(signedUp.status).toBe(403)
  expect(await storedIn(holdfast).keys()).toEqual(before)
  expect(holdfast.catalog.users.byEmail('claimed@example.com')).toBeUndefined()
})

// Row 64.
describe('a form on another site', () => {
  const body = multipartBody([filePart('forged', 'x')])
  const as = (type: string, body: string) => ({ body, headers: { 'Content-Type': type } })
  const forms: [what: string, path: string, init: RequestInit][] = [
    ['a multipart form', '/api/files', { body, headers: MULTIPART }],
    ['a urlencoded form', '/api/files/download', as('application/x-www-form-urlencoded', 'ids=x')],
    ['JSON as text', '/api/folders', as('text/plain', '{"folder":"forged"}')],
    ['an archive', '/api/folders/import', as('text/plain', 'PK')],
  ]

  test.each(forms)(
    'that sends %s does nothing with a visitor’s session',
    async (_, path, { body, headers }) => {
      const before = await storedIn(holdfast).keys()
      for (const Origin of ['https://evil.example', 'null']) {
        const response = await holdfast.fetch(path, {
          method: 'POST',
          body: body ?? null,
          headers: { ...headers, Origin, Cookie: holdfast.cookie },
        })

        expect(await refusalOf(response)).toEqual([403, 'Invalid origin'])
      }
      expect(await storedIn(holdfast).keys()).toEqual(before)
    },
  )

  test('does not affect a caller with an API key, which no browser adds by itself', async () => {
    const headers = { ...MULTIPART, ...holdfast.withKey, Origin: 'https://evil.example' }

    expect((await holdfast.fetch('/api/files', { method: 'POST', body, headers })).status).toBe(200)
  })
})

// Row 69.
describe('a session', () => {
  const signIn = (headers: Record<string, string> = {}) =>
    postJson(holdfast, SIGN_IN, ADMIN, { Origin: BASE_URL, ...headers })
  const isSignedIn = async (headers: Record<string, string>, query = '') =>
    (await holdfast.fetch(`/api/me${query}`, { headers })).status === 200

  test('is not one that was planted before signing in', async () => {
    const planted = 'better-auth.session_token=planted.by-someone-else'

    const own = cookieOf(await signIn({ Cookie: planted }))

    expect(own).not.toContain('planted')
    expect(await isSignedIn({ Cookie: planted })).toBe(false)
    expect(await isSignedIn({ Cookie: own })).toBe(true)
  })

  test('of another account is neither taken over nor ended by signing in beside it', async () => {
    const other = (await addUser(holdfast, { role: 'viewer' })).withSession

    const own = cookieOf(await signIn(other))

    expect(own).not.toBe(other.Cookie)
    expect([await isSignedIn(other), await isSignedIn({ Cookie: own })]).toEqual([true, true])
  })

  test('is never taken from a URL, nor a key', async () => {
    const token = cookieOf(await signIn()).split('=')[1] ?? ''
    for (const name of ['better-auth.session_token', 'token', 'API-Key', 'apiKey', 'api_key']) {
      const value = /key/i.test(name) ? holdfast.key : token
      expect(await isSignedIn({}, `?${name}=${value}`)).toBe(false)
    }
  })
})

// Row 80.
describe('a password', () => {
  const statusOf = async (email: string, password: string) =>
    (await postJson(holdfast, SIGN_IN, { email, password })).status

  test('that no account can have is a wrong one like any other, whatever it begins with', async () => {
    const attempt = (password: string) => statusOf(ADMIN.email, password)

    expect(await attempt('x'.repeat(1_000_000))).toBe(401)
    expect(await attempt(`${ADMIN.password}${'\0'.repeat(129)}`)).toBe(401)
    expect(await attempt('')).toBe(401)
    expect(await attempt('x'.repeat(1024 ** 2))).toBe(413)
    expect(await attempt(ADMIN.password)).toBe(200)
  })

  test.each([
    ['a NUL in it', 'pass\0word'],
    ['spaces around it', '  spaced out  '],
    ['letters composed', 'caf\u00e9-caf\u00e9'],
    ['128 letters of two bytes', 'é'.repeat(128)],
    ['emoji', '🎉🎉🎉🎉🎉🎉🎉🎉'],
    ['65 emoji', '😀'.repeat(65)],
    ['128 characters, one of them an emoji', `${'x'.repeat(127)}😀`],
  ])('with %s is stored unchanged', async (what, password) => {
    const email = `password-${Buffer.from(what).toString('hex')}@example.com`
    const account = { name: what, email, password, role: 'viewer' }
    const created = await holdfast.bySession.send('POST', '/users', account)
    const attempt = (tried: string) => statusOf(email, tried)
    const altered = [
      password.replace('\0', ''),
      password.split('\0')[0] ?? '',
      password.trim(),
      password.normalize('NFD'),
      `${password}x`,
    ]

    expect(created.status).toBe(200)
    expect(await attempt(password)).toBe(200)
    const others = new Set(altered.filter((text) => text !== password))
    for (const other of others) expect([400, 401]).toContain(await attempt(other))
  })
})

// Row 81.
test('a key that differs from another only at its end is no key', async () => {
  const key = await createKey(holdfast, holdfast.cookie, { name: 'almost', scopes: ['files:read'] })
  const flipped = (at: number) => `${key.slice(0, at)}${key[at] === '0' ? '1' : '0'}${key.slice(at + 1)}`
  const others = [
    ...Array.from({ length: key.length - 3 }, (_, n) => flipped(n + 3)),
    key.toUpperCase(),
    key.slice(0, -1),
    `${key}0`,
    ` ${key.slice(3)}`,
  ]

  const statusBy = async (secret: string) =>
    (await holdfast.fetch('/api/files', { headers: { 'API-Key': secret } })).status
  for (const other of others) expect(await statusBy(other)).toBe(401)
  expect(await statusBy(key)).toBe(200)
})

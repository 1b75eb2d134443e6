import { describe, expect, test } from 'bun:test'
import {
  ADMIN,
  BASE_URL,
  cookieOf,
  dataOf,
  type Holdfast,
  messageOf,
  postJson,
  register,
  startHoldfast,
} from '../support/holdfast.ts'
import { withoutAccounts } from './without-accounts.ts'

const SIGN_UP = '/api/auth/sign-up/email'
const SIGN_IN = '/api/auth/sign-in/email'
const SIGN_OUT = '/api/auth/sign-out'

type Headers = Record<string, string>

const holdfast = withoutAccounts()

const setupOf = async (holdfast: Holdfast, headers: Headers) =>
  (await dataOf<{ originTrusted?: false }>(await holdfast.fetch('/api/setup', { headers }))).originTrusted ??
  true

const LOCAL_HOSTS = [
  ...['192.168.1.5:3000', '203.0.113.7', '[::1]:3000', 'localhost:8080', 'nas', 'nas.local', 'nas.lan:3000'],
  ...['files.home.arpa', 'files.corp.internal'],
]

const PUBLIC_HOSTS =
  'files.example.com evil.example:3000 nas.local.evil.example local.evil 192.168.1.5.evil'.split(' ')

describe('without BASE_URL', () => {
  // The host of the request counts.
  const holdfast = withoutAccounts({ BASE_URL: '', TRUST_PROXY: '' })

  test.each(LOCAL_HOSTS)('a page opened at %s registers and makes changes', async (host) => {
    const page = { Host: host, Origin: `http://${host}` }

    const signedUp = await postJson(holdfast, SIGN_UP, ADMIN, page)
    const withCookie = { ...page, Cookie: cookieOf(signedUp) }
    const key = await postJson(holdfast, '/api/keys', { name: 'a', scopes: ['files:read'] }, withCookie)
    const signedOut = await postJson(holdfast, SIGN_OUT, {}, withCookie)

    expect([signedUp.status, key.status, signedOut.status]).toEqual([200, 200, 200])
    expect(await setupOf(holdfast, { Host: host })).toBe(true)
  })

  test.each(PUBLIC_HOSTS)('a page opened at %s changes nothing and learns why', async (host) => {
    const page = { Host: host, Origin: `http://${host}` }

    const signedUp = await postJson(holdfast, SIGN_UP, ADMIN, page)
    const { cookie } = await register(holdfast)
    const key = await postJson(holdfast, '/api/keys', { name: 'a' }, { ...page, Cookie: cookie })

    expect([signedUp.status, key.status]).toEqual([403, 403])
    expect(await messageOf(key)).toBe('Invalid origin')
    expect(await setupOf(holdfast, { Host: host })).toBe(false)
  })

  test.each<[string, Headers]>([
    ['another host', { Host: 'nas.lan', Origin: 'http://printer.lan' }],
    ['another port', { Host: 'nas.lan:3000', Origin: 'http://nas.lan:3001' }],
    ['another scheme', { Host: 'nas.lan', Origin: 'https://nas.lan' }],
    ['a scheme of no proxy', { Host: 'nas.lan', Origin: 'https://nas.lan', 'X-Forwarded-Proto': 'https' }],
    ['a host of no proxy', { Host: 'b.lan', Origin: 'http://a.lan', 'X-Forwarded-Host': 'a.lan' }],
    ['no origin', { Host: 'nas.lan', Origin: 'null' }],
  ])('a page of %s changes nothing', async (_, page) => {
    const { cookie } = await register(holdfast)

    const response = await postJson(holdfast, '/api/keys', { name: 'a' }, { ...page, Cookie: cookie })

    expect(response.status).toBe(403)
    expect(await setupOf(holdfast, page)).toBe(false)
  })

  test('a trusted proxy says at which address the page was opened', async () => {
    await using holdfast = await startHoldfast({ environment: { BASE_URL: '', TRUST_PROXY: '127.0.0.1' } })
    const { cookie } = await register(holdfast)
    const page = { Origin: 'https://nas.lan', Cookie: cookie }
    const create = async (name: string, headers: Headers) =>
      (await postJson(holdfast, '/api/keys', { name, scopes: ['files:read'] }, { ...page, ...headers }))
        .status

    expect(await create('a', { Host: 'nas.lan', 'X-Forwarded-Proto': 'https' })).toBe(200)
    expect(await create('b', { 'X-Forwarded-Host': 'nas.lan', 'X-Forwarded-Proto': 'https' })).toBe(200)
    expect(await create('c', { Host: 'nas.lan' })).toBe(403)
    expect(await create('d', { Host: 'nas.lan', 'X-Forwarded-Proto': 'http' })).toBe(403)
  })
})

describe('with BASE_URL', () => {
  test('an address beside it is not trusted for changes', async () => {
    const { cookie } = await register(holdfast)
    const page = { Host: 'nas.lan', Origin: 'http://nas.lan', Cookie: cookie }

    expect((await postJson(holdfast, '/api/keys', { name: 'a' }, page)).status).toBe(403)
    expect(await setupOf(holdfast, { Host: 'nas.lan' })).toBe(false)
    expect(await setupOf(holdfast, { Host: 'holdfast.test' })).toBe(true)
  })

  test.each(['https://Files.Example.com:443/', 'https://files.example.com'])(
    'a page is trusted however %s is written',
    async (address) => {
      const origins = [{ BASE_URL: address }, { TRUSTED_ORIGINS: address }]
      for (const environment of origins) {
        await using holdfast = await startHoldfast({ environment })
        expect(await setupOf(holdfast, { Origin: 'https://files.example.com' })).toBe(true)
        expect(await setupOf(holdfast, { Origin: 'http://files.example.com' })).toBe(false)
      }
    },
  )

  test('its own pages are recognized by Referer too, because a GET has no Origin', async () => {
    expect(await setupOf(holdfast, { Referer: `${BASE_URL}/files` })).toBe(true)
    expect(await setupOf(holdfast, { Host: 'holdfast.test', Referer: 'https://holdfast.test/' })).toBe(false)
  })
})

/** Headers that a browser sends for a page of another site. */
const OTHER_SITES: Headers[] = [
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'cross-site', Origin: BASE_URL },
  { Origin: 'https://evil.example' },
  { Origin: 'null' },
  { Origin: 'https://evil.example', Host: 'evil.example' },
  { Referer: 'https://evil.example/claim' },
  { Referer: 'about:client' },
]

describe.each(OTHER_SITES)('a page of another site with %j', (page) => {
  test('does not register the first account', async () => {
    const response = await postJson(holdfast, SIGN_UP, ADMIN, { ...page, 'Content-Type': 'text/plain' })

    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'INVALID_ORIGIN', message: 'Invalid origin' })
    expect((await postJson(holdfast, SIGN_UP, ADMIN)).status).toBe(200)
  })

  test('does not sign its visitor in or out, with a cookie or without', async () => {
    const { cookie } = await register(holdfast)

    for (const headers of [page, { ...page, Cookie: cookie }]) {
      const responses = [
        await postJson(holdfast, SIGN_IN, ADMIN, headers),
        await postJson(holdfast, SIGN_OUT, {}, headers),
      ]
      expect(responses.map(({ status }) => status)).toEqual([403, 403])
      expect(responses.map((response) => response.headers.get('set-cookie'))).toEqual([null, null])
    }
    expect((await holdfast.fetch('/api/me', { headers: { Cookie: cookie } })).status).toBe(200)
  })
})

describe('a page of the instance', () => {
  test.each<Headers>([
    {},
    { Origin: BASE_URL, 'Sec-Fetch-Site': 'same-origin' },
    { Referer: `${BASE_URL}/sign-in` },
    { 'Sec-Fetch-Site': 'none' },
    { Host: '192.168.1.5:3000', Origin: 'http://192.168.1.5:3000' },
  ])('registers, signs in and signs out with %j', async (page) => {
    const signedUp = await postJson(holdfast, SIGN_UP, ADMIN, page)
    const signedIn = await postJson(holdfast, SIGN_IN, ADMIN, page)
    const signedOut = await postJson(holdfast, SIGN_OUT, {}, page)

    expect([signedUp.status, signedIn.status, signedOut.status]).toEqual([200, 200, 200])
  })

  test('signs out with its Referer alone', async () => {
    const { cookie } = await register(holdfast)

    const headers = { Cookie: cookie, Referer: `${BASE_URL}/files?x=1` }

    expect((await postJson(holdfast, SIGN_OUT, {}, headers)).status).toBe(200)
  })
})

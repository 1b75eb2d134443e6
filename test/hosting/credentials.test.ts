import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import { withInside } from '../support/fixture.ts'
import {
  ADMIN,
  BASE_URL,
  cookieOf,
  createKey,
  type FileView,
  postJson,
  refusalOf,
  TestClock,
} from '../support/holdfast.ts'
import { headersBut, onWire, wholeAnswer } from './wire.ts'

const MAXIMUM_SECONDS = 7200

let open: FileView
let secret: FileView
const clock = new TestClock()
const START = clock.now()

const holdfast = withInside({
  clock,
  environment: { MAX_PRESIGN_TTL_SECONDS: String(MAXIMUM_SECONDS) },
})
const { ask, storeOld } = onWire(holdfast)
beforeAll(async () => {
  open = await storeOld('open.txt', 'for all')
  secret = await storeOld('secret.txt', 'hidden', 'private')
})
afterEach(() => clock.setWall(START))

/** Credentials that open no private file. */
const USELESS: [what: string, headers: () => Promise<string[]>][] = [
  ['an empty API key', async () => ['API-Key:']],
  ['an API key that nobody made', async () => [`API-Key: hf_${'0'.repeat(64)}`]],
  ['an API key in another case', async () => [`API-Key: ${holdfast.key.toUpperCase()}`]],
  ['an API key twice', async () => [`API-Key: ${holdfast.key}`, `API-Key: ${holdfast.key}`]],
  ['an API key as bearer token', async () => [`Authorization: Bearer ${holdfast.key}`]],
  ['an API key without files:read', async () => [`API-Key: ${await writerKey()}`]],
  ['an invalid API key beside a session', async () => ['API-Key: nope', `Cookie: ${holdfast.cookie}`]],
  ['a session whose signature was changed', async () => [`Cookie: ${holdfast.cookie.slice(0, -8)}AAAAAAAA`]],
  [
    'a session without its signature',
    async () => [`Cookie: ${holdfast.cookie.replace(/(\.|%2E)[^.]*$/i, '')}`],
  ],
  ['a session under another name', async () => [`Cookie: other=${holdfast.cookie.split('=')[1]}`]],
  ['a session that was signed out', async () => [`Cookie: ${await signedOutCookie()}`]],
]

let keys = 0
const newKey = (scopes: string[], more: object = {}) =>
  createKey(holdfast, holdfast.cookie, { name: `key ${keys++}`, scopes, ...more })
const writerKey = () => newKey(['files:write', 'files:delete'])

async function signedOutCookie(): Promise<string> {
  const cookie = cookieOf(await postJson(holdfast, '/api/auth/sign-in/email', ADMIN))
  const headers = { Cookie: cookie, Origin: BASE_URL }
  expect((await ask(`/${secret.url}`, { headers: [`Cookie: ${cookie}`] })).status).toBe(200)
  expect((await postJson(holdfast, '/api/auth/sign-out', {}, headers)).status).toBe(200)
  return cookie
}

describe('credentials that do not open a private file', () => {
  test.each(USELESS)('%s: the same 404 as for a missing key', async (_, credentials) => {
    const headers = await credentials()

    const answer = await ask(`/${secret.url}`, { headers })
    const missing = await ask('/api/hosting/missing', { headers })

    expect(answer.status).toBe(404)
    expect(wholeAnswer(answer)).toEqual(wholeAnswer(missing))
  })

  test.each(USELESS)('%s: no harm to a public file', async (_, credentials) => {
    const headers = await credentials()

    const answer = await ask(`/${open.url}`, { headers })
    const plain = await ask(`/${open.url}`)

    expect(wholeAnswer(answer)).toEqual(wholeAnswer(plain))
    expect(answer.body.toString()).toBe('for all')
  })

  test('an API key that has expired', async () => {
    const key = await newKey(['files:read'], { expiresAt: new Date(START + 60_000).toISOString() })
    const question = { headers: [`API-Key: ${key}`] }
    expect((await ask(`/${secret.url}`, question)).status).toBe(200)

    clock.setWall(START + 60_000)

    expect((await ask(`/${secret.url}`, question)).status).toBe(404)
    expect((await ask(`/${open.url}`, question)).status).toBe(200)
  })

  test('a session of an account that must have a second factor and has none', async () => {
    const viewer = await holdfast.addUser('viewer')
    const question = { headers: [`Cookie: ${viewer.cookie}`] }
    const statusWhere = async (requireSecondFactor: string) => {
      await holdfast.bySession.data('PUT', '/settings', { requireSecondFactor })
      return (await ask(`/${secret.url}`, question)).status
    }
    using database = openDatabase(holdfast)
    database.run('UPDATE users SET second_factor = 1 WHERE id = ?', [holdfast.userId])

    const statuses = [await statusWhere('all'), await statusWhere('no')]
    database.run('UPDATE users SET second_factor = 0 WHERE id = ?', [holdfast.userId])

    expect(statuses).toEqual([404, 200])
  })

  test('a session that has expired', async () => {
    const cookie = cookieOf(await postJson(holdfast, '/api/auth/sign-in/email', ADMIN))
    clock.setWall(START + 8 * 86_400_000)

    const question = { headers: [`Cookie: ${cookie}`] }

    expect((await ask(`/${secret.url}`, question)).status).toBe(404)
    expect((await ask(`/${open.url}`, question)).status).toBe(200)
  })

  test('a useless API key beside a good link does no harm', async () => {
    const { url } = await sign(60)

    const answer = await ask(`/${url}`, { headers: ['API-Key: nope'] })

    expect([answer.status, answer.body.toString()]).toEqual([200, 'hidden'])
  })
})

describe('credentials that open a private file', () => {
  test.each<[string, () => Promise<string[]> | string[]]>([
    ['an API key with files:read alone', async () => [`API-Key: ${await newKey(['files:read'])}`]],
    ['a session', () => [`Cookie: ${holdfast.cookie}`]],
    ['a session beside other cookies', () => [`Cookie: a=b; ${holdfast.cookie}; c=d`]],
    ['a session whose cookie was decoded', () => [`Cookie: ${decodeURIComponent(holdfast.cookie)}`]],
  ])('%s, by GET and HEAD', async (_, credentials) => {
    const headers = await credentials()

    const answer = await ask(`/${secret.url}`, { headers })
    const head = await ask(`/${secret.url}`, { method: 'HEAD', headers })

    expect([answer.status, answer.body.toString()]).toEqual([200, 'hidden'])
    expect(headersBut(answer)).toMatchObject({
      'cache-control': 'private, no-store',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    })
    expect(answer.headers.has('set-cookie')).toBe(false)
    expect([head.status, head.body.length, headersBut(head)]).toEqual([200, 0, headersBut(answer)])
  })
})

describe('?download', () => {
  test.each([
    ['?download=1', 'attachment'],
    ['?download=%31', 'attachment'],
    ['?x=y&download=1', 'attachment'],
    ['', 'inline'],
    ['?download', 'inline'],
    ['?download=', 'inline'],
    ['?download=0', 'inline'],
    ['?download=01', 'inline'],
    ['?download=11', 'inline'],
    ['?download=1.0', 'inline'],
    ['?download=true', 'inline'],
    ['?download=%201', 'inline'],
    ['?Download=1', 'inline'],
    ['?nothing=known', 'inline'],
  ])('%j makes the response %s', async (query, disposition) => {
    const answer = await ask(`/${open.url}${query}`)
    const plain = await ask(`/${open.url}`)

    expect(answer.headers.get('content-disposition')).toBe(
      `${disposition}; filename="open.txt"; filename*=UTF-8''open.txt`,
    )
    expect(headersBut(answer, 'content-disposition')).toEqual(headersBut(plain, 'content-disposition'))
    expect(answer.body.toString()).toBe('for all')
  })
})

const signing = (expiresIn: unknown) =>
  postJson(holdfast, '/api/files/sign', { id: secret.id, expiresIn }, holdfast.withKey)

async function sign(expiresIn: unknown): Promise<{ url: string; expiresAt: string }> {
  const { data } = (await (await signing(expiresIn)).json()) as { data: { url: string; expiresAt: string } }
  return data
}

describe('expiresIn', () => {
  test.each<[unknown, seconds: number]>([
    [undefined, 3600],
    [0, 1],
    [-1, 1],
    [-1e308, 1],
    [0.5, 1],
    [1.5, 1],
    [60.999, 60],
    [MAXIMUM_SECONDS, MAXIMUM_SECONDS],
    [MAXIMUM_SECONDS + 1, MAXIMUM_SECONDS],
    [1e308, MAXIMUM_SECONDS],
  ])('of %p makes a link that opens the file for %d seconds', async (expiresIn, seconds) => {
    const { url, expiresAt } = await sign(expiresIn)

    expect(new URL(url, BASE_URL).searchParams.get('exp')).toBe(String(START / 1000 + seconds))
    expect(expiresAt).toBe(new Date(START + seconds * 1000).toISOString())
    clock.setWall(START + seconds * 1000 - 1)
    expect((await ask(`/${url}`)).status).toBe(200)
    clock.setWall(START + seconds * 1000)
    expect((await ask(`/${url}`)).status).toBe(404)
  })

  test.each([
    ['"60"', '60'],
    ['null', null],
    ['true', true],
    ['a list', [60]],
  ])('of %s is refused', async (_, value) => {
    expect(await refusalOf(await signing(value))).toEqual([400, expect.stringContaining('"expiresIn"')])
  })
})

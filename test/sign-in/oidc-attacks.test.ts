import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { Provider } from '../../src/modules/sign-in/oidc/provider.ts'
import { readConfig } from '../../src/platform/config.ts'
import { withInside } from '../support/fixture.ts'
import { BASE_URL, refusalOf } from '../support/holdfast.ts'
import { Browser, CLIENT, type Lies, startProvider } from '../support/provider.ts'

const provider = startProvider()
const holdfast = withInside({
  environment: {
    ...provider.environment,
    OIDC_NEW_ACCOUNTS: 'viewer',
    TRUSTED_ORIGINS: 'https://app.example.com',
    TRUST_PROXY: '127.0.0.1',
  },
})

let people = 0
beforeEach(() => {
  people += 1
  provider.lies = {}
  provider.person = { sub: `${people}`, email: `person${people}@example.com`, email_verified: true }
})

afterAll(() => provider[Symbol.asyncDispose]())

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

describe('a provider that lies lets no one in', () => {
  const LIES: Record<string, { lies: Lies; code?: string }> = {
    'with a wrong signature': { lies: { signed: 'by a stranger' } },
    'with alg none': { lies: { signed: 'none' } },
    'with HS256 and the client secret': { lies: { signed: 'HS256' } },
    'with another nonce': { lies: { claims: (claims) => ({ ...claims, nonce: 'another' }) } },
    'without a nonce': { lies: { claims: ({ nonce: _, ...claims }) => claims } },
    'with another audience': { lies: { claims: (claims) => ({ ...claims, aud: 'another-client' }) } },
    'with a token that was issued to another client': {
      lies: { claims: (claims) => ({ ...claims, azp: 'another-client' }) },
    },
    'with another issuer': { lies: { claims: (claims) => ({ ...claims, iss: 'https://evil.example.com' }) } },
    'with a token that has expired': { lies: { claims: (claims) => ({ ...claims, exp: inSeconds(-120) }) } },
    'with userinfo of another person': { lies: { userinfoSub: 'another' } },
    'with a subject of 256 characters': {
      lies: { claims: (claims) => ({ ...claims, sub: 'x'.repeat(256) }), userinfoSub: 'x'.repeat(256) },
    },
    'with a token endpoint that sends no id token': {
      lies: { token: () => Response.json({ access_token: 'access', token_type: 'Bearer' }) },
    },
    'with a token endpoint that refuses the code': {
      lies: { token: () => Response.json({ error: 'invalid_grant' }, { status: 400 }) },
    },
    'with a token endpoint that fails': {
      lies: { token: () => new Response('', { status: 502 }) },
      code: 'provider_unavailable',
    },
    'with the answer that the person declined': { lies: { error: 'access_denied' }, code: 'access_denied' },
    'with the answer that it is busy': {
      lies: { error: 'temporarily_unavailable' },
      code: 'provider_unavailable',
    },
    'with the answer that the client is wrong': { lies: { error: 'invalid_scope' } },
  }

  for (const [title, { lies, code = 'invalid_code' }] of Object.entries(LIES))
    test(title, async () => {
      const browser = new Browser(holdfast)
      provider.lies = lies

      expect(await browser.signIn({ errorCallbackURL: '/sign-in?again=1' })).toBe(
        `/sign-in?again=1&error=${code}`,
      )

      expect(browser.cookies.size).toBe(0)
    })

  test('by being slow: the person comes back, and others do not wait', async () => {
    const late = Promise.withResolvers<void>()
    provider.lies = { token: () => late.promise.then(() => new Response()) }
    const { oidc } = readConfig({ ...provider.environment, BASE_URL }).signIn
    if (!oidc) throw new Error('There is no provider')
    const impatient = (limits: { requestMs: number; totalMs: number }) =>
      new Provider(oidc, { baseUrl: BASE_URL, now: performance.now.bind(performance), limits })
    const finish = async (slow: Provider) => {
      const { url, checks } = await slow.begin()
      const back = (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? ''
      return await slow.finish(new URL(back).search, checks).catch(({ code }) => code)
    }

    expect(await finish(impatient({ requestMs: 50, totalMs: 60_000 }))).toBe('provider_unavailable')
    expect(await finish(impatient({ requestMs: 60_000, totalMs: 200 }))).toBe('provider_unavailable')
    late.resolve()
  })
})

describe('a callback', () => {
  test('without the cookie of its sign-in makes no session (login CSRF)', async () => {
    const callback = await new Browser(holdfast).toCallback()
    const victim = new Browser(holdfast)

    expect(await victim.finish(callback)).toBe('/sign-in?error=state_mismatch')
    expect(victim.cookies.size).toBe(0)
  })

  test('with the cookie of another sign-in makes no session, and leaves that sign-in alone', async () => {
    const [attacker, victim] = [new Browser(holdfast), new Browser(holdfast)]
    const planted = await attacker.toCallback()
    const own = await victim.toCallback({ callbackURL: '/files' })

    expect(await victim.finish(planted)).toBe('/sign-in?error=state_mismatch')
    expect(victim.cookies.has('better-auth.session_token')).toBeFalse()
    expect(await victim.finish(own)).toBe('/files')
  })

  test('with a planted cookie beside the own one makes no session', async () => {
    const browser = new Browser(holdfast)
    const callback = await browser.toCallback()
    const own = browser.cookies.get('better-auth.state')
    const cookie = `better-auth.state=${own}; better-auth.state=planted`

    const response = await holdfast.fetch(callback.slice(BASE_URL.length), {
      headers: { cookie },
      redirect: 'manual',
    })

    expect(response.headers.get('location')).toBe(`${BASE_URL}/sign-in?error=state_mismatch`)
  })

  test('works once, also with its cookie', async () => {
    const browser = new Browser(holdfast)
    const callback = await browser.toCallback()
    const cookies = new Map(browser.cookies)

    expect(await browser.finish(callback)).toBe('/')
    const again = new Browser(holdfast)
    for (const [name, value] of cookies) again.cookies.set(name, value)
    expect(await again.finish(callback)).toBe('/sign-in?error=state_mismatch')
  })

  test('does not take a code that was used in another sign-in', async () => {
    const [first, second] = [new Browser(holdfast), new Browser(holdfast)]
    const used = await first.toCallback()
    await first.finish(used)
    const own = new URL(await second.toCallback())
    own.searchParams.set('code', new URL(used).searchParams.get('code') ?? '')

    expect(await second.finish(own.href)).toBe('/sign-in?error=invalid_code')
  })

  test('makes a new session, whatever the cookie was before (session fixation)', async () => {
    const browser = new Browser(holdfast)
    await browser.signIn()
    const before = browser.cookies.get('better-auth.session_token')
    await browser.signIn()
    expect(browser.cookies.get('better-auth.session_token')).not.toBe(before)
  })

  test('is at BASE_URL, whatever the Host says', async () => {
    const browser = new Browser(holdfast)
    const begun = await browser.post(
      '/api/auth/sign-in/social',
      { provider: 'oidc' },
      { host: 'evil.example.com', 'x-forwarded-host': 'evil.example.com', 'x-forwarded-proto': 'https' },
    )
    const { url } = (await begun.json()) as { url: string }
    expect(new URL(url).searchParams.get('redirect_uri')).toBe(`${BASE_URL}/api/auth/callback/oidc`)
  })

  test('ends ten minutes after its sign-in began', async () => {
    const browser = new Browser(holdfast)
    const response = await browser.post('/api/auth/sign-in/social', { provider: 'oidc' })
    const [line = ''] = response.headers.getSetCookie()
    expect(line).toMatch(
      /^better-auth\.state=[\w-]{43}; Max-Age=600; Path=\/api\/auth; HttpOnly; SameSite=Lax$/,
    )
  })
})

describe('an address to lead to', () => {
  const ELSEWHERE = ['https://evil.example.com', '//evil.example.com', '/\\evil.example.com', 'files', '']
  const HIDDEN = ['/\t/evil.example.com', '/\n/evil.example.com', '/files\u0000', 'javascript:alert(1)']

  for (const address of [...ELSEWHERE, ...HIDDEN])
    test(`is not ${JSON.stringify(address)}`, async () => {
      for (const name of ['callbackURL', 'errorCallbackURL']) {
        const body = { provider: 'oidc', [name]: address }
        const refused = await new Browser(holdfast).post('/api/auth/sign-in/social', body)
        const words = `"${name}" must be a path of this instance, such as /files`
        expect(await refusalOf(refused)).toEqual([400, words])
      }
    })
})

describe('a page of another origin', () => {
  test('that is trusted continues at BASE_URL, where the cookie is set', async () => {
    const body = { provider: 'oidc', callbackURL: '/files' }
    const begun = await new Browser(holdfast).post('/api/auth/sign-in/social', body, {
      origin: 'https://app.example.com',
    })
    expect(begun.headers.getSetCookie()).toEqual([])
    expect(await begun.json()).toMatchObject({ url: `${BASE_URL}/sign-in?with=oidc&callbackURL=%2Ffiles` })
  })

  test('that is not trusted begins nothing', async () => {
    const begun = await new Browser(holdfast).post(
      '/api/auth/sign-in/social',
      { provider: 'oidc' },
      { origin: 'https://evil.example.com' },
    )
    expect(begun.status).toBe(403)
  })
})

describe('the configuration', () => {
  const OIDC = { BASE_URL, OIDC_ISSUER: 'https://auth.example.com', OIDC_CLIENT_ID: CLIENT.id }
  const WRONG: Record<string, Record<string, string>> = {
    'BASE_URL is missing': { ...OIDC, BASE_URL: '' },
    'OIDC_CLIENT_ID is missing': { ...OIDC, OIDC_CLIENT_ID: '' },
    'OIDC_ISSUER must begin with https://': { ...OIDC, OIDC_ISSUER: 'http://auth.example.com' },
    'OIDC_ROLES must be group=role pairs': { ...OIDC, OIDC_ROLES: 'family=owner' },
  }
  for (const [words, variables] of Object.entries(WRONG))
    test(`is refused: ${words}`, () => {
      expect(() => readConfig(variables)).toThrow(words)
    })

  test('takes http on local networks, and no password beside a provider', () => {
    for (const host of [
      'localhost:9000',
      '127.0.0.1:9000',
      '[::1]:9000',
      'authelia:9091',
      '192.168.1.5',
      'id.home.arpa',
    ])
      expect(readConfig({ ...OIDC, OIDC_ISSUER: `http://${host}` }).signIn.oidc?.name).toBe(host)
    expect(readConfig({ ...OIDC, PASSWORD_SIGN_IN: 'no' }).signIn.password).toBe('no')
  })
})

import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { startWithAccount, withInside } from '../support/fixture.ts'
import { Browser, startProvider } from '../support/provider.ts'

/** Sign-outs that the provider sends (OpenID Connect Back-Channel Logout 1.0). */

const provider = startProvider()
const holdfast = withInside({
  environment: { ...provider.environment, OIDC_NEW_ACCOUNTS: 'viewer', TRUST_PROXY: '127.0.0.1' },
})
const without = withInside()

afterAll(() => provider[Symbol.asyncDispose]())

let people = 0
beforeEach(() => {
  people += 1
  provider.lies = {}
  const sub = `out-${people}`
  provider.person = { sub, email: `${sub}@example.com`, email_verified: true, sid: `session-${people}` }
})

/** Signs the person in with a browser of its own. */
async function signedIn(sid?: string): Promise<Browser> {
  if (sid !== undefined) provider.person.sid = sid
  const browser = new Browser(holdfast)
  expect(await browser.signIn()).toBe('/')
  return browser
}

const send = (token: string, at: Pick<typeof holdfast, 'fetch'> = holdfast) =>
  at.fetch('/api/auth/backchannel-logout/oidc', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: token }).toString(),
  })

const isIn = async (browser: Browser) => (await browser.account()) !== undefined

describe('a sign-out at the provider', () => {
  test('ends the session that began with the one there, and no other', async () => {
    const [phone, laptop] = [await signedIn('phone'), await signedIn('laptop')]
    const other = Object.assign(provider.person, { sid: 'phone' })

    const response = await send(provider.logoutToken({ sub: undefined, sid: other.sid }))

    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect([await isIn(phone), await isIn(laptop)]).toEqual([false, true])
    const { activities } = await holdfast.bySession.data<{ activities: { type: string; detail: string }[] }>(
      'GET',
      '/activity?security=1',
    )
    expect(activities[0]).toMatchObject({ type: 'session.ended', detail: 'by Example ID' })
  })

  test('without a session ends all that the provider signed in, but not those with a password', async () => {
    const [phone, laptop] = [await signedIn('one'), await signedIn('two')]
    const { email = '', sub } = provider.person
    const { users } = await holdfast.bySession.data<{ users: { id: string; email: string }[] }>(
      'GET',
      '/users',
    )
    const password = 'correct horse'
    const id = users.find((user) => user.email === email)?.id
    await holdfast.bySession.data('PUT', '/users', { id, password, keepLinked: true })
    const again = await signedIn('three')
    const byPassword = new Browser(holdfast)
    await byPassword.post('/api/auth/sign-in/email', { email, password })

    expect((await send(provider.logoutToken({ sub, sid: undefined }))).status).toBe(200)

    const after = await Promise.all([phone, laptop, again, byPassword].map(isIn))
    expect(after).toEqual([false, false, false, true])
  })

  test('of a session and its person ends sessions whose id token named none, too', async () => {
    const { sub } = provider.person
    const named = await signedIn('named')
    provider.person = { ...provider.person }
    delete provider.person.sid
    const unnamed = await signedIn()

    expect((await send(provider.logoutToken({ sub, sid: 'elsewhere' }))).status).toBe(200)

    expect([await isIn(named), await isIn(unnamed)]).toEqual([true, false])
  })

  test('ends an open stream of changes', async () => {
    const browser = await signedIn()
    const stream = await browser.send('/api/changes')
    const ended = stream.text()

    await send(provider.logoutToken())

    expect(await ended).toContain('event: ready')
  })

  test('of an unknown person or session is accepted', async () => {
    const browser = await signedIn()
    const strange = provider.logoutToken({ sub: 'nobody', sid: 'nothing' })
    expect((await send(strange)).status).toBe(200)
    expect(await isIn(browser)).toBeTrue()
  })

  test('counts once', async () => {
    const token = provider.logoutToken()
    const statuses = (await Promise.all([send(token), send(token), send(token)])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 400, 400])
  })

  test('cannot be sent by the page of another site as a visitor’s own, nor without a token', async () => {
    const browser = await signedIn()
    const nothing = await browser.post(
      '/api/auth/backchannel-logout/oidc',
      {},
      { origin: 'https://evil.example.com' },
    )
    expect(nothing.status).toBe(400)
    expect(await isIn(browser)).toBeTrue()
  })

  test('is not known without a provider', async () => {
    expect((await send(provider.logoutToken(), without)).status).toBe(404)
  })
})

describe('a logout token is refused', () => {
  const now = () => Math.floor(Date.now() / 1000)
  const BACKCHANNEL = 'http://schemas.openid.net/event/backchannel-logout'
  const REFUSED: Record<string, () => string> = {
    'that is none': () => 'a.b.c',
    'that is empty': () => '',
    'of a stranger': () => provider.logoutToken({}, { signed: 'by a stranger' }),
    'without a signature': () => provider.logoutToken({}, { signed: 'none' }),
    'with HS256 and the client secret': () => provider.logoutToken({}, { signed: 'HS256' }),
    'with an unknown key': () => provider.logoutToken({}, { kid: 'two' }),
    'of another issuer': () => provider.logoutToken({ iss: 'https://evil.example.com' }),
    'for another client': () => provider.logoutToken({ aud: 'another-client' }),
    'without an audience': () => provider.logoutToken({ aud: undefined }),
    'without a time': () => provider.logoutToken({ iat: undefined }),
    'of an hour ago': () => provider.logoutToken({ iat: now() - 3600, exp: now() + 3600 }),
    'of tomorrow': () => provider.logoutToken({ iat: now() + 86_400, exp: now() + 90_000 }),
    'that has expired': () => provider.logoutToken({ exp: now() - 120 }),
    'without events': () => provider.logoutToken({ events: undefined }),
    'with another event': () => provider.logoutToken({ events: { 'https://example.com/event': {} } }),
    'with the event as a text': () => provider.logoutToken({ events: { [BACKCHANNEL]: 'yes' } }),
    'with a list of events': () => provider.logoutToken({ events: [BACKCHANNEL] }),
    'with a nonce': () => provider.logoutToken({ nonce: 'n' }),
    'without an id': () => provider.logoutToken({ jti: undefined }),
    'with a number as its id': () => provider.logoutToken({ jti: 7 }),
    'of no one': () => provider.logoutToken({ sub: undefined, sid: undefined }),
    'with an object as the person': () => provider.logoutToken({ sub: { $ne: '' } }),
    'with an empty session': () => provider.logoutToken({ sid: '' }),
    'of another type': () => provider.logoutToken({}, { typ: 'at+jwt' }),
  }

  for (const [title, token] of Object.entries(REFUSED))
    test(title, async () => {
      const browser = await signedIn()

      const response = await send(token())

      expect([response.status, response.headers.get('cache-control')]).toEqual([400, 'no-store'])
      expect(await response.json()).toMatchObject({ error: { message: 'The logout token is not valid' } })
      expect(await isIn(browser)).toBeTrue()
    })

  test('while the keys of the provider cannot be read, and nothing is used up', async () => {
    await using away = startProvider()
    await using server = await startWithAccount({ environment: away.environment })
    away.lies.metadata = (known) => ({ ...known, jwks_uri: `${away.issuer}/no-keys` })

    const response = await send(away.logoutToken(), server)

    expect([response.status, response.headers.get('error-code')]).toEqual([503, 'provider-unavailable'])
  })
})

import { describe, expect, test } from 'bun:test'
import { addAccount, openDatabase } from '../support/accounts.ts'
import { startWithAccount, withInside } from '../support/fixture.ts'
import { ADMIN, TestClock } from '../support/holdfast.ts'
import { type Jar, jarOf } from '../support/jar.ts'
import { Authenticator, type Twist } from '../support/passkeys.ts'
import { appOf } from './second-step.ts'

const ORIGIN = 'https://files.example.com'
const FRIEND = 'https://friend.example'
const environment = { BASE_URL: ORIGIN, TRUSTED_ORIGINS: `http://holdfast.test,${FRIEND}` }
const clock = new TestClock()
const holdfast = withInside({ environment, clock })

const json = async <Data>(response: Response): Promise<Data> => (await response.json()) as Data
const codeOf = async (response: Response) => (await json<{ code?: string }>(response)).code ?? response.status

/** Opens a browser in which an account of its own has signed in. */
async function openBrowser(email?: string): Promise<Jar & { email: string; userId: string }> {
  const account = email ?? (await addAccount(holdfast, { role: 'editor' })).email
  const jar = jarOf(holdfast, ORIGIN)
  const response = await jar.post('/api/auth/sign-in/email', { email: account, password: ADMIN.password })
  const { user } = await json<{ user?: { id: string } }>(response)
  return { ...jar, email: account, userId: user?.id ?? '' }
}

type CreationOptions = Parameters<Authenticator['create']>[0]
type RequestOptions = Parameters<Authenticator['get']>[0] & { allowCredentials: { id: string }[] }

const creationOptions = async (jar: Jar) =>
  json<CreationOptions>(await jar.get('/api/auth/passkey/generate-register-options'))

async function sendNew(jar: Jar, key: Authenticator, twist?: Twist, name?: string): Promise<Response> {
  const response = key.create(await creationOptions(jar), twist)
  return jar.post('/api/auth/passkey/verify-registration', { response, name })
}

async function addPasskey(jar: Jar, key = new Authenticator(ORIGIN), name?: string): Promise<Authenticator> {
  const response = await sendNew(jar, key, {}, name)
  if (response.status !== 200) throw new Error(await response.text())
  return key
}

const requestOptions = async (jar: Jar, purpose = 'sign-in') =>
  json<RequestOptions>(await jar.get(`/api/auth/passkey/generate-authenticate-options?purpose=${purpose}`))

async function sendProof(jar: Jar, key: Authenticator, twist?: Twist, more: object = {}): Promise<Response> {
  const response = key.get(await requestOptions(jar), twist)
  return jar.post('/api/auth/passkey/verify-authentication', { response, ...more })
}

const listed = async (jar: Jar) =>
  json<{ id: string; name: string; usedAt: string | null }[]>(
    await jar.get('/api/auth/passkey/list-user-passkeys'),
  )

const whoIs = async (jar: Jar) =>
  (await json<{ user: { email: string } } | null>(await jar.get('/api/auth/get-session')))?.user.email

const signInByPassword = async (jar: Jar, email: string) =>
  json<{ token?: string; twoFactorMethods?: string[] }>(
    await jar.post('/api/auth/sign-in/email', { email, password: ADMIN.password }),
  )

const askAfterPassword = (jar: Jar, enabled = true) =>
  jar.post('/api/auth/passkey/second-factor', { enabled })

/** Requires a second factor of all accounts during some work. */
async function whileRequired(work: () => Promise<void>): Promise<void> {
  await holdfast.bySession.data('PUT', '/settings', { requireSecondFactor: 'all' })
  try {
    await work()
  } finally {
    using database = openDatabase(holdfast)
    database.run('UPDATE users SET second_factor = 1 WHERE id = ?', [holdfast.userId])
    await holdfast.bySession.data('PUT', '/settings', { requireSecondFactor: 'no' })
    database.run('UPDATE users SET second_factor = 0 WHERE id = ?', [holdfast.userId])
  }
}

const SPOILED: [string, Twist][] = [
  ['of another origin', { origin: 'https://evil.example' }],
  ['of the same host over http', { origin: 'http://files.example.com' }],
  ['of a trusted origin without https', { origin: 'http://holdfast.test' }],
  ['to another challenge', { challenge: 'AAAA' }],
  ['for another host', { rpId: 'evil.example' }],
  ['without user verification', { isVerified: false }],
  ['of another ceremony', { type: 'payment.get' }],
]

describe('adding a passkey', () => {
  test.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'accepts a key of %s, which signs in',
    async (algorithm) => {
      const browser = await openBrowser()
      const key = await addPasskey(browser, new Authenticator(ORIGIN, algorithm), 'My phone')
      expect(await listed(browser)).toMatchObject([{ name: 'My phone', usedAt: null }])

      const other = jarOf(holdfast, ORIGIN)
      expect((await sendProof(other, key)).status).toBe(200)
      expect(await whoIs(other)).toBe(browser.email)
      expect((await listed(browser))[0]?.usedAt).toBeString()
    },
  )

  test.each(SPOILED)('refuses an answer %s', async (_, twist) => {
    const browser = await openBrowser()
    expect(await codeOf(await sendNew(browser, new Authenticator(ORIGIN), twist))).toBe(
      'FAILED_TO_VERIFY_REGISTRATION',
    )
    expect(await listed(browser)).toEqual([])
  })

  test('does not look at a statement of the maker', async () => {
    const attestation: Twist['attestation'] = ['packed', new Map([['x5c', ['no certificate']]])]
    expect((await sendNew(await openBrowser(), new Authenticator(ORIGIN), { attestation })).status).toBe(200)
  })

  test('lists the known ones, so that an authenticator has one', async () => {
    const browser = await openBrowser()
    const key = await addPasskey(browser)
    expect(await creationOptions(browser)).toMatchObject({
      rp: { id: 'files.example.com' },
      excludeCredentials: [{ id: key.id, type: 'public-key', transports: ['internal'] }],
      attestation: 'none',
    })
    expect(await codeOf(await sendNew(browser, key))).toBe('PREVIOUSLY_REGISTERED')
    expect(await codeOf(await sendNew(await openBrowser(), key))).toBe('PREVIOUSLY_REGISTERED')
  })

  test('uses a challenge once, for the account that began, within five minutes', async () => {
    const browser = await openBrowser()
    const key = new Authenticator(ORIGIN)
    const response = key.create(await creationOptions(browser))
    const cookies = new Map(browser.cookies)
    await browser.post('/api/auth/passkey/verify-registration', { response })
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    const again = await browser.post('/api/auth/passkey/verify-registration', { response })
    expect(await codeOf(again)).toBe('CHALLENGE_NOT_FOUND')

    const other = await openBrowser()
    const stolen = new Authenticator(ORIGIN).create(await creationOptions(browser))
    other.cookies.set(
      '__Secure-better-auth.passkey',
      browser.cookies.get('__Secure-better-auth.passkey') ?? '',
    )
    const taken = await other.post('/api/auth/passkey/verify-registration', { response: stolen })
    expect(await codeOf(taken)).toBe('CHALLENGE_NOT_FOUND')

    const late = new Authenticator(ORIGIN).create(await creationOptions(browser))
    clock.advance(300_000)
    expect(
      await codeOf(await browser.post('/api/auth/passkey/verify-registration', { response: late })),
    ).toBe('CHALLENGE_NOT_FOUND')
  })

  test('ends at 20', async () => {
    const browser = await openBrowser()
    const challenge = await creationOptions(browser)
    const cookies = new Map(browser.cookies)
    for (let n = 0; n < 20; n += 1) await addPasskey(browser)
    expect((await browser.get('/api/auth/passkey/generate-register-options')).status).toBe(409)
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    const response = new Authenticator(ORIGIN).create(challenge)
    const last = await browser.post('/api/auth/passkey/verify-registration', { response })
    expect(await codeOf(last)).toBe('LIMIT_REACHED')
    expect(await listed(browser)).toHaveLength(20)
  })
})

describe('signing in with a passkey', () => {
  test.each([...SPOILED, ['for another account', { userHandle: 'AAAA' }] as [string, Twist]])(
    'refuses an answer %s',
    async (_, twist) => {
      const key = await addPasskey(await openBrowser())
      const browser = jarOf(holdfast, ORIGIN)
      expect(await codeOf(await sendProof(browser, key, twist))).toBe('AUTHENTICATION_FAILED')
      expect(await whoIs(browser)).toBeUndefined()
    },
  )

  test('refuses a wrong signature and an unknown passkey', async () => {
    const key = await addPasskey(await openBrowser())
    const browser = jarOf(holdfast, ORIGIN)
    expect(await codeOf(await sendProof(browser, key, { signed: new Uint8Array(9) }))).toBe(
      'AUTHENTICATION_FAILED',
    )
    expect(await codeOf(await sendProof(browser, new Authenticator(ORIGIN), { userHandle: null }))).toBe(
      'PASSKEY_NOT_FOUND',
    )
  })

  test('works on a trusted origin with https', async () => {
    const key = await addPasskey(await openBrowser())
    const page = jarOf(holdfast, FRIEND)
    expect((await sendProof(page, key, { origin: FRIEND })).status).toBe(200)
    expect(await (await holdfast.fetch('/.well-known/webauthn')).json()).toEqual({
      origins: [ORIGIN, FRIEND],
    })
  })

  test('uses a challenge once, in the browser that asked, within five minutes', async () => {
    const key = await addPasskey(await openBrowser())
    const browser = jarOf(holdfast, ORIGIN)
    const response = key.get(await requestOptions(browser))
    const cookies = new Map(browser.cookies)
    const send = (jar: Jar) => jar.post('/api/auth/passkey/verify-authentication', { response })
    expect(await codeOf(await send(jarOf(holdfast, ORIGIN)))).toBe('CHALLENGE_NOT_FOUND')
    expect((await send(browser)).status).toBe(200)
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    expect(await codeOf(await send(browser))).toBe('CHALLENGE_NOT_FOUND')

    const late = { response: key.get(await requestOptions(browser)) }
    clock.advance(300_000)
    expect(await codeOf(await browser.post('/api/auth/passkey/verify-authentication', late))).toBe(
      'CHALLENGE_NOT_FOUND',
    )
  })

  test('takes one of two that answer the same challenge at once', async () => {
    const key = await addPasskey(await openBrowser())
    const browser = jarOf(holdfast, ORIGIN)
    const response = key.get(await requestOptions(browser))
    const send = () => browser.post('/api/auth/passkey/verify-authentication', { response })
    const answers = await Promise.all([send(), send(), send()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  })

  test('refuses a counter that goes back, and says so in the log', async () => {
    const browser = await openBrowser()
    const key = await addPasskey(browser)
    expect((await sendProof(jarOf(holdfast, ORIGIN), key, { counter: 7 })).status).toBe(200)
    for (const counter of [7, 6, 0])
      expect(await codeOf(await sendProof(jarOf(holdfast, ORIGIN), key, { counter }))).toBe(
        'AUTHENTICATION_FAILED',
      )
    expect((await sendProof(jarOf(holdfast, ORIGIN), key, { counter: 8 })).status).toBe(200)
    const lines = holdfast.securityLines.filter(({ message }) => message.includes('counter'))
    expect(lines).toHaveLength(3)
    expect(lines[0]?.fields).toMatchObject({ account: browser.userId })
  })

  test('works with an authenticator that does not count', async () => {
    const key = new Authenticator(ORIGIN)
    key.counter = null
    await addPasskey(await openBrowser(), key)
    for (let n = 0; n < 2; n += 1) expect((await sendProof(jarOf(holdfast, ORIGIN), key)).status).toBe(200)
  })

  test('is refused for a disabled account, and for a page of another site', async () => {
    const browser = await openBrowser()
    const key = await addPasskey(browser)
    expect(await codeOf(await sendProof(jarOf(holdfast, 'https://evil.example'), key))).toBe('INVALID_ORIGIN')
    await holdfast.bySession.data('PUT', '/users', { id: browser.userId, disabled: true })
    expect(await codeOf(await sendProof(jarOf(holdfast, ORIGIN), key))).toBe('ACCOUNT_DISABLED')
  })

  test('is written down with its way', async () => {
    const browser = await openBrowser()
    await sendProof(browser, await addPasskey(browser, undefined, 'Ring'))
    const { activities } = (
      await json<{ data: { activities: { type: string; detail: string | null }[] } }>(
        await browser.get('/api/me/security'),
      )
    ).data
    expect(activities.slice(0, 2)).toMatchObject([
      { type: 'sign-in.succeeded', detail: 'passkey' },
      { type: 'passkey.added', detail: 'Ring' },
    ])
  })

  test('ends with the browser where it is not to be remembered', async () => {
    const key = await addPasskey(await openBrowser())
    const session = async (more: object) =>
      (await sendProof(jarOf(holdfast, ORIGIN), key, {}, more)).headers
        .getSetCookie()
        .find((line) => line.includes('session_token'))
    expect(await session({ rememberMe: false })).not.toContain('Max-Age')
    expect(await session({})).toContain('Max-Age')
  })
})

describe('a passkey after the password', () => {
  /** Returns an account that is asked for its passkey, and a browser that has sent its password. */
  async function twoSteps() {
    const owner = await openBrowser()
    const key = await addPasskey(owner)
    expect((await askAfterPassword(owner)).status).toBe(200)
    const browser = jarOf(holdfast, ORIGIN)
    const asked = await signInByPassword(browser, owner.email)
    return { owner, key, browser, asked }
  }

  const sendStep = async (jar: Jar, key: Authenticator, more: object = {}, twist?: Twist) => {
    const response = key.get(await requestOptions(jar, 'second-step'), twist)
    return jar.post('/api/auth/passkey/verify-authentication', { response, ...more })
  }

  test('is asked for once it is switched on', async () => {
    const { owner, key, browser, asked } = await twoSteps()
    expect(asked).toMatchObject({ twoFactorRedirect: true, twoFactorMethods: ['passkey'] })
    expect(asked.token).toBeUndefined()
    expect((await requestOptions(browser, 'second-step')).allowCredentials).toMatchObject([{ id: key.id }])
    expect((await sendStep(browser, key)).status).toBe(200)
    expect(await whoIs(browser)).toBe(owner.email)
    expect(await whoIs(owner)).toBe(owner.email)
  })

  test('is in the security log, as are a wrong one and its switch', async () => {
    const { owner, key, browser } = await twoSteps()
    await sendStep(browser, key, {}, { isVerified: false })
    await askAfterPassword(owner, false)
    const { data } = await json<{ data: { activities: { type: string }[] } }>(
      await owner.get('/api/me/security'),
    )
    expect(data.activities.slice(0, 3).map(({ type }) => type)).toEqual([
      'second-factor.disabled',
      'second-factor.failed',
      'second-factor.enabled',
    ])
  })

  test('must be the account’s own', async () => {
    const { browser } = await twoSteps()
    const foreign = await addPasskey(await openBrowser())
    expect(await codeOf(await sendStep(browser, foreign))).toBe('PASSKEY_NOT_FOUND')
    expect(await whoIs(browser)).toBeUndefined()
  })

  test('does not finish the step of another account', async () => {
    const [mine, other] = [await twoSteps(), await twoSteps()]
    const response = mine.key.get(await requestOptions(mine.browser, 'second-step'))
    const step = '__Secure-better-auth.two_factor'
    mine.browser.cookies.set(step, other.browser.cookies.get(step) ?? '')
    const answer = await mine.browser.post('/api/auth/passkey/verify-authentication', { response })
    expect(await codeOf(answer)).toBe('AUTHENTICATION_FAILED')
    expect(await whoIs(mine.browser)).toBeUndefined()
  })

  test('needs the password first', async () => {
    const browser = jarOf(holdfast, ORIGIN)
    const response = await browser.get('/api/auth/passkey/generate-authenticate-options?purpose=second-step')
    expect(await codeOf(response)).toBe('INVALID_TWO_FACTOR_COOKIE')
  })

  test('may be skipped in a trusted browser, until a passkey is deleted', async () => {
    const { owner, key, browser } = await twoSteps()
    await addPasskey(owner)
    expect((await sendStep(browser, key, { trustDevice: true })).status).toBe(200)
    expect((await signInByPassword(browser, owner.email)).token).toBeString()
    const [first] = await listed(owner)
    await owner.post('/api/auth/passkey/delete-passkey', { id: first?.id })
    expect((await signInByPassword(browser, owner.email)).token).toBeUndefined()
  })

  test('is no longer asked for when it is switched off, or when the last is deleted', async () => {
    const { owner } = await twoSteps()
    await askAfterPassword(owner, false)
    expect((await signInByPassword(jarOf(holdfast, ORIGIN), owner.email)).token).toBeString()
    await askAfterPassword(owner)
    const [only] = await listed(owner)
    await owner.post('/api/auth/passkey/delete-passkey', { id: only?.id })
    expect((await signInByPassword(jarOf(holdfast, ORIGIN), owner.email)).token).toBeString()
    expect(await codeOf(await askAfterPassword(owner))).toBe('PASSKEY_NOT_FOUND')
  })

  test('is switched on by the first of an account that must have one, which keeps its last', async () => {
    const browser = await openBrowser()
    await whileRequired(async () => {
      expect((await browser.get('/api/files')).status).toBe(403)
      await addPasskey(browser)
      expect((await browser.get('/api/files')).status).toBe(200)
      const [only] = await listed(browser)
      const gone = await browser.post('/api/auth/passkey/delete-passkey', { id: only?.id })
      expect(await codeOf(gone)).toBe('LAST_FACTOR')
      expect(await codeOf(await askAfterPassword(browser, false))).toBe('LAST_FACTOR')
      expect(await listed(browser)).toHaveLength(1)
    })
  })

  test.each([
    ['that stays by choice', (work: () => Promise<void>) => work()],
    ['that is required', whileRequired],
  ])('is a second step %s when codes are disabled, with the recovery codes for it', async (_, during) => {
    const { owner, key, browser } = await twoSteps()
    const password = { password: ADMIN.password }
    await during(async () => {
      const enabled = await owner.post('/api/auth/two-factor/enable', password)
      const { totpURI } = await json<{ totpURI: string }>(enabled)
      await owner.post('/api/auth/two-factor/verify-totp', { code: appOf(totpURI)(clock.now()) })
      await signInByPassword(browser, owner.email)
      expect((await sendStep(browser, key, { trustDevice: true })).status).toBe(200)

      // The second request finds no codes, and leaves the passkeys alone as well.
      for (let n = 0; n < 2; n++)
        expect((await owner.post('/api/auth/two-factor/disable', password)).status).toBe(200)

      const asked = await signInByPassword(browser, owner.email)
      expect(asked).toMatchObject({ twoFactorRedirect: true, twoFactorMethods: ['passkey'] })
      const ways = { twoFactor: true, codes: false, recoveryCodes: 10, trustedDevices: 0 }
      expect(await json(await owner.get('/api/me/ways-in'))).toMatchObject({ data: ways })
      expect((await sendStep(browser, key)).status).toBe(200)
    })
    const { data } = await json<{ data: { activities: { detail: string | null }[] } }>(
      await owner.get('/api/me/security?types=second-factor.disabled'),
    )
    expect(data.activities[0]?.detail).toBe('codes; passkeys stay')
  })
})

describe('passkeys of an account', () => {
  test('are renamed and deleted by their owner only', async () => {
    const [browser, other] = [await openBrowser(), await openBrowser()]
    await addPasskey(browser)
    const [{ id = '' } = {}] = await listed(browser)
    const rename = (jar: Jar, name: string) => jar.post('/api/auth/passkey/update-passkey', { id, name })
    expect(await codeOf(await rename(other, 'Mine'))).toBe('PASSKEY_NOT_FOUND')
    expect(await codeOf(await other.post('/api/auth/passkey/delete-passkey', { id }))).toBe(
      'PASSKEY_NOT_FOUND',
    )
    expect(await json(await rename(browser, ' Key ring '))).toMatchObject({
      passkey: { id, name: 'Key ring' },
    })
    expect((await rename(browser, ' ')).status).toBe(400)
    expect((await browser.post('/api/auth/passkey/delete-passkey', { id })).status).toBe(200)
    expect(await listed(browser)).toEqual([])
  })

  test('are changed soon after a sign-in or a confirmation, which they give, too', async () => {
    const [browser, other] = [await openBrowser(), await openBrowser()]
    const key = await addPasskey(browser)
    const foreign = await addPasskey(other)
    const [{ id = '' } = {}] = await listed(browser)
    const early = new Authenticator(ORIGIN).create(await creationOptions(browser))
    clock.advance(600_001)
    const confirm = async (sender: Authenticator) =>
      browser.post('/api/auth/confirm', { response: sender.get(await requestOptions(browser, 'confirm')) })
    const refused = [
      await browser.post('/api/auth/passkey/verify-registration', { response: early }),
      await browser.get('/api/auth/passkey/generate-register-options'),
      await browser.post('/api/auth/passkey/delete-passkey', { id }),
      await askAfterPassword(browser),
    ]
    for (const answer of refused) expect(await codeOf(answer)).toBe('CONFIRMATION_REQUIRED')
    expect(await codeOf(await confirm(foreign))).toBe('PASSKEY_NOT_FOUND')
    expect((await askAfterPassword(browser)).status).toBe(403)
    expect((await confirm(key)).status).toBe(200)
    expect((await askAfterPassword(browser)).status).toBe(200)
    const stranger = await jarOf(holdfast, ORIGIN).get(
      '/api/auth/passkey/generate-authenticate-options?purpose=confirm',
    )
    expect(stranger.status).toBe(401)
  })

  test('stay while they are the only way in', async () => {
    const browser = await openBrowser()
    await addPasskey(browser)
    await addPasskey(browser)
    using database = openDatabase(holdfast)
    database.run("UPDATE users SET password_hash = '' WHERE id = ?", [browser.userId])
    // Of a provider that this instance has no longer.
    database.run("INSERT INTO identities VALUES ('former', ?, 'oidc', 'https://id.example.com', '1', 0, 0)", [
      browser.userId,
    ])
    const { users } = await holdfast.bySession.data<{ users: { id: string }[] }>('GET', '/users')
    expect(users).toContainEqual(expect.objectContaining({ id: browser.userId, waysIn: ['passkey'] }))
    const [first, last] = await listed(browser)
    const remove = (id: string | undefined) => browser.post('/api/auth/passkey/delete-passkey', { id })
    expect((await remove(first?.id)).status).toBe(200)
    expect(await codeOf(await remove(last?.id))).toBe('INVALID')
    expect(await listed(browser)).toHaveLength(1)
  })

  test('stay the second factor while codes are, and the other way round', async () => {
    const browser = await openBrowser()
    await addPasskey(browser)
    await askAfterPassword(browser)
    using database = openDatabase(holdfast)
    database.run('INSERT INTO authenticators VALUES (?, ?, 0, 1, 0, 0)', [browser.userId, 'unreadable'])
    expect(await codeOf(await askAfterPassword(browser, false))).toBe('CONFLICT')
    const [only] = await listed(browser)
    await browser.post('/api/auth/passkey/delete-passkey', { id: only?.id })
    const asked = await signInByPassword(jarOf(holdfast, ORIGIN), browser.email)
    expect(asked.token).toBeUndefined()
  })

  test.each([
    ['http', 'http://files.example.com', false],
    ['an IPv4 address', 'https://192.0.2.1', false],
    ['an IPv6 address', 'https://[2001:db8::1]', false],
    ['localhost', 'http://localhost:3000', true],
    ['https with a port', 'https://files.example.com:8443', true],
  ])('are offered where browsers have them: %s', async (_, baseUrl, isPossible) => {
    await using other = await startWithAccount({ environment: { BASE_URL: baseUrl } })
    const response = await other.fetch('/api/auth/passkey/generate-authenticate-options')
    expect(response.status).toBe(isPossible ? 200 : 400)
    if (isPossible) expect(await response.json()).toMatchObject({ rpId: new URL(baseUrl).hostname })
    else expect(await codeOf(response)).toBe('PASSKEYS_UNAVAILABLE')
    expect(await (await other.fetch('/.well-known/webauthn')).json()).toEqual({
      origins: isPossible ? [baseUrl] : [],
    })
  })
})

import { describe, expect, test } from 'bun:test'
import type { NewCodes } from '../../src/client/types.ts'
import { codeOf, stepOf } from '../../src/modules/sign-in/codes/totp.ts'
import type { User } from '../support/accounts.ts'
import { startAgain, startInsideWithAccount, withInside } from '../support/fixture.ts'
import { ADMIN, allowOtherSecret, postJson, TestClock } from '../support/holdfast.ts'
import { addApp, appOf, beginStep, cookiesOf, enableCodes, withCookies } from './second-step.ts'

const clock = new TestClock()
const holdfast = withInside({ clock })

const TOTP = '/api/auth/two-factor/verify-totp'
const RECOVERY = '/api/auth/two-factor/verify-backup-code'
const MINUTE_MS = 60_000

const password = { password: ADMIN.password }
const send = (path: string, body: object, headers: Record<string, string> = {}) =>
  postJson(holdfast, path, body, headers)

/** Returns the status and the code of a failure. */
async function failureOf(response: Response) {
  return [response.status, ((await response.json()) as { code: string }).code] as const
}

const eventsOf = async (user: User) =>
  (await user.api.data<{ activities: { type: string }[] }>('GET', '/me/security')).activities.map(
    ({ type }) => type,
  )

/** Adds an account with codes, and moves on to a code that has not been used. */
async function withCodes() {
  const user = await holdfast.addUser('editor')
  const app = await enableCodes(holdfast, user)
  clock.advance(MINUTE_MS)
  return { user, ...app, code: () => app.codeAt(clock.now()) }
}

/** Returns a code that no step around now has. */
function wrongCode(codeAt: (epochMs: number) => string): string {
  const right = [-1, 0, 1].map((step) => codeAt(clock.now() + step * 30_000))
  return ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? ''
}

describe('codes by time', () => {
  // RFC 6238, appendix B, of which an app shows the last six digits.
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at %d seconds are those of RFC 6238', (seconds, code) => {
    const secret = Buffer.from('12345678901234567890')
    expect(codeOf(secret, Math.floor(seconds / 30))).toBe(code)
    expect(stepOf(secret, code, { now: seconds * 1000, lastStep: 0 })).toBe(Math.floor(seconds / 30))
  })

  test('count one step early and late, and no further', () => {
    const secret = Buffer.from('12345678901234567890')
    const found = [-2, -1, 0, 1, 2].map((by) =>
      stepOf(secret, codeOf(secret, 1000 + by), { now: 30_000_000, lastStep: 0 }),
    )
    expect(found).toEqual([undefined, 999, 1000, 1001, undefined])
  })
})

describe('enabling codes', () => {
  test('asks for them from the first right code on', async () => {
    const user = await holdfast.addUser('editor')
    const app = await addApp(holdfast, user)
    expect((await beginStep(holdfast, user.email)).cookies.has('better-auth.session_token')).toBe(true)

    const wrong = await send(TOTP, { code: wrongCode(app.codeAt) }, user.withSession)
    expect(await failureOf(wrong)).toEqual([401, 'INVALID_CODE'])
    const right = await send(TOTP, { code: app.codeAt(clock.now()) }, user.withSession)

    expect(right.status).toBe(200)
    expect(await right.json()).toMatchObject({ user: { email: user.email, twoFactorEnabled: true } })
    const session = await holdfast.fetch('/api/auth/get-session', { headers: user.withSession })
    expect(await session.json()).toMatchObject({ user: { twoFactorEnabled: true } })
    const { response, cookies } = await beginStep(holdfast, user.email)
    expect(await response.json()).toEqual({
      data: { twoFactorRedirect: true, twoFactorMethods: ['totp'] },
      error: null,
      twoFactorRedirect: true,
      twoFactorMethods: ['totp'],
    })
    expect([...cookies.keys()]).toEqual(['better-auth.two_factor'])
    expect((await eventsOf(user)).filter((type) => !type.startsWith('sign-in'))).toEqual([
      'second-factor.enabled',
      'second-factor.failed',
      'backup-codes.made',
    ])
  })

  test('names the account and the instance to the app, and returns ten recovery codes of twelve letters', async () => {
    const user = await holdfast.addUser('editor')
    const response = await send('/api/auth/two-factor/enable', password, user.withSession)
    const { method, totpURI, backupCodes } = (await response.json()) as NewCodes

    expect(method).toBe('totp')
    const { pathname, searchParams } = new URL(totpURI)
    expect(decodeURIComponent(pathname)).toEndWith(`holdfast.test:${user.email}`)
    expect(searchParams.get('secret')).toMatch(/^[A-Z2-7]{32}$/)
    expect(backupCodes).toHaveLength(10)
    expect(new Set(backupCodes).size).toBe(10)
    for (const code of backupCodes) expect(code).toMatch(/^[A-Z]{4}-[A-Z]{4}-[A-Z]{4}$/)
  })

  test('is refused while codes are enabled, with a wrong password, and later than ten minutes without one', async () => {
    const { user } = await withCodes()
    const enable = (body: object) => send('/api/auth/two-factor/enable', body, user.withSession)

    expect(await failureOf(await enable(password))).toEqual([400, 'TOTP_ALREADY_ENABLED'])
    expect(await failureOf(await enable({ password: 'another' }))).toEqual([400, 'INVALID_PASSWORD'])
    clock.advance(11 * MINUTE_MS)
    expect(await failureOf(await enable({}))).toEqual([403, 'CONFIRMATION_REQUIRED'])
    await send('/api/auth/confirm', password, user.withSession)
    expect(await failureOf(await enable({}))).toEqual([400, 'TOTP_ALREADY_ENABLED'])
  })

  test('replaces an app on request: recovery codes sign in until the first code of the new one', async () => {
    const { user, code } = await withCodes()
    const response = await send(
      '/api/auth/two-factor/enable',
      { ...password, replace: true },
      user.withSession,
    )
    const { totpURI, backupCodes } = (await response.json()) as NewCodes
    const waiting = await beginStep(holdfast, user.email)
    expect(await waiting.response.json()).toMatchObject({ twoFactorMethods: [] })
    expect(await failureOf(await send(TOTP, { code: code() }, waiting.headers))).toEqual([
      400,
      'TWO_FACTOR_NOT_ENABLED',
    ])
    expect((await send(RECOVERY, { code: backupCodes[0] ?? '' }, waiting.headers)).status).toBe(200)

    const first = { code: appOf(totpURI)(clock.now()) }
    expect((await send(TOTP, first, user.withSession)).status).toBe(200)
    clock.advance(MINUTE_MS)
    const { headers } = await beginStep(holdfast, user.email)
    expect((await send(TOTP, { code: appOf(totpURI)(clock.now()) }, headers)).status).toBe(200)
  })

  test('keeps no secret and no recovery code as it is', async () => {
    const user = await holdfast.addUser('editor')
    const response = await send('/api/auth/two-factor/enable', password, user.withSession)
    const { totpURI, backupCodes } = (await response.json()) as NewCodes
    const { store } = holdfast.server.deps
    const row = await store.authenticators.ofUser(user.id)
    const secret = new URL(totpURI).searchParams.get('secret') ?? 'none'

    expect(row?.secret).not.toContain(secret)
    expect(appOf(totpURI)(0)).toMatch(/^\d{6}$/)
    expect(await store.recoveryCodes.countOf(user.id)).toBe(10)
    expect(await store.recoveryCodes.use(user.id, backupCodes[0] ?? '')).toBe(false)
  })
})

describe('a sign-in in two steps', () => {
  test('ends with a code, in a session that says how', async () => {
    const { user, code } = await withCodes()
    const { headers } = await beginStep(holdfast, user.email)

    const response = await send(TOTP, { code: code() }, headers)

    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ token: expect.any(String), user: { email: user.email } })
    const lines = response.headers.getSetCookie()
    expect(lines).toHaveLength(2)
    expect(lines.join()).toContain('better-auth.two_factor=; Max-Age=0')
    const me = await holdfast.fetch('/api/me', { headers: withCookies(cookiesOf(response)) })
    expect(me.status).toBe(200)
    const { activities } = await user.api.data<{ activities: object[] }>('GET', '/me/security')
    expect(activities[0]).toMatchObject({ type: 'sign-in.succeeded', detail: 'password+totp' })
  })

  test('takes a code once, in this sign-in and in another', async () => {
    const { user, code } = await withCodes()
    const [one, other] = [await beginStep(holdfast, user.email), await beginStep(holdfast, user.email)]
    const sent = await Promise.all([one, other].map(({ headers }) => send(TOTP, { code: code() }, headers)))
    const again = await send(TOTP, { code: code() }, one.headers)

    expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 401])
    expect(again.status).toBe(401)
  })

  test('ends with a recovery code, in any case and without hyphens, once', async () => {
    const { user, backupCodes } = await withCodes()
    const [first = ''] = backupCodes
    const typed = first.toLowerCase().replaceAll('-', ' ')

    const right = await send(RECOVERY, { code: typed }, (await beginStep(holdfast, user.email)).headers)
    const again = await send(RECOVERY, { code: first }, (await beginStep(holdfast, user.email)).headers)

    expect(right.status).toBe(200)
    expect(await failureOf(again)).toEqual([401, 'INVALID_BACKUP_CODE'])
    expect((await eventsOf(user)).slice(0, 3)).toEqual([
      'second-factor.failed',
      'backup-codes.used',
      'sign-in.succeeded',
    ])
  })

  test('ends after five wrong codes, and says so', async () => {
    const { user, code, codeAt } = await withCodes()
    const { headers } = await beginStep(holdfast, user.email)
    for (let n = 0; n < 5; n++)
      expect(await failureOf(await send(TOTP, { code: wrongCode(codeAt) }, headers))).toEqual([
        401,
        'INVALID_CODE',
      ])

    const right = await send(TOTP, { code: code() }, headers)
    expect(await failureOf(right)).toEqual([400, 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE'])
    expect(await failureOf(await send(TOTP, { code: code() }, headers))).toEqual([
      401,
      'INVALID_TWO_FACTOR_COOKIE',
    ])
    const anew = await beginStep(holdfast, user.email)
    expect((await send(TOTP, { code: code() }, anew.headers)).status).toBe(200)
  })

  test('counts forty codes at once as forty, and locks nothing but codes', async () => {
    const { user, code, codeAt } = await withCodes()
    const steps = await Promise.all(Array.from({ length: 8 }, () => beginStep(holdfast, user.email)))
    const wrong = wrongCode(codeAt)
    const sent = await Promise.all(
      Array.from({ length: 40 }, (_, n) => send(TOTP, { code: wrong }, steps[n % 8]?.headers)),
    )

    const statuses = sent.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30)
    const locked = sent.find(({ status }) => status === 429)
    expect(Number(locked?.headers.get('retry-after'))).toBe(900)
    expect(await eventsOf(user)).toContain('second-factor.locked')
    expect((await user.api.send('GET', '/me')).status).toBe(200)
    const { response, headers } = await beginStep(holdfast, user.email)
    expect(response.status).toBe(200)
    expect(await failureOf(await send(TOTP, { code: code() }, headers))).toEqual([
      429,
      'ACCOUNT_TEMPORARILY_LOCKED',
    ])
    clock.advance(15 * MINUTE_MS)
    const later = await beginStep(holdfast, user.email)
    expect((await send(TOTP, { code: code() }, later.headers)).status).toBe(200)
  })

  test('is not over for a right code after nine wrong ones, which count from the start again', async () => {
    const { user, code, codeAt } = await withCodes()
    const wrong = async (count: number) => {
      const { headers } = await beginStep(holdfast, user.email)
      for (let n = 0; n < count; n++) await send(TOTP, { code: wrongCode(codeAt) }, headers)
      return headers
    }
    await wrong(5)
    const headers = await wrong(4)
    expect((await send(TOTP, { code: code() }, headers)).status).toBe(200)
    clock.advance(MINUTE_MS)
    await wrong(5)
    expect((await send(TOTP, { code: code() }, await wrong(4))).status).toBe(200)
  })

  test('ends with its ten minutes, and with another password', async () => {
    const { user, code } = await withCodes()
    const late = await beginStep(holdfast, user.email)
    clock.advance(10 * MINUTE_MS)
    expect((await send(TOTP, { code: code() }, late.headers)).status).toBe(401)

    const begun = await beginStep(holdfast, user.email)
    await holdfast.bySession.data('PUT', '/users', { id: user.id, password: 'another password of it' })
    expect(await failureOf(await send(TOTP, { code: code() }, begun.headers))).toEqual([
      401,
      'INVALID_TWO_FACTOR_COOKIE',
    ])
  })

  test('tells nothing about factors without the right password', async () => {
    const { user } = await withCodes()
    const other = await holdfast.addUser('editor')
    const tried = (email: string) =>
      postJson(holdfast, '/api/auth/sign-in/email', { email, password: 'wrong one' })
    const [withStep, without] = [await tried(user.email), await tried(other.email)]

    expect(await withStep.text()).toBe(await without.text())
    expect(withStep.headers.getSetCookie()).toEqual([])
  })

  test('opens nothing before its second step', async () => {
    const { user } = await withCodes()
    const { cookies, headers } = await beginStep(holdfast, user.email)
    const [token = ''] = cookies.values()
    const asSession = { ...headers, Cookie: `better-auth.session_token=${token}` }

    for (const sent of [headers, asSession]) {
      expect((await holdfast.fetch('/api/me', { headers: sent })).status).toBe(401)
      expect((await send('/api/auth/two-factor/disable', password, sent)).status).toBe(401)
    }
  })

  test('counts no cookie when there are two different ones', async () => {
    const { user, code } = await withCodes()
    const { headers } = await beginStep(holdfast, user.email)
    const planted = { ...headers, Cookie: `${headers.Cookie}; better-auth.two_factor=planted` }
    expect((await send(TOTP, { code: code() }, planted)).status).toBe(401)
    expect((await send(TOTP, { code: code() }, headers)).status).toBe(200)
  })

  test('needs its cookie beside the code', async () => {
    const { code } = await withCodes()
    expect(await failureOf(await send(TOTP, { code: code() }))).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
  })
})

describe('disabling codes', () => {
  test('removes them, the recovery codes and trusted browsers', async () => {
    const { user, code } = await withCodes()
    const { headers } = await beginStep(holdfast, user.email)
    await send(TOTP, { code: code(), trustDevice: true }, headers)
    expect(await user.api.data('GET', '/me/ways-in')).toMatchObject({ trustedDevices: 1 })

    const response = await send('/api/auth/two-factor/disable', password, user.withSession)

    expect(await response.json()).toEqual({ data: { status: true }, error: null, status: true })
    expect((await beginStep(holdfast, user.email)).cookies.has('better-auth.session_token')).toBe(true)
    const none = { twoFactor: false, recoveryCodes: 0, trustedDevices: 0 }
    expect(await user.api.data('GET', '/me/ways-in')).toMatchObject(none)
    expect(await eventsOf(user)).toContain('second-factor.disabled')
  })

  test('is refused to an account that must have a second factor', async () => {
    await using own = await startInsideWithAccount()
    await enableCodes(own, own.admin)
    const disable = () => postJson(own, '/api/auth/two-factor/disable', password, own.admin.withSession)

    await own.bySession.data('PUT', '/settings', { requireSecondFactor: 'admins' })
    expect(await failureOf(await disable())).toEqual([403, 'LAST_FACTOR'])
    await own.bySession.data('PUT', '/settings', { requireSecondFactor: 'no' })
    expect((await disable()).status).toBe(200)
  })
})

describe('an account that must have a second factor', () => {
  test('reaches its own account and the codes until it has one, and everything by its API keys', async () => {
    await using own = await startInsideWithAccount()
    await own.bySession.data('PUT', '/settings', { requireSecondFactor: 'all' })
    const reaches = async (path: string) => (await own.bySession.send('GET', path)).status

    expect(await Promise.all(['/me', '/me/ways-in', '/files', '/settings'].map(reaches))).toEqual([
      200, 200, 403, 403,
    ])
    expect((await own.api.send('GET', '/files')).status).toBe(200)
    await enableCodes(own, own.admin)
    expect(await Promise.all(['/me', '/files', '/settings'].map(reaches))).toEqual([200, 200, 200])
  })
})

describe('new recovery codes', () => {
  test('replace those before', async () => {
    const { user, backupCodes } = await withCodes()
    const response = await send('/api/auth/two-factor/generate-backup-codes', password, user.withSession)
    const { backupCodes: renewed = [] } = (await response.json()) as { backupCodes?: string[] }
    const { headers } = await beginStep(holdfast, user.email)

    expect(renewed).toHaveLength(10)
    expect((await send(RECOVERY, { code: backupCodes[0] ?? '' }, headers)).status).toBe(401)
    expect((await send(RECOVERY, { code: renewed[0] ?? '' }, headers)).status).toBe(200)
  })

  test('are none for an account without a second factor', async () => {
    const user = await holdfast.addUser('editor')
    const response = await send('/api/auth/two-factor/generate-backup-codes', password, user.withSession)
    expect(await failureOf(response)).toEqual([400, 'TWO_FACTOR_NOT_ENABLED'])
  })
})

describe('a confirmation by a code', () => {
  test('counts for ten minutes, and not for an app that waits for its first code', async () => {
    const { user, code } = await withCodes()
    clock.advance(11 * MINUTE_MS)
    const renew = () => send('/api/auth/two-factor/generate-backup-codes', {}, user.withSession)
    expect((await renew()).status).toBe(403)
    expect((await send('/api/auth/confirm', { code: code() }, user.withSession)).status).toBe(200)
    expect((await renew()).status).toBe(200)
    clock.advance(11 * MINUTE_MS)
    expect((await renew()).status).toBe(403)

    const waiting = await holdfast.addUser('editor')
    const app = await addApp(holdfast, waiting)
    const early = await send('/api/auth/confirm', { code: app.codeAt(clock.now()) }, waiting.withSession)
    expect(await failureOf(early)).toEqual([400, 'TWO_FACTOR_NOT_ENABLED'])
  })
})

describe('DELETE /api/users/second-factor', () => {
  test('lets an account in with its password, ends its sessions, and names the admin in the log', async () => {
    const { user } = await withCodes()
    const admin = await holdfast.addUser('admin')
    const listed = async () => {
      const { users } = await admin.api.data<{ users: { id: string; secondFactor?: boolean }[] }>(
        'GET',
        '/users',
      )
      return users.find(({ id }) => id === user.id)?.secondFactor
    }
    expect(await listed()).toBe(true)

    await admin.api.data('DELETE', '/users/second-factor', { id: user.id })

    expect(await listed()).toBeUndefined()
    expect((await user.api.send('GET', '/me')).status).toBe(401)
    const { cookies } = await beginStep(holdfast, user.email)
    expect(cookies.has('better-auth.session_token')).toBe(true)
    const again = withCookies(cookies)
    const log = await holdfast.fetch('/api/me/security?types=second-factor.reset', { headers: again })
    expect(await log.json()).toMatchObject({ data: { activities: [{ actorId: admin.id }] } })
  })

  test('is not for the own account', async () => {
    const admin = await holdfast.addUser('admin')
    expect((await admin.api.send('DELETE', '/users/second-factor', { id: admin.id })).status).toBe(400)
  })
})

describe('GET /api/me/ways-in', () => {
  const waysOf = (user: User) => user.api.data('GET', '/me/ways-in')

  test('counts recovery codes and trusted browsers, which can be forgotten', async () => {
    const user = await holdfast.addUser('editor')
    const none = { password: true, twoFactor: false, codes: false, recoveryCodes: 0, trustedDevices: 0 }
    const lists = { passkeys: [], identities: [] }
    expect(await waysOf(user)).toEqual({ ...none, ...lists, passwordWorks: true, maySetPassword: false })

    const { backupCodes } = await enableCodes(holdfast, user)
    const { headers } = await beginStep(holdfast, user.email)
    const entered = await send(RECOVERY, { code: backupCodes[0] ?? '', trustDevice: true }, headers)
    const ways = { twoFactor: true, codes: true, recoveryCodes: 9, trustedDevices: 1 }
    expect(await waysOf(user)).toMatchObject(ways)

    await user.api.data('DELETE', '/me/trusted-devices')
    expect(await waysOf(user)).toMatchObject({ ...ways, trustedDevices: 0 })
    const signIn = { email: user.email, ...password }
    const again = await send('/api/auth/sign-in/email', signIn, withCookies(cookiesOf(entered)))
    expect(await again.json()).toMatchObject({ twoFactorRedirect: true })
  })
})

describe('a trusted browser', () => {
  /** Lets an account trust a browser, and returns what tells if an account skips its second step there. */
  async function withTrust() {
    const { user, code } = await withCodes()
    const { headers } = await beginStep(holdfast, user.email)
    const entered = await send(TOTP, { code: code(), trustDevice: true }, headers)
    const trusted = withCookies(cookiesOf(entered))
    const skips = async ({ email }: User, secret = ADMIN.password) => {
      const signedIn = await send('/api/auth/sign-in/email', { email, password: secret }, trusted)
      return 'token' in ((await signedIn.json()) as object)
    }
    return { user, skips }
  }

  test('is trusted by one account only, and no longer once that has another password', async () => {
    const { user, skips } = await withTrust()
    const other = await withCodes()
    expect([await skips(user), await skips(other.user)]).toEqual([true, false])

    const newPassword = 'another password of it'
    const change = { currentPassword: ADMIN.password, newPassword }
    await user.api.data('PUT', '/me/password', change)
    expect(await skips(user, newPassword)).toBe(false)
  })

  test('is no longer trusted after the account was disabled', async () => {
    const { user, skips } = await withTrust()
    for (const disabled of [true, false])
      await holdfast.bySession.data('PUT', '/users', { id: user.id, disabled })
    expect(await skips(user)).toBe(false)
  })

  test('skips the second step for thirty days', async () => {
    const { user, code } = await withCodes()
    const { headers } = await beginStep(holdfast, user.email)
    const trusted = cookiesOf(await send(TOTP, { code: code(), trustDevice: true }, headers))
    const signIn = () =>
      send(
        '/api/auth/sign-in/email',
        { email: user.email, ...password },
        withCookies(new Map([['better-auth.trust_device', trusted.get('better-auth.trust_device') ?? '']])),
      )
    const skips = async () => 'token' in ((await (await signIn()).json()) as object)

    expect(await skips()).toBe(true)
    clock.advance(29 * 24 * 60 * MINUTE_MS)
    expect(await skips()).toBe(true)
    clock.advance(24 * 60 * MINUTE_MS)
    expect(await skips()).toBe(false)
  })
})

test('with another AUTH_SECRET the start says that codes are lost, and recovery codes sign in', async () => {
  const clock = new TestClock()
  await using first = await startInsideWithAccount({ clock })
  const { codeAt, backupCodes } = await enableCodes(first, first.admin)
  await first.stop()
  allowOtherSecret(first.dataPath)
  await using again = await startAgain(first, { clock, environment: { AUTH_SECRET: 'x'.repeat(40) } })
  clock.advance(MINUTE_MS)

  expect(again.logged.map(({ message }) => message).join()).toContain('Accounts with codes: 1')
  const { response, headers } = await beginStep(again, ADMIN.email)
  expect(await response.json()).toMatchObject({ twoFactorMethods: [] })
  const byCode = await postJson(again, TOTP, { code: codeAt(clock.now()) }, headers)
  expect(await failureOf(byCode)).toEqual([400, 'TWO_FACTOR_NOT_ENABLED'])
  expect((await postJson(again, RECOVERY, { code: backupCodes[0] }, headers)).status).toBe(200)
})

import { describe, expect, test } from 'bun:test'
import { createAuthClient } from 'better-auth/client'
import { twoFactorClient } from 'better-auth/client/plugins'
import { appOf } from '../sign-in/second-step.ts'
import { ADMIN, BASE_URL } from '../support/holdfast.ts'
import { withoutAccounts } from './without-accounts.ts'

const holdfast = withoutAccounts()

/**
 * Creates better-auth's own client, with the headers that a browser adds: the page's origin and the server's cookies.
 */
function browserClient(origin = BASE_URL) {
  const cookies = new Map<string, string>()
  const customFetchImpl = async (input: unknown, init?: RequestInit) => {
    const request = new Request(String(input), init)
    if (request.method !== 'GET') request.headers.set('Origin', origin)
    if (cookies.size > 0)
      request.headers.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(request)
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0(;|$)/.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const plugins = [twoFactorClient()]
  const client = createAuthClient({ baseURL: holdfast.url, plugins, fetchOptions: { customFetchImpl } })
  return { client, cookies }
}

describe('better-auth’s client', () => {
  test('signs up, reads the session, signs out and signs in again', async () => {
    const { client, cookies } = browserClient()

    const signedUp = await client.signUp.email(ADMIN)
    expect(signedUp.error).toBeNull()
    expect(signedUp.data?.user).toMatchObject({ name: 'Ada', email: ADMIN.email, emailVerified: false })
    expect(signedUp.data?.user.createdAt).toBeInstanceOf(Date)
    expect([...cookies.keys()]).toEqual(['better-auth.session_token'])

    const session = await client.getSession()
    expect(session.error).toBeNull()
    expect(session.data?.user.id).toBe(signedUp.data?.user.id ?? 'none')
    expect(session.data?.session.expiresAt).toBeInstanceOf(Date)

    const signedOut = await client.signOut()
    expect(signedOut.data?.success).toBe(true)
    expect(cookies.size).toBe(0)
    expect(await client.getSession()).toEqual({ data: null, error: null })

    const signedIn = await client.signIn.email({ email: ADMIN.email, password: ADMIN.password })
    expect(signedIn.data?.redirect).toBe(false)
    expect(signedIn.data?.token).toBeString()
    expect((await client.getSession()).data?.user.email).toBe(ADMIN.email)
  })

  test('keeps its store in step with the session', async () => {
    const { client } = browserClient()
    const emails: (string | undefined)[] = []
    const settled = Promise.withResolvers<void>()
    await client.signUp.email(ADMIN)

    const stop = client.useSession.subscribe(({ data, isPending, error }) => {
      if (isPending) return
      emails.push(error ? 'an error' : data?.user.email)
      settled.resolve()
    })
    await client.useSession.get().refetch()
    await settled.promise
    stop()

    expect(emails.at(-1)).toBe(ADMIN.email)
  })

  test('receives a code for each failure', async () => {
    const { client, cookies } = browserClient()
    await client.signUp.email(ADMIN)
    await client.signOut()

    const wrong = await client.signIn.email({ email: ADMIN.email, password: 'not the password' })
    const closed = await client.signUp.email({ ...ADMIN, email: 'second@example.com' })

    expect(wrong.data).toBeNull()
    const message = 'Invalid email or password'
    expect(wrong.error).toMatchObject({ status: 401, code: 'INVALID_EMAIL_OR_PASSWORD', message })
    expect(closed.error).toMatchObject({ status: 403, code: 'REGISTRATION_CLOSED' })
    expect(cookies.size).toBe(0)
  })

  test('enables codes, signs in with them and with a recovery code, and disables them', async () => {
    const { client, cookies } = browserClient()
    const { email, password } = ADMIN
    await client.signUp.email(ADMIN)
    const enabled = await client.twoFactor.enable({ password })
    if (enabled.data?.method !== 'totp') throw new Error('There is no app to add')
    const { totpURI, backupCodes } = enabled.data
    const codeAt = appOf(totpURI)
    expect((await client.twoFactor.verifyTotp({ code: codeAt(holdfast.now()) })).error).toBeNull()
    expect((await client.getSession()).data?.user.twoFactorEnabled).toBe(true)

    await client.signOut()
    const signedIn = await client.signIn.email({ email, password })
    expect(signedIn.data).toMatchObject({ twoFactorRedirect: true, twoFactorMethods: ['totp'] })
    expect([...cookies.keys()]).toEqual(['better-auth.two_factor'])
    const used = await client.twoFactor.verifyTotp({ code: codeAt(holdfast.now()) })
    expect(used.error).toMatchObject({ status: 401, code: 'INVALID_CODE' })
    const entered = await client.twoFactor.verifyBackupCode({ code: backupCodes[0] ?? '' })
    expect(entered.data).toMatchObject({ token: expect.any(String), user: { email } })
    expect([...cookies.keys()]).toEqual(['better-auth.session_token'])

    const renewed = await client.twoFactor.generateBackupCodes({ password })
    expect(renewed.data?.backupCodes).toHaveLength(10)
    expect((await client.twoFactor.disable({ password })).data?.status).toBe(true)
    await client.signOut()
    expect((await client.signIn.email({ email, password })).data).toMatchObject({ redirect: false })
  })

  test('is refused on a page of another site', async () => {
    const { client, cookies } = browserClient()
    await client.signUp.email(ADMIN)
    const elsewhere = browserClient('https://evil.example')
    for (const [name, value] of cookies) elsewhere.cookies.set(name, value)

    expect((await elsewhere.client.signOut()).error).toMatchObject({ status: 403, code: 'INVALID_ORIGIN' })
    expect((await client.getSession()).data?.user.email).toBe(ADMIN.email)
  })
})

import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/platform/config.ts'
import { type Access, addAccount, openDatabase, signIn, trySignIn } from '../support/accounts.ts'
import { startInsideWithAccount, startWithAccount, withInside } from '../support/fixture.ts'
import { ADMIN, type Holdfast, postJson, refusalOf, TestClock } from '../support/holdfast.ts'

describe('PASSWORD_SIGN_IN', () => {
  test('admins lets admins in, and others with the right password know why not', async () => {
    await using holdfast = await startWithAccount({ environment: { PASSWORD_SIGN_IN: 'admins' } })
    const { email } = await addAccount(holdfast, { role: 'editor' })

    const admin = await trySignIn(holdfast, ADMIN.email)
    const wrong = await trySignIn(holdfast, email, 'a wrong password')
    const editor = await trySignIn(holdfast, email)

    expect(admin.status).toBe(200)
    expect(await refusalOf(wrong)).toEqual([401, 'Invalid email or password'])
    expect(editor.headers.getSetCookie()).toEqual([])
    expect(await editor.json()).toMatchObject({ code: 'PASSWORD_SIGN_IN_OFF' })
  })

  test('admins lets a password that does not sign in confirm nothing', async () => {
    await using holdfast = await startWithAccount({ environment: { PASSWORD_SIGN_IN: 'admins' } })
    const { id, withSession } = await holdfast.addUser('admin')
    const confirm = () => postJson(holdfast, '/api/auth/confirm', { password: ADMIN.password }, withSession)

    expect((await confirm()).status).toBe(200)
    await holdfast.bySession.data('PUT', '/users', { id, role: 'editor' })
    expect(await refusalOf(await confirm())).toEqual([400, 'This is not your password'])
  })

  test('no is refused at the start without another way', () => {
    expect(() => readConfig({ PASSWORD_SIGN_IN: 'no' })).toThrow(
      'PASSWORD_SIGN_IN is no, but there is no other way to sign in',
    )
  })
})

test('the ways of an instance without settings are passwords', async () => {
  await using holdfast = await startWithAccount()

  const methods = await (await holdfast.fetch('/api/auth/methods')).json()

  const ways = { password: true, passkeys: false, forwarded: false, providers: [] }
  expect(methods).toEqual({ data: ways, error: null, ...ways })
})

describe('POST /api/auth/set-password', () => {
  const clock = new TestClock()
  const holdfast = withInside({ clock })
  const PASSWORD = 'a first password'

  /** Signs in an account, and takes its password as if a provider had made it. */
  async function withoutPassword(own: Holdfast, access: Access = { role: 'editor' }) {
    const user = await signIn(own, (await addAccount(own, access)).email)
    using database = openDatabase(own)
    database.run("UPDATE users SET password_hash = '' WHERE id = ?", [user.id])
    return user
  }
  const set = (
    own: Holdfast,
    { withSession }: { withSession: Record<string, string> },
    password = PASSWORD,
  ) => postJson(own, '/api/auth/set-password', { newPassword: password }, withSession)
  const codeOf = async (response: Response) => ((await response.json()) as { code?: string }).code

  test('sets the first password, which signs in from then on and is in the security log', async () => {
    const user = await withoutPassword(holdfast)
    expect(await user.api.data('GET', '/me/ways-in')).toMatchObject({ password: false, maySetPassword: true })

    const response = await set(holdfast, user)

    expect(await response.json()).toEqual({ data: { status: true }, error: null, status: true })
    expect((await trySignIn(holdfast, user.email, PASSWORD)).status).toBe(200)
    expect(await user.api.data('GET', '/me/ways-in')).toMatchObject({
      ...{ password: true, passwordWorks: true, maySetPassword: false },
    })
    const { activities } = await user.api.data<{ activities: { type: string }[] }>('GET', '/me/security')
    expect(activities.map(({ type }) => type)).toContain('password.set')
  })

  test('changes no password that there is, also of two requests at once', async () => {
    const user = await withoutPassword(holdfast)
    const both = await Promise.all([set(holdfast, user, 'one first password'), set(holdfast, user)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400])

    expect(await codeOf(await set(holdfast, user, 'another password'))).toBe('PASSWORD_ALREADY_SET')
    expect((await trySignIn(holdfast, user.email, 'another password')).status).toBe(401)
  })

  test('asks for a confirmation ten minutes after the sign-in, and refuses a common password', async () => {
    const user = await withoutPassword(holdfast)
    expect((await set(holdfast, user, 'password1')).status).toBe(400)
    clock.advance(10 * 60_000 + 1)
    expect(await codeOf(await set(holdfast, user))).toBe('CONFIRMATION_REQUIRED')
  })

  test('is refused where PASSWORD_SIGN_IN forbids the password', async () => {
    await using own = await startInsideWithAccount({ environment: { PASSWORD_SIGN_IN: 'admins' } })
    const admin = await withoutPassword(own, { role: 'admin' })
    expect((await set(own, admin)).status).toBe(200)
    using database = openDatabase(own)
    database.run("UPDATE users SET role = 'editor' WHERE id = ?", [admin.id])
    const unused = { password: true, passwordWorks: false }
    expect(await admin.api.data('GET', '/me/ways-in')).toMatchObject(unused)
    database.run("UPDATE users SET password_hash = '' WHERE id = ?", [admin.id])

    expect(await admin.api.data('GET', '/me/ways-in')).toMatchObject({ maySetPassword: false })
    expect(await codeOf(await set(own, admin))).toBe('PASSWORD_SIGN_IN_OFF')
  })
})

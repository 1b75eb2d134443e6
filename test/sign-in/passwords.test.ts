import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/platform/config.ts'
import { addAccount, trySignIn } from '../support/accounts.ts'
import { startWithAccount } from '../support/fixture.ts'
import { ADMIN, refusalOf } from '../support/holdfast.ts'

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

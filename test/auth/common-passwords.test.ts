import { describe, expect, test } from 'bun:test'
import { addUser, registerAdmin, trySignIn } from '../support/accounts.ts'
import { ADMIN, postJson, refusalOf } from '../support/holdfast.ts'
import { withoutAccounts } from './without-accounts.ts'

const holdfast = withoutAccounts()

const messageAbout = (field: string) => `"${field}" is one of the most common passwords: choose another`
const COMMON = ['password', '12345678', 'QWERTY123', 'iloveyou1']

describe('a common password', () => {
  test.each(COMMON)('%s registers no account', async (password) => {
    const refused = await postJson(holdfast, '/api/auth/sign-up/email', { ...ADMIN, password })

    expect(await refusalOf(refused)).toEqual([400, messageAbout('password')])
    expect((await postJson(holdfast, '/api/auth/sign-up/email', ADMIN)).status).toBe(200)
  })

  test('is refused wherever a password is set', async () => {
    const admin = await registerAdmin(holdfast)
    const user = await addUser(holdfast, { role: 'viewer' })
    const [password] = COMMON
    const { password: currentPassword } = ADMIN

    const [created, reset, changed] = [
      await admin.api.refusal('POST', '/users', { name: 'N', email: 'n@x.io', password, role: 'viewer' }),
      await admin.api.refusal('PUT', '/users', { id: user.id, password }),
      await user.api.refusal('PUT', '/me/password', { currentPassword, newPassword: password }),
    ]

    expect(created).toEqual([400, messageAbout('password')])
    expect(reset).toEqual([400, messageAbout('password')])
    expect(changed).toEqual([400, messageAbout('newPassword')])
    expect((await trySignIn(holdfast, user.email)).status).toBe(200)
  })
})

test('a password with a lone surrogate is refused, because its hash would open to another', async () => {
  const password = '\ud800'.repeat(8)

  const refused = await postJson(holdfast, '/api/auth/sign-up/email', { ...ADMIN, password })

  expect(await refusalOf(refused)).toEqual([400, '"password" must be well-formed Unicode'])
})

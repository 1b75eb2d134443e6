import { describe, expect, test } from 'bun:test'
import { addUser, registerAdmin, trySignIn } from '../support/accounts.ts'
import { ADMIN, messageOf, postJson, startHoldfast } from '../support/holdfast.ts'

const COMMON = ['password', '12345678', 'QWERTY123', 'iloveyou1']

describe('a common password', () => {
  test.each(COMMON)('%s registers no account', async (password) => {
    await using holdfast = await startHoldfast()

    const refused = await postJson(holdfast, '/api/auth/sign-up/email', { ...ADMIN, password })

    expect(refused.status).toBe(400)
    expect(await messageOf(refused)).toBe('"password" is one of the most common passwords: choose another')
    expect((await postJson(holdfast, '/api/auth/sign-up/email', ADMIN)).status).toBe(200)
  })

  test('is refused wherever a password is set', async () => {
    await using holdfast = await startHoldfast()
    const admin = await registerAdmin(holdfast)
    const user = await addUser(holdfast, { role: 'viewer' })
    const [password] = COMMON
    const message = (field: string) => `"${field}" is one of the most common passwords: choose another`

    const [created, reset, changed] = [
      await admin.api.refusal('POST', '/users', { name: 'N', email: 'n@x.io', password, role: 'viewer' }),
      await admin.api.refusal('PUT', '/users', { id: user.id, password }),
      await user.api.refusal('PUT', '/me/password', {
        currentPassword: ADMIN.password,
        newPassword: password,
      }),
    ]

    expect(created).toEqual([400, message('password')])
    expect(reset).toEqual([400, message('password')])
    expect(changed).toEqual([400, message('newPassword')])
    expect((await trySignIn(holdfast, user.email)).status).toBe(200)
  })
})

test('a password with a lone surrogate is refused, because its hash would open to another', async () => {
  await using holdfast = await startHoldfast()

  const refused = await postJson(holdfast, '/api/auth/sign-up/email', {
    ...ADMIN,
    password: '\ud800'.repeat(8),
  })

  expect(refused.status).toBe(400)
  expect(await messageOf(refused)).toBe('"password" must be well-formed Unicode')
})

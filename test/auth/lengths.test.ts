import { describe, expect, test } from 'bun:test'
import { registerAdmin, trySignIn } from '../support/accounts.ts'
import { ADMIN, postJson, refusalOf } from '../support/holdfast.ts'
import { withoutAccounts } from './without-accounts.ts'

const SIGN_UP = '/api/auth/sign-up/email'
const SIGN_IN = '/api/auth/sign-in/email'
const holdfast = withoutAccounts()

const LONGEST = '😀'.repeat(128)

describe('a password of 128 emoji', () => {
  test('opens the account of the first admin', async () => {
    const signedUp = await postJson(holdfast, SIGN_UP, { ...ADMIN, password: LONGEST })

    expect(signedUp.status).toBe(200)
    expect((await trySignIn(holdfast, ADMIN.email, LONGEST)).status).toBe(200)
    expect((await trySignIn(holdfast, ADMIN.email, `${LONGEST}😀`)).status).toBe(401)
  })

  test('can be changed by its owner', async () => {
    const { api } = await registerAdmin(holdfast)
    const change = (currentPassword: string, newPassword: string) =>
      api.status('PUT', '/me/password', { currentPassword, newPassword })

    expect(await change(ADMIN.password, LONGEST)).toBe(200)
    expect(await change(LONGEST, ADMIN.password)).toBe(200)
  })
})

describe('an e-mail', () => {
  test.each([
    ['of 255 characters of two units each', `${'😀'.repeat(243)}@example.com`],
    ['that lower case makes longer but not too long', `${'İ'.repeat(121)}@example.com`],
  ])('%s signs in', async (_, email) => {
    expect((await postJson(holdfast, SIGN_UP, { ...ADMIN, email })).status).toBe(200)
    expect((await postJson(holdfast, SIGN_IN, { ...ADMIN, email })).status).toBe(200)
  })

  test('that lower case makes longer than 255 characters is refused', async () => {
    const refused = await postJson(holdfast, SIGN_UP, { ...ADMIN, email: `${'İ'.repeat(200)}@example.com` })

    expect(await refusalOf(refused)).toEqual([400, '"email" must have at most 255 characters'])
  })
})

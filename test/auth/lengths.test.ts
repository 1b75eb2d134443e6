import { describe, expect, test } from 'bun:test'
import { registerAdmin, trySignIn } from '../support/accounts.ts'
import { ADMIN, messageOf, postJson, startHoldfast } from '../support/holdfast.ts'

const SIGN_UP = '/api/auth/sign-up/email'
const SIGN_IN = '/api/auth/sign-in/email'
const LONGEST = '😀'.repeat(128)

describe('a password of 128 emoji', () => {
  test('opens the account of the first admin', async () => {
    await using holdfast = await startHoldfast()

    const signedUp = await postJson(holdfast, SIGN_UP, { ...ADMIN, password: LONGEST })

    expect(signedUp.status).toBe(200)
    expect((await trySignIn(holdfast, ADMIN.email, LONGEST)).status).toBe(200)
    expect((await trySignIn(holdfast, ADMIN.email, `${LONGEST}😀`)).status).toBe(401)
  })

  test('can be changed by its owner', async () => {
    await using holdfast = await startHoldfast()
    const { api } = await registerAdmin(holdfast)
    const change = async (currentPassword: string, newPassword: string) =>
      (await api.send('PUT', '/me/password', { currentPassword, newPassword })).status

    expect(await change(ADMIN.password, LONGEST)).toBe(200)
    expect(await change(LONGEST, ADMIN.password)).toBe(200)
  })
})

describe('an e-mail', () => {
  test('of 255 characters of two units each signs in', async () => {
    await using holdfast = await startHoldfast()
    const email = `${'😀'.repeat(243)}@example.com`

    const signedUp = await postJson(holdfast, SIGN_UP, { ...ADMIN, email })

    expect(signedUp.status).toBe(200)
    expect((await postJson(holdfast, SIGN_IN, { ...ADMIN, email })).status).toBe(200)
  })

  test('that lower case makes longer than 255 characters is refused', async () => {
    await using holdfast = await startHoldfast()

    const refused = await postJson(holdfast, SIGN_UP, { ...ADMIN, email: `${'İ'.repeat(200)}@example.com` })

    expect(refused.status).toBe(400)
    expect(await messageOf(refused)).toBe('"email" must have at most 255 characters')
  })

  test('that lower case makes longer but not too long signs in', async () => {
    await using holdfast = await startHoldfast()
    const email = `${'İ'.repeat(121)}@example.com`

    expect((await postJson(holdfast, SIGN_UP, { ...ADMIN, email })).status).toBe(200)
    expect((await postJson(holdfast, SIGN_IN, { ...ADMIN, email })).status).toBe(200)
  })
})

import { describe, expect, test } from 'bun:test'
import type { AccountUsage } from '../../src/client/types.ts'
import { addAccount, signIn } from '../support/accounts.ts'
import { withInside } from '../support/fixture.ts'
import { createKey, TestClock } from '../support/holdfast.ts'

const DAY_MS = 86_400_000

const clock = new TestClock()
const holdfast = withInside({ clock })
const { admin } = holdfast

const usage = async (id: string) => {
  await holdfast.saveCounts()
  const { accounts } = await admin.api.data<{ accounts: AccountUsage[] }>('GET', '/users/usage')
  return accounts.find((account) => account.id === id)
}
const seen = async (id: string) => (await usage(id))?.lastSeenAt
/** Returns the present day, as the time of a last use has it. */
const today = () => expect.stringContaining(new Date(clock.now()).toISOString().slice(0, 10))

describe('the last use of an account', () => {
  test('is null until it signs in, and stays when it signs out', async () => {
    const { id, email } = await addAccount(holdfast, { role: 'viewer' })
    expect(await seen(id)).toBeNull()

    const { withSession } = await signIn(holdfast, email)
    const first = today()
    expect(await seen(id)).toEqual(first)
    clock.advance(DAY_MS)
    expect(await seen(id)).toEqual(first)
    await holdfast.fetch('/api/me', { headers: withSession })
    const second = today()
    expect(await seen(id)).toEqual(second)
    await holdfast.fetch('/api/auth/sign-out', { method: 'POST', headers: withSession, body: '{}' })
    clock.advance(DAY_MS)

    expect(await seen(id)).toEqual(second)
  })

  test('is that of an API key, also once the key is deleted', async () => {
    const user = await holdfast.addUser('editor')
    const key = await createKey(holdfast, user.cookie, { name: 'script', scopes: ['files:read'] })
    clock.advance(DAY_MS)
    const used = today()
    await holdfast.fetch('/api/files', { headers: { 'API-Key': key } })
    expect(await seen(user.id)).toEqual(used)
    clock.advance(DAY_MS)
    await admin.api.data('PUT', '/users', { id: user.id, disabled: true, deleteKeys: true })

    expect(await seen(user.id)).toEqual(used)
  })
})

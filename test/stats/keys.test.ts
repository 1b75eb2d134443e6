import { describe, expect, test } from 'bun:test'
import type { User } from '../support/accounts.ts'
import { withInside } from '../support/fixture.ts'
import { createKey, TestClock } from '../support/holdfast.ts'
import { addKey, given, statsFor } from './stats.ts'

const clock = new TestClock()
const holdfast = withInside({ clock })

/** Adds an account with an API key named `test`. */
async function newUser(): Promise<User> {
  const user = await holdfast.addUser('editor')
  await addKey(holdfast, { userId: user.id, name: 'test' })
  return user
}
const keysOf = async ({ withSession }: User) => given((await statsFor(holdfast, withSession)).apiKeys)

/** Saves counts of requests that a key of the account made, by day. */
function count({ id: userId }: User, keyId: string, days: Record<string, number>) {
  const { store } = holdfast.server.deps
  return store.transact(function* () {
    for (const [day, requests] of Object.entries(days))
      yield* store.apiRequests.add({ userId, day, keyId, count: requests })
  })
}

describe('the apiKeys section', () => {
  test('counts the requests of the last seven UTC days, zeros included, oldest first', async () => {
    const user = await newUser()
    const { keyId } = await addKey(holdfast, { userId: user.id })
    await count(user, keyId, { '2026-02-22': 100, '2026-02-23': 3, '2026-02-28': 4 })
    await count(user, keyId, { '2026-02-28': 1 })

    expect((await keysOf(user)).requests).toEqual([
      { date: '2026-02-23', count: 3 },
      { date: '2026-02-24', count: 0 },
      { date: '2026-02-25', count: 0 },
      { date: '2026-02-26', count: 0 },
      { date: '2026-02-27', count: 0 },
      { date: '2026-02-28', count: 5 },
      { date: '2026-03-01', count: 0 },
    ])
  })

  test("lists the caller's own keys by their requests in that time, busiest first", async () => {
    const user = await newUser()
    const { id: userId } = user
    const now = clock.now()
    const quiet = await addKey(holdfast, { userId, name: 'quiet', usedAt: now - 1000 })
    const busy = await addKey(holdfast, { userId, name: 'busy', usedAt: now, expiresAt: now + 5000 })
    await count(user, quiet.keyId, { '2026-02-22': 1000, '2026-02-23': 1, '2026-03-01': 1 })
    await count(user, busy.keyId, { '2026-02-23': 2, '2026-03-01': 3 })

    const { total, keys } = await keysOf(user)

    expect(total).toBe(3)
    expect(keys).toEqual([
      {
        id: busy.keyId,
        name: 'busy',
        requests: 5,
        lastUsed: '2026-03-01T12:00:00.000Z',
        expiresAt: '2026-03-01T12:00:05.000Z',
      },
      { id: quiet.keyId, name: 'quiet', requests: 2, lastUsed: '2026-03-01T11:59:59.000Z', expiresAt: null },
      { id: expect.any(String), name: 'test', requests: 0, lastUsed: null, expiresAt: null },
    ])
  })

  test('counts the requests of a deleted key, which has no entry', async () => {
    const user = await newUser()
    await count(user, 'a key that was deleted', { '2026-03-01': 7 })

    const { total, requests, keys } = await keysOf(user)

    expect(requests.at(-1)).toEqual({ date: '2026-03-01', count: 7 })
    expect([total, keys.map(({ name }) => name)]).toEqual([1, ['test']])
  })

  test('knows nothing of the keys of others', async () => {
    const user = await newUser()
    const other = await holdfast.addUser('editor')
    const { keyId } = await addKey(holdfast, { userId: other.id })
    await count(other, keyId, { '2026-03-01': 7 })

    const { total, requests, keys } = await keysOf(user)

    expect([total, requests.at(-1)?.count, keys.length]).toEqual([1, 0, 1])
    expect(await keysOf(other)).toMatchObject({
      total: 1,
      keys: [{ id: keyId, requests: 7 }],
    })
  })

  test('includes a new key at once', async () => {
    const user = await newUser()
    await createKey(holdfast, user.cookie, { name: 'new', scopes: ['files:read'] })

    expect(await keysOf(user)).toMatchObject({ total: 2, keys: [{}, {}] })
  })
})

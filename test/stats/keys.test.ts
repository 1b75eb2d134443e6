import { describe, expect, test } from 'bun:test'
import { addUser } from '../support/accounts.ts'
import { createKey } from '../support/holdfast.ts'
import { addKey, given, type Started, start } from './stats.ts'

const keysOf = async ({ stats }: Started) => given((await stats()).apiKeys)

/** Saves counts of requests that a key of the account made, by day. */
function count({ holdfast }: Started, userId: string, keyId: string, days: Record<string, number>) {
  const { store } = holdfast.server.deps
  return store.transact(function* () {
    for (const [day, requests] of Object.entries(days))
      yield* store.apiRequests.add({ userId, day, keyId, count: requests })
  })
}

describe('the apiKeys section', () => {
  test('counts the requests of the last seven UTC days, zeros included, oldest first', async () => {
    await using started = await start()
    const { userId } = started.account
    const { keyId } = await addKey(started, { userId })
    await count(started, userId, keyId, { '2026-02-22': 100, '2026-02-23': 3, '2026-02-28': 4 })
    await count(started, userId, keyId, { '2026-02-28': 1 })

    expect((await keysOf(started)).requests).toEqual([
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
    await using started = await start()
    const { account, clock } = started
    const { userId } = account
    const now = clock.now()
    const quiet = await addKey(started, { userId, name: 'quiet', usedAt: now - 1000 })
    const busy = await addKey(started, { userId, name: 'busy', usedAt: now, expiresAt: now + 5000 })
    await count(started, userId, quiet.keyId, { '2026-02-22': 1000, '2026-02-23': 1, '2026-03-01': 1 })
    await count(started, userId, busy.keyId, { '2026-02-23': 2, '2026-03-01': 3 })

    const { total, keys } = await keysOf(started)

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
    await using started = await start()
    const { userId } = started.account
    await count(started, userId, 'a key that was deleted', { '2026-03-01': 7 })

    const { total, requests, keys } = await keysOf(started)

    expect(requests.at(-1)).toEqual({ date: '2026-03-01', count: 7 })
    expect([total, keys.map(({ name }) => name)]).toEqual([1, ['test']])
  })

  test('knows nothing of the keys of others', async () => {
    await using started = await start()
    const other = await addUser(started.holdfast, { role: 'editor' })
    const { keyId } = await addKey(started, { userId: other.id })
    await count(started, other.id, keyId, { '2026-03-01': 7 })

    const { total, requests, keys } = await keysOf(started)

    expect([total, requests.at(-1)?.count, keys.length]).toEqual([1, 0, 1])
    expect((await started.stats(other.withSession)).apiKeys).toMatchObject({
      total: 1,
      keys: [{ id: keyId, requests: 7 }],
    })
  })

  test('includes a new key at once', async () => {
    await using started = await start()
    await createKey(started.holdfast, started.account.cookie, { name: 'new', scopes: ['files:read'] })

    expect(await keysOf(started)).toMatchObject({ total: 2, keys: [{}, {}] })
  })
})

import { describe, expect, test } from 'bun:test'
import type { ActivityType } from '../../src/access/history.ts'
import { addUser } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { sendUpload } from '../support/holdfast.ts'
import { addKey, DAY_MS, type Started, start } from './stats.ts'

/** Returns the alerts, except that of the machine's own disk. */
async function alertsOf({ stats }: Started, credential?: Record<string, string>) {
  return (await stats(credential)).alerts.filter(({ type }) => type !== 'storage-low')
}

/** Adds an entry to an account's history, `age` milliseconds old. */
function addActivity(
  { holdfast, clock, account }: Started,
  type: ActivityType,
  age: number,
  userId?: string,
) {
  const { store, random } = holdfast.server.deps
  const entry = { id: random.id(), type, target: 'a file', detail: null, createdAt: clock.now() - age }
  return store.transact(() => store.activities.insert({ userId: userId ?? account.userId, ...entry }))
}

describe('uploads-failed', () => {
  test("returns the number of the caller's own failed uploads and the time of the latest", async () => {
    await using started = await start()
    const { holdfast, account, clock, withSession } = started
    const fail = () =>
      sendUpload(holdfast, withSession, { files: { a: 'x' }, visibility: 'neither of the two' })
    expect((await fail()).status).toBe(400)
    clock.advance(61_000)
    expect((await fail()).status).toBe(400)
    await sendUpload(holdfast, withSession, { files: { a: 'x' } })
    clock.advance(1000)

    expect(await alertsOf(started)).toEqual([
      { type: 'uploads-failed', count: 2, latest: '2026-03-01 12:01:01' },
    ])
    const latest = holdfast.catalog.activities
      .newest(account.userId, 10)
      .find(({ type }) => type === 'upload.failed')
    expect(latest?.createdAt).toBe(Date.parse('2026-03-01T12:01:01Z'))
  })

  test('counts a failure of exactly seven days ago, and none before', async () => {
    await using started = await start()
    await addActivity(started, 'upload.failed', 7 * DAY_MS)
    await addActivity(started, 'upload.failed', 7 * DAY_MS + 1)

    expect(await alertsOf(started)).toEqual([
      { type: 'uploads-failed', count: 1, latest: '2026-02-22 12:00:00' },
    ])
  })

  test('says nothing of uploads that succeeded or were canceled', async () => {
    await using started = await start()
    await addActivity(started, 'upload.succeeded', 0)
    await addActivity(started, 'upload.canceled', 0)

    expect(await alertsOf(started)).toEqual([])
  })
})

describe('deletes-failed', () => {
  test('counts failed deletes of files and of folders together', async () => {
    await using started = await start()
    await addActivity(started, 'file.delete-failed', 5000)
    await addActivity(started, 'folder.delete-failed', 3000)
    await addActivity(started, 'file.delete-failed', 9000)
    await addActivity(started, 'file.delete-failed', 7 * DAY_MS + 1)
    await addActivity(started, 'file.deleted', 0)
    await addActivity(started, 'folder.deleted', 0)

    expect(await alertsOf(started)).toEqual([
      { type: 'deletes-failed', count: 3, latest: '2026-03-01 11:59:57' },
    ])
  })

  test('counts a delete that failed a moment ago', async () => {
    await using started = await start()
    const { holdfast, withSession } = started
    const [status] = await apiOf(holdfast, started.account).refusal('DELETE', '/files', { id: 'no such id' })
    const deleted = await holdfast.fetch('/api/files', {
      method: 'DELETE',
      body: JSON.stringify({ id: 'no such id' }),
      headers: withSession,
    })

    expect([status, deleted.status]).toEqual([404, 404])
    expect(await alertsOf(started)).toEqual([
      { type: 'deletes-failed', count: 2, latest: '2026-03-01 12:00:00' },
    ])
  })
})

describe('the alerts of failures', () => {
  test('are for sessions only', async () => {
    await using started = await start()
    await addActivity(started, 'upload.failed', 0)
    await addActivity(started, 'file.delete-failed', 0)

    expect((await alertsOf(started)).map(({ type }) => type)).toEqual(['uploads-failed', 'deletes-failed'])
    expect(await alertsOf(started, started.account.withKey)).toEqual([])
  })

  test('need no scope', async () => {
    await using started = await start()
    const other = await addUser(started.holdfast, { role: 'custom', customScopes: ['files:write'] })
    await addActivity(started, 'upload.failed', 0, other.id)

    expect(await alertsOf(started, other.withSession)).toEqual([
      { type: 'uploads-failed', count: 1, latest: '2026-03-01 12:00:00' },
    ])
  })

  test('are about the caller alone', async () => {
    await using started = await start()
    const other = await addUser(started.holdfast, { role: 'editor' })
    await addActivity(started, 'upload.failed', 0, other.id)

    expect(await alertsOf(started)).toEqual([])
  })

  test('are cleared with their entries', async () => {
    await using started = await start()
    const { store } = started.holdfast.server.deps
    await addActivity(started, 'upload.failed', 0)
    await addActivity(started, 'folder.delete-failed', 0)
    expect(await alertsOf(started)).toHaveLength(2)

    await store.transact(() => store.activities.removeBefore(started.clock.now() + 1, 100))

    expect(await alertsOf(started)).toEqual([])
  })
})

/** State of an API key, in milliseconds. By default it is new, unused and never expires. */
interface KeyState {
  age?: number
  usedAgo?: number
  expiresIn?: number
}

async function addKeys(
  started: Pick<Started, 'holdfast' | 'clock'> & { account: { userId: string } },
  ...keys: KeyState[]
): Promise<void> {
  const now = started.clock.now()
  for (const { age = 0, usedAgo, expiresIn } of keys) {
    await addKey(started, {
      userId: started.account.userId,
      createdAt: now - age,
      usedAt: usedAgo === undefined ? null : now - usedAgo,
      expiresAt: expiresIn === undefined ? null : now + expiresIn,
    })
  }
}

describe('keys-expired', () => {
  test('counts keys at and past their expiry, and none a moment before', async () => {
    await using started = await start()
    await addKeys(started, { expiresIn: 0 }, { expiresIn: -DAY_MS }, { expiresIn: 1 })

    expect(await alertsOf(started)).toEqual([
      { type: 'keys-expired', count: 2 },
      { type: 'keys-expiring', count: 1 },
    ])
  })

  test('does not call an expired key unused as well', async () => {
    await using started = await start()
    await addKeys(started, { age: 60 * DAY_MS, expiresIn: -DAY_MS })

    expect(await alertsOf(started)).toEqual([{ type: 'keys-expired', count: 1 }])
  })
})

describe('keys-expiring', () => {
  test('counts keys that expire in exactly seven days or sooner, and none later', async () => {
    await using started = await start()
    await addKeys(started, { expiresIn: 7 * DAY_MS }, { expiresIn: 1 }, { expiresIn: 7 * DAY_MS + 1 })

    expect(await alertsOf(started)).toEqual([{ type: 'keys-expiring', count: 2 }])
  })
})

describe('keys-unused', () => {
  test('counts keys last used exactly 30 days ago or before, and none since', async () => {
    await using started = await start()
    const age = 90 * DAY_MS
    const used = [30 * DAY_MS, 40 * DAY_MS, 30 * DAY_MS - 1]
    await addKeys(started, ...used.map((usedAgo) => ({ age, usedAgo })))

    expect(await alertsOf(started)).toEqual([{ type: 'keys-unused', count: 2 }])
  })

  test('counts from creation for a key that was never used', async () => {
    await using started = await start()
    await addKeys(started, { age: 30 * DAY_MS }, { age: 30 * DAY_MS - 1 })

    expect(await alertsOf(started)).toEqual([{ type: 'keys-unused', count: 1 }])
  })

  test('counts a key that expires soon too', async () => {
    await using started = await start()
    await addKeys(started, { age: 30 * DAY_MS, expiresIn: DAY_MS })

    expect(await alertsOf(started)).toEqual([
      { type: 'keys-expiring', count: 1 },
      { type: 'keys-unused', count: 1 },
    ])
  })
})

describe('the alerts of keys', () => {
  const ALL: KeyState[] = [{ expiresIn: 0 }, { expiresIn: DAY_MS }, { age: 30 * DAY_MS }]

  test('are about the keys of the caller alone', async () => {
    await using started = await start()
    const { id: userId, withSession } = await addUser(started.holdfast, { role: 'editor' })
    await addKeys({ ...started, account: { userId } }, ...ALL)

    expect(await alertsOf(started)).toEqual([])
    expect(await alertsOf(started, withSession)).toEqual([
      { type: 'keys-expired', count: 1 },
      { type: 'keys-expiring', count: 1 },
      { type: 'keys-unused', count: 1 },
    ])
  })

  test('need api-keys:manage, which a viewer has not and no key can have', async () => {
    await using started = await start()
    const { id: userId, withSession } = await addUser(started.holdfast, { role: 'viewer' })
    await addKeys({ ...started, account: { userId } }, ...ALL)
    await addKeys(started, ...ALL)

    expect(await alertsOf(started, withSession)).toEqual([])
    expect(await alertsOf(started, started.account.withKey)).toEqual([])
    expect(await alertsOf(started)).toHaveLength(3)
  })
})

import { afterEach, describe, expect, test } from 'bun:test'
import type { ActivityType } from '../../src/access/history.ts'
import type { User } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { sendUpload, TestClock } from '../support/holdfast.ts'
import { addKey, type Credential, DAY_MS, statsFor } from './stats.ts'

const clock = new TestClock()
const START = clock.now()
const holdfast = withInside({ clock })
afterEach(() => clock.setWall(START))

const newUser = () => holdfast.addUser('admin')

/** Returns the alerts for a credential, except that of the machine's own disk. */
const alertsFor = async (credential: Credential) =>
  (await statsFor(holdfast, credential)).alerts.filter(({ type }) => type !== 'storage-low')
const alertsOf = ({ withSession }: User) => alertsFor(withSession)

/** Adds an entry to an account's history, `age` milliseconds old. */
function addActivity({ id: userId }: User, type: ActivityType, age: number) {
  const { store, random } = holdfast.server.deps
  const entry = { id: random.id(), type, target: 'a file', detail: null, createdAt: clock.now() - age }
  return store.transact(() => store.activities.insert({ userId, ...entry }))
}

describe('uploads-failed', () => {
  test("returns the number of the caller's own failed uploads and the time of the latest", async () => {
    const user = await newUser()
    const send = (visibility?: string) =>
      sendUpload(holdfast, user.withSession, { files: { a: 'x' }, visibility })
    const fail = () => send('neither of the two')
    expect((await fail()).status).toBe(400)
    clock.advance(61_000)
    expect((await fail()).status).toBe(400)
    await send()
    clock.advance(1000)

    expect(await alertsOf(user)).toEqual([
      { type: 'uploads-failed', count: 2, latest: '2026-03-01 12:01:01' },
    ])
    const entries = holdfast.catalog.activities.newest(user.id, 10)
    expect(entries.find(({ type }) => type === 'upload.failed')?.createdAt).toBe(
      Date.parse('2026-03-01T12:01:01Z'),
    )
  })

  test('counts a failure of exactly seven days ago, and none before', async () => {
    const user = await newUser()
    await addActivity(user, 'upload.failed', 7 * DAY_MS)
    await addActivity(user, 'upload.failed', 7 * DAY_MS + 1)

    expect(await alertsOf(user)).toEqual([
      { type: 'uploads-failed', count: 1, latest: '2026-02-22 12:00:00' },
    ])
  })

  test('says nothing of uploads that succeeded or were canceled', async () => {
    const user = await newUser()
    await addActivity(user, 'upload.succeeded', 0)
    await addActivity(user, 'upload.canceled', 0)

    expect(await alertsOf(user)).toEqual([])
  })
})

describe('deletes-failed', () => {
  test('counts failed deletes of files and of folders together', async () => {
    const user = await newUser()
    await addActivity(user, 'file.delete-failed', 5000)
    await addActivity(user, 'folder.delete-failed', 3000)
    await addActivity(user, 'file.delete-failed', 9000)
    await addActivity(user, 'file.delete-failed', 7 * DAY_MS + 1)
    await addActivity(user, 'file.deleted', 0)
    await addActivity(user, 'folder.deleted', 0)

    expect(await alertsOf(user)).toEqual([
      { type: 'deletes-failed', count: 3, latest: '2026-03-01 11:59:57' },
    ])
  })

  test('counts a delete that failed a moment ago', async () => {
    const user = await newUser()
    const { withKey } = await addKey(holdfast, { userId: user.id })
    const remove = (as: Credential) =>
      apiOf(holdfast, { withKey: as }).status('DELETE', '/files', { id: 'none' })

    expect([await remove(withKey), await remove(user.withSession)]).toEqual([404, 404])
    expect(await alertsOf(user)).toEqual([
      { type: 'deletes-failed', count: 2, latest: '2026-03-01 12:00:00' },
    ])
  })
})

describe('the alerts of failures', () => {
  test('are for sessions only', async () => {
    const user = await newUser()
    await addActivity(user, 'upload.failed', 0)
    await addActivity(user, 'file.delete-failed', 0)

    expect((await alertsOf(user)).map(({ type }) => type)).toEqual(['uploads-failed', 'deletes-failed'])
    expect(await alertsFor((await addKey(holdfast, { userId: user.id })).withKey)).toEqual([])
  })

  test('need no scope', async () => {
    const user = await holdfast.addUser('custom', ['files:write'])
    await addActivity(user, 'upload.failed', 0)

    expect(await alertsOf(user)).toEqual([
      { type: 'uploads-failed', count: 1, latest: '2026-03-01 12:00:00' },
    ])
  })

  test('are about the caller alone', async () => {
    const [user, other] = [await newUser(), await newUser()]
    await addActivity(other, 'upload.failed', 0)

    expect(await alertsOf(user)).toEqual([])
  })

  test('are cleared with their entries', async () => {
    const user = await newUser()
    const { store } = holdfast.server.deps
    await addActivity(user, 'upload.failed', 0)
    await addActivity(user, 'folder.delete-failed', 0)
    expect(await alertsOf(user)).toHaveLength(2)

    await store.transact(() => store.activities.removeBefore(clock.now() + 1, 100))

    expect(await alertsOf(user)).toEqual([])
  })
})

/** State of an API key, in milliseconds. By default it is new, unused and never expires. */
interface KeyState {
  age?: number
  usedAgo?: number
  expiresIn?: number
}

async function addKeys({ id: userId }: User, ...keys: KeyState[]): Promise<void> {
  const now = clock.now()
  for (const { age = 0, usedAgo, expiresIn } of keys)
    await addKey(holdfast, {
      userId,
      createdAt: now - age,
      usedAt: usedAgo === undefined ? null : now - usedAgo,
      expiresAt: expiresIn === undefined ? null : now + expiresIn,
    })
}

describe('keys-expired', () => {
  test('counts keys at and past their expiry, and none a moment before', async () => {
    const user = await newUser()
    await addKeys(user, { expiresIn: 0 }, { expiresIn: -DAY_MS }, { expiresIn: 1 })

    expect(await alertsOf(user)).toEqual([
      { type: 'keys-expired', count: 2 },
      { type: 'keys-expiring', count: 1 },
    ])
  })

  test('does not call an expired key unused as well', async () => {
    const user = await newUser()
    await addKeys(user, { age: 60 * DAY_MS, expiresIn: -DAY_MS })

    expect(await alertsOf(user)).toEqual([{ type: 'keys-expired', count: 1 }])
  })
})

describe('keys-expiring', () => {
  test('counts keys that expire in exactly seven days or sooner, and none later', async () => {
    const user = await newUser()
    await addKeys(user, { expiresIn: 7 * DAY_MS }, { expiresIn: 1 }, { expiresIn: 7 * DAY_MS + 1 })

    expect(await alertsOf(user)).toEqual([{ type: 'keys-expiring', count: 2 }])
  })
})

describe('keys-unused', () => {
  test('counts keys last used exactly 30 days ago or before, and none since', async () => {
    const user = await newUser()
    const age = 90 * DAY_MS
    const used = [30 * DAY_MS, 40 * DAY_MS, 30 * DAY_MS - 1]
    await addKeys(user, ...used.map((usedAgo) => ({ age, usedAgo })))

    expect(await alertsOf(user)).toEqual([{ type: 'keys-unused', count: 2 }])
  })

  test('counts from creation for a key that was never used', async () => {
    const user = await newUser()
    await addKeys(user, { age: 30 * DAY_MS }, { age: 30 * DAY_MS - 1 })

    expect(await alertsOf(user)).toEqual([{ type: 'keys-unused', count: 1 }])
  })

  test('counts a key that expires soon too', async () => {
    const user = await newUser()
    await addKeys(user, { age: 30 * DAY_MS, expiresIn: DAY_MS })

    expect(await alertsOf(user)).toEqual([
      { type: 'keys-expiring', count: 1 },
      { type: 'keys-unused', count: 1 },
    ])
  })
})

describe('the alerts of keys', () => {
  const ALL: KeyState[] = [{ expiresIn: 0 }, { expiresIn: DAY_MS }, { age: 30 * DAY_MS }]

  test('are about the keys of the caller alone', async () => {
    const [user, other] = [await newUser(), await holdfast.addUser('editor')]
    await addKeys(other, ...ALL)

    expect(await alertsOf(user)).toEqual([])
    expect(await alertsOf(other)).toEqual([
      { type: 'keys-expired', count: 1 },
      { type: 'keys-expiring', count: 1 },
      { type: 'keys-unused', count: 1 },
    ])
  })

  test('need api-keys:manage, which a viewer has not and no key can have', async () => {
    const user = await newUser()
    const viewer = await holdfast.addUser('viewer')
    for (const owner of [viewer, user]) await addKeys(owner, ...ALL)

    expect(await alertsOf(viewer)).toEqual([])
    expect(await alertsFor((await addKey(holdfast, { userId: user.id })).withKey)).toEqual([])
    expect(await alertsOf(user)).toHaveLength(3)
  })
})

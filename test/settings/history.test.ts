import { beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { withInside } from '../support/fixture.ts'
import { register, startInside, TestClock } from '../support/holdfast.ts'

const DAY_MS = 86_400_000

const clock = new TestClock()
const holdfast = withInside({ clock })
const { bySession: admin } = holdfast
beforeEach(async () => {
  await change({ activityRetentionDays: 90, apiRequestRetentionDays: 90 })
  const { store } = holdfast.server.deps
  await store.transact(function* () {
    yield* store.activities.removeBefore(clock.now() + 1, 10_000)
    yield* store.apiRequests.removeBefore('9999', 10_000)
  })
})

const change = (limits: object) => admin.data('PUT', '/settings', { limits })

/** Adds an entry to the admin's history that is `age` milliseconds old. */
function addActivities(ages: readonly number[]): Promise<void> {
  const { store, random } = holdfast.server.deps
  return store.transact(function* () {
    for (const age of ages)
      yield* store.activities.insert({
        id: random.id(),
        userId: holdfast.userId,
        type: 'upload.succeeded',
        target: `${age}`,
        detail: null,
        createdAt: clock.now() - age,
      })
  })
}
const activities = () =>
  holdfast.catalog.activities.newest(holdfast.userId, 10_000).map(({ target }) => Number(target))

function addRequests(days: readonly string[]): Promise<void> {
  const { store } = holdfast.server.deps
  return store.transact(function* () {
    for (const day of days)
      yield* store.apiRequests.add({ userId: holdfast.userId, day, keyId: 'a key', count: 1 })
  })
}
const requestDays = () => holdfast.catalog.apiRequests.perDay(holdfast.userId, '').map(({ day }) => day)

describe('a shorter retention', () => {
  test('of activity removes the entries that are older, before the change is answered', async () => {
    await addActivities([0, 5 * DAY_MS, 5 * DAY_MS + 1, 80 * DAY_MS])

    await change({ activityRetentionDays: 5 })

    expect(activities()).toEqual([0, 5 * DAY_MS])
  })

  test('of API requests removes the days that are older', async () => {
    await addRequests(['2025-12-05', '2026-02-23', '2026-02-24', '2026-03-01'])

    await change({ apiRequestRetentionDays: 5 })

    expect(requestDays()).toEqual(['2026-02-24', '2026-03-01'])
  })

  test('of one leaves the other alone', async () => {
    await addActivities([5 * DAY_MS])
    await addRequests(['2026-02-24'])

    await change({ apiRequestRetentionDays: 1 })
    expect([activities().length, requestDays().length]).toEqual([1, 0])
    await addRequests(['2026-02-28'])
    await change({ activityRetentionDays: 1 })
    expect([activities().length, requestDays().length]).toEqual([0, 1])
  })

  test('removes a history of any length', async () => {
    await addActivities(Array.from({ length: 600 }, () => 10 * DAY_MS))

    await change({ activityRetentionDays: 5 })

    expect(activities()).toEqual([])
  })

  test('that is refused removes nothing', async () => {
    await addActivities([10 * DAY_MS])

    const body = { limits: { activityRetentionDays: 5, maxPresignTtl: 10 } }
    const [status] = await admin.refusal('PUT', '/settings', body)

    expect(status).toBe(400)
    expect(activities()).toEqual([10 * DAY_MS])
  })
})

describe('a longer retention', () => {
  test('removes nothing that is within it', async () => {
    await addActivities([89 * DAY_MS])
    await addRequests(['2025-12-02'])

    await change({ activityRetentionDays: 36_500, apiRequestRetentionDays: 36_500 })

    expect([activities().length, requestDays().length]).toEqual([1, 1])
  })
})

test('what grew too old while no server ran is forgotten at its start', async () => {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const first = await startInside({ dataPath, clock: new TestClock() })
  const { userId } = await register(first)
  const { store } = first.server.deps
  await store.transact(() => store.apiRequests.add({ userId, day: '2026-02-28', keyId: 'a key', count: 1 }))
  await first.stop()
  const later = new TestClock()
  later.advance(200 * DAY_MS)

  await using second = await startInside({ dataPath, clock: later })

  const { activities, apiRequests } = second.catalog
  await eventually(() => activities.newest(userId, 10).length === 0)
  await eventually(() => apiRequests.perDay(userId, '').length === 0)
  rmSync(dataPath, { recursive: true })
})

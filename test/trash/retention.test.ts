import { expect, test } from 'bun:test'
import { DAY_MS } from '../../src/platform/time.ts'
import { withInside } from '../support/fixture.ts'
import { TestClock } from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'

const clock = new TestClock()
const holdfast = withInside({ clock })
const { api, bySession: session, trash } = holdfast

const held = () => storedIn(holdfast).trashed()
const setDays = (trashDays: number) => session.data('PUT', '/settings', { trashDays })

test('items leave the trash once they were in it for the days of the setting', async () => {
  const first = await api.upload('first.txt', 'x')
  const second = await api.upload('second.txt', 'x')
  await trash.put({ fileIds: [first.id] })
  clock.advance(2 * DAY_MS)
  await trash.put({ fileIds: [second.id] })
  await setDays(3)
  clock.advance(DAY_MS - 1)
  await holdfast.server.jobs.runAll()
  expect((await trash.list()).total).toBe(2)

  clock.advance(1)
  await holdfast.server.jobs.runAll()

  expect((await trash.list()).items.map(({ id }) => id)).toEqual([second.id])
  expect(await held()).toHaveLength(1)
  await trash.empty()
})

test('nothing stays in the trash when the setting keeps nothing', async () => {
  await setDays(0)
  const file = await api.upload('gone.txt', 'x', 'folder')

  expect(await trash.put({ folderIds: [file.folderId] })).toEqual({ trashed: [file.folderId], failed: [] })

  expect(await trash.list()).toEqual({ items: [], total: 0, trashDays: 0 })
  expect(await held()).toEqual([])
  await setDays(30)
})

test('statistics count the trash apart from the files', async () => {
  const file = await api.upload('counted.txt', 'seven b', 'counted')
  await api.upload('also.txt', 'abc', 'counted')
  const filesNow = async () =>
    (await api.data<{ files: { total: number; trash: unknown; storage: { used: number } } }>('GET', '/stats'))
      .files
  const before = await filesNow()

  await trash.put({ folderIds: [file.folderId] })

  const during = await filesNow()
  expect(during.trash).toEqual({ count: 2, size: 10 })
  expect(during.total).toBe(before.total - 2)
  expect(during.storage.used).toBe(before.storage.used - 10)

  await trash.restore(file.folderId)
  const after = await filesNow()
  expect(after.trash).toEqual({ count: 0, size: 0 })
  expect([after.total, after.storage.used]).toEqual([before.total, before.storage.used])
})

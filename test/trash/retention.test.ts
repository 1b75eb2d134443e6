import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeRoom } from '../../src/modules/trash/service.ts'
import { DAY_MS } from '../../src/platform/time.ts'
import { type Api, apiOf } from '../support/api.ts'
import { type Account, type Inside, register, startInside, TestClock } from '../support/holdfast.ts'
import { heldFiles, trashOf } from '../support/trash.ts'

const clock = new TestClock()
let holdfast: Inside
let api: Api
let session: Api
let account: Account
let trash: ReturnType<typeof trashOf>
beforeAll(async () => {
  holdfast = await startInside({ clock })
  account = await register(holdfast)
  api = apiOf(holdfast, account)
  session = apiOf(holdfast, { withKey: { Cookie: account.cookie } })
  trash = trashOf(api)
})
afterAll(() => holdfast[Symbol.asyncDispose]())

const held = () => readdirSync(join(holdfast.dataPath, 'trash'))
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
  expect(held()).toHaveLength(1)
  await trash.empty()
})

test('nothing stays in the trash when the setting keeps nothing', async () => {
  await setDays(0)
  const file = await api.upload('gone.txt', 'x', 'folder')

  expect(await trash.put({ folderIds: [file.folderId] })).toEqual({ trashed: [file.folderId], failed: [] })

  expect(await trash.list()).toEqual({ items: [], total: 0, trashDays: 0 })
  expect(held()).toEqual([])
  await setDays(30)
})

test('an item that cannot be removed fails neither a later request nor the removal of others', async () => {
  const [bad, other, last, replaced, next] = await Promise.all(
    ['bad', 'other', 'last', 'replaced', 'next'].map((folder) => api.upload('a.txt', 'x', folder)),
  )
  if (!bad || !other || !last || !replaced || !next) throw new Error('An upload is missing')
  await trash.put({ folderIds: [bad.folderId] })
  clock.advance(1)
  await trash.put({ folderIds: [other.folderId] })
  using database = new Database(join(holdfast.dataPath, 'db/holdfast.sqlite'))
  database.run("UPDATE trashed_files SET name = '../a.txt' WHERE id = ?", [bad.id])
  await setDays(0)

  expect(await trash.put({ folderIds: [last.folderId] })).toEqual({ trashed: [last.folderId], failed: [] })
  const replace = { id: next.folderId, replaces: replaced.folderId }
  expect(await api.data('POST', '/folders/replace', replace)).toMatchObject({ folder: { key: 'replaced' } })

  expect((await trash.list()).items.map(({ id }) => id)).toEqual([other.folderId, bad.folderId])
  await holdfast.server.jobs.runAll()
  expect((await trash.list()).items).toEqual([])
  expect(holdfast.catalog.trash.purging().map(({ id }) => id)).toEqual([bad.folderId])
  expect(holdfast.logged.map(({ message }) => message)).toContain('"bad" could not be removed from the trash')
  database.run("UPDATE trashed_files SET name = 'a.txt' WHERE id = ?", [bad.id])
  await holdfast.server.jobs.runAll()
  expect(held()).toEqual([])
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

test('a disk that runs short loses versions first, then items of the trash, each the oldest first', async () => {
  const replaced = await api.upload('replaced.txt', 'state 0', 'room')
  const items = await Promise.all(['a', 'b', 'c'].map((name) => api.upload(name, 'x', 'room')))
  for (const { id } of items) {
    clock.advance(1000)
    await trash.put({ fileIds: [id] })
    // The versions are newer than the trash.
    await holdfast.fetch(`/api/files/content?id=${replaced.id}`, {
      method: 'PUT',
      headers: account.withKey,
      body: `state ${id}`,
    })
  }
  const { store } = holdfast.server.deps
  const names = () => ({
    versions: readdirSync(join(holdfast.dataPath, 'versions')).length,
    trash: heldFiles(holdfast),
  })
  /** Makes room on a disk that is short while it holds more than `most` of both. */
  const makeRoomFor = (most: number) => {
    const isShort = () => names().versions + names().trash.length > most
    return makeRoom({ ...holdfast.server.deps, store: { ...store, isShort } })
  }
  const kept = await store.versions.replacedBefore(Number.MAX_SAFE_INTEGER, 3)
  expect(names()).toEqual({ versions: 3, trash: ['a', 'b', 'c'] })

  await makeRoomFor(4)
  expect(names()).toEqual({ versions: 1, trash: ['a', 'b', 'c'] })
  expect(await store.versions.byId(kept[2]?.id ?? '')).toBeDefined()
  await makeRoomFor(2)
  expect(names()).toEqual({ versions: 0, trash: ['b', 'c'] })
  await makeRoomFor(2)
  expect(names()).toEqual({ versions: 0, trash: ['b', 'c'] })
  expect(holdfast.logged.map(({ message }) => message).slice(-3)).toEqual([
    'Space runs short: the oldest versions of files are removed, 2 in number',
    'Space runs short: the oldest versions of files are removed, 1 in number',
    'Space runs short: "a" is removed from the trash',
  ])
})

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeRoom } from '../../src/store/trash/purge.ts'
import { withInside } from '../support/fixture.ts'
import { TestClock } from '../support/holdfast.ts'
import { heldFiles } from '../support/trash.ts'

const clock = new TestClock()
const holdfast = withInside({ clock })
const { api, bySession: session, trash } = holdfast

const held = () => readdirSync(join(holdfast.dataPath, 'trash'))
const setDays = (trashDays: number) => session.data('PUT', '/settings', { trashDays })

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

test('a disk that runs short loses versions first, then items of the trash, each the oldest first', async () => {
  const replaced = await api.upload('replaced.txt', 'state 0', 'room')
  const items = await Promise.all(['a', 'b', 'c'].map((name) => api.upload(name, 'x', 'room')))
  for (const { id } of items) {
    clock.advance(1000)
    await trash.put({ fileIds: [id] })
    // The versions are newer than the trash.
    await holdfast.api.replace(replaced.id, `state ${id}`)
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

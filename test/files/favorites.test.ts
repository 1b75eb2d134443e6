import { beforeEach, describe, expect, test } from 'bun:test'
import { createClient, type Favorite } from '../../src/client/index.ts'
import { newFolder } from '../rights/guests.ts'
import { openDatabase } from '../support/accounts.ts'
import type { Api } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'

const holdfast = withInside()
const { api, trash } = holdfast

const viewOf = (item: Favorite) => (item.kind === 'file' ? item.file : item.folder)
const itemsOf = async (by: Api) => (await by.data<{ items: Favorite[] }>('GET', '/favorites')).items
const idsOf = async (by: Api) => (await itemsOf(by)).map((item) => viewOf(item).id)

/** Account that has no favorites yet. */
let mine: Api
beforeEach(async () => {
  mine = (await holdfast.addUser('viewer')).api
})

/** Uploads a file that is a favorite of the account. */
async function favorite(name: string, folder = '') {
  const file = await api.upload(name, name, folder)
  expect(await mine.data<unknown>('PUT', '/favorites', { fileIds: [file.id] })).toEqual({
    added: [file.id],
    failed: [],
  })
  return file
}

describe('PUT /api/favorites', () => {
  test('marks files and folders for one account, each once, the latest first', async () => {
    const folder = await newFolder(holdfast)
    const file = await favorite('marked.txt')
    await mine.data('PUT', '/favorites', { folderIds: [folder.id] })
    await mine.data('PUT', '/favorites', { fileIds: [file.id] })

    expect(await itemsOf(mine)).toEqual([
      { kind: 'folder', folder },
      { kind: 'file', file },
    ])
    expect(await itemsOf((await holdfast.addUser('viewer')).api)).toEqual([])
  })

  test('marks what exists, and says what does not', async () => {
    const { id } = await api.upload('there.txt', 'x')
    const folder = await newFolder(holdfast)

    expect(
      await mine.data<unknown>('PUT', '/favorites', { fileIds: [id, folder.id], folderIds: ['none'] }),
    ).toEqual({
      added: [id],
      failed: [
        { id: folder.id, message: 'File not found' },
        { id: 'none', message: 'Folder not found' },
      ],
    })
    expect(await mine.refusal('PUT', '/favorites', { fileIds: ['none'] })).toEqual([404, 'File not found'])
  })

  test('refuses the root, and more than an account may have', async () => {
    const root = await holdfast.server.deps.store.folders.root()
    const one = await favorite('of many.txt')
    const other = await api.upload('one too many.txt', 'x')
    const user = (await mine.data<{ user: { id: string } }>('GET', '/me')).user.id
    using database = openDatabase(holdfast)
    for (let at = 1; at < 500; at += 1)
      database.run('INSERT INTO favorites (item_id, user_id, kind, created_at) VALUES (?, ?, ?, ?)', [
        `other ${at}`,
        user,
        'file',
        at,
      ])
    const put = async (items: object) =>
      (await mine.data<{ failed: { message: string }[] }>('PUT', '/favorites', items)).failed.map(
        ({ message }) => message,
      )

    expect(await put({ fileIds: [one.id], folderIds: [root] })).toEqual([
      'The root folder cannot be changed, copied or shared',
    ])
    expect(await put({ fileIds: [one.id, other.id] })).toEqual([
      'An account has at most 500 favorites: remove some first',
    ])
    expect(await idsOf(mine)).toEqual([one.id])
  })
})

test('the typed client lists, adds and removes favorites', async () => {
  const { favorites } = createClient({ url: holdfast.url, key: holdfast.key })
  const file = await api.upload('by client.txt', 'x')

  expect(await favorites.add({ fileIds: [file.id] })).toEqual({ added: [file.id], failed: [] })
  expect(await favorites.list()).toEqual([{ kind: 'file', file }])
  expect(await favorites.remove({ fileIds: [file.id] })).toEqual({ removed: [file.id], failed: [] })
  expect(await favorites.list()).toEqual([])
})

describe('a favorite', () => {
  test('is at its new key after a rename and a move', async () => {
    const { id } = await favorite('before.txt')
    const folder = await newFolder(holdfast)
    await api.data('PUT', '/files', { id, name: 'after.txt' })
    await api.data('POST', '/files/move', { id, folderId: folder.id })

    expect((await itemsOf(mine)).map((item) => viewOf(item).key)).toEqual([`${folder.key}/after.txt`])
  })

  test('is hidden in the trash, returns with its file, and ends with it', async () => {
    const folder = await newFolder(holdfast)
    const file = await favorite('inside.txt', folder.key)
    const gone = await favorite('gone.txt')
    await trash.put({ fileIds: [gone.id], folderIds: [folder.id] })
    expect(await idsOf(mine)).toEqual([])

    await trash.restore(folder.id)
    await trash.remove(gone.id)
    await holdfast.server.jobs.runAll()

    expect(await idsOf(mine)).toEqual([file.id])
    using database = openDatabase(holdfast)
    const rows = database.query<{ item_id: string }>('SELECT item_id FROM favorites').all()
    expect(rows.map((row) => row.item_id)).toContain(file.id)
    expect(rows.map((row) => row.item_id)).not.toContain(gone.id)
  })

  test('passes to the folder that replaces its folder', async () => {
    const [old, next] = [await newFolder(holdfast), await newFolder(holdfast)]
    const other = (await holdfast.addUser('viewer')).api
    await mine.data('PUT', '/favorites', { folderIds: [old.id] })
    await other.data('PUT', '/favorites', { folderIds: [old.id, next.id] })
    await api.data('POST', '/folders/replace', { id: next.id, replaces: old.id })

    expect(await idsOf(mine)).toEqual([next.id])
    expect(await idsOf(other)).toEqual([next.id])
  })

  test('ends with its account', async () => {
    const { id, api: by } = await holdfast.addUser('viewer')
    const file = await api.upload('of an account.txt', 'x')
    await by.data('PUT', '/favorites', { fileIds: [file.id] })
    await holdfast.bySession.data('DELETE', '/users', { id })
    await holdfast.server.jobs.runAll()

    using database = openDatabase(holdfast)
    expect(database.query('SELECT 1 FROM favorites WHERE item_id = ?').all(file.id)).toEqual([])
  })
})

test('DELETE /api/favorites removes marks, also those that are not there', async () => {
  const { id } = await favorite('unmarked.txt')
  for (let time = 1; time <= 2; time += 1)
    expect(await mine.data<unknown>('DELETE', '/favorites', { fileIds: [id] })).toEqual({
      removed: [id],
      failed: [],
    })
  expect(await idsOf(mine)).toEqual([])
})

import { beforeAll, describe, expect, test } from 'bun:test'
import type { Api, Failure, FolderView } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { type FileView, refusalOf } from '../support/holdfast.ts'
import { ADD, ALL, addGuest, bindKey, EDIT, type Guest, newFolder, VIEW } from './guests.ts'

const holdfast = withInside()

/** Folders by what the guest may do there. */
let edit: FolderView
let add: FolderView
let view: FolderView
let all: FolderView
let outside: FolderView
let guest: Guest
let api: Api

beforeAll(async () => {
  const make = () => newFolder(holdfast)
  ;[edit, add, view, all, outside] = [await make(), await make(), await make(), await make(), await make()]
  guest = await addGuest(holdfast, { [edit.id]: EDIT, [add.id]: ADD, [view.id]: VIEW, [all.id]: ALL })
  api = guest.api
})

let count = 0
const fileIn = ({ key }: FolderView, visibility: FileView['visibility'] = 'private') => {
  count += 1
  return holdfast.api.upload(`file ${count}.txt`, 'text', key, visibility)
}

type Refused = [number, string]
const MISSING = (right: string): Refused => [403, `Missing right "${right}" in this folder`]
const ABOVE = (right: string): Refused => [403, `Missing right "${right}" in the folder above`]
const NO_FILE: Refused = [404, 'File not found']
const NO_FOLDER: Refused = [404, 'Folder not found']
const NO_ID = Bun.randomUUIDv7()

describe('a file', () => {
  test('becomes public where the caller may share, and private where it may write', async () => {
    const inAll = await fileIn(all)
    expect(await api.status('PUT', '/files', { id: inAll.id, visibility: 'public' })).toBe(200)
    const inEdit = await fileIn(edit, 'public')
    expect(await api.status('PUT', '/files', { id: inEdit.id, visibility: 'private' })).toBe(200)
    const refused = await api.refusal('PUT', '/files', { id: inEdit.id, visibility: 'public' })
    expect(refused).toEqual(MISSING('share'))
  })

  test('is not compared with a precondition where the caller may only read', async () => {
    const put = async ({ id }: FileView) =>
      holdfast.fetch(`/api/files/content?id=${id}`, {
        method: 'PUT',
        headers: { ...guest.withKey, 'If-Match': '"another"' },
        body: 'new',
      })
    expect(await refusalOf(await put(await fileIn(view)))).toEqual(MISSING('write'))
    expect((await put(await fileIn(edit))).status).toBe(412)
  })

  test('moves within a folder with write, and out of it with delete', async () => {
    const below = await newFolder(holdfast, add.key)
    const { id } = await fileIn(add)
    expect(await api.status('POST', '/files/move', { id, folderId: below.id })).toBe(200)
    expect(await api.refusal('POST', '/files/move', { id, folderId: edit.id })).toEqual(MISSING('delete'))
    expect(await api.refusal('POST', '/files/move', { id, folderId: view.id })).toEqual(MISSING('write'))
    expect(await api.refusal('POST', '/files/move', { id, folderId: outside.id })).toEqual(NO_FOLDER)
    expect(await api.refusal('POST', '/files/move', { id, folder: '' })).toEqual(NO_FOLDER)
    const inEdit = await fileIn(edit)
    expect(await api.status('POST', '/files/move', { id: inEdit.id, folder: `${add.key}/new` })).toBe(200)
  })

  test('moves to a folder inside where the caller may delete only from where it may, too', async () => {
    const inner = await newFolder(holdfast, add.key)
    const nested = await addGuest(holdfast, { [add.id]: ADD, [inner.id]: EDIT })
    const { id } = await fileIn(add)
    const folder = await newFolder(holdfast, add.key)
    const move = (path: string, body: object) => nested.api.refusal('POST', path, body)
    expect(await move('/files/move', { id, folderId: inner.id })).toEqual(MISSING('delete'))
    expect(await move('/folders/move', { id: folder.id, folderId: inner.id })).toEqual(ABOVE('delete'))
    const inInner = await fileIn(inner)
    expect(await nested.api.status('POST', '/files/move', { id: inInner.id, folderId: add.id })).toBe(200)
  })

  test('outside is missing, also beside a destination that is missing', async () => {
    const { id } = await fileIn(outside)
    for (const one of [id, NO_ID]) {
      const asked = { ids: [one], folderId: NO_ID }
      expect(await api.refusal('POST', '/files/move', asked)).toEqual(NO_FILE)
    }
  })

  test('is copied to where the caller may write, private where it may not share', async () => {
    const { id } = await fileIn(view, 'public')
    type Copied = { copied: { id: string }[] }
    const copyTo = async (folderId: string) => {
      const { copied } = await api.data<Copied>('POST', '/files/copy', { fileIds: [id], folderId })
      return (await holdfast.api.file(copied[0]?.id ?? '')).visibility
    }
    expect(await copyTo(all.id)).toBe('public')
    expect(await copyTo(add.id)).toBe('private')
    const refused = await api.refusal('POST', '/files/copy', { fileIds: [id], folderId: view.id })
    expect(refused).toEqual(MISSING('write'))
    const fileIds = [(await fileIn(outside)).id]
    expect(await api.refusal('POST', '/files/copy', { fileIds, folderId: add.id })).toEqual(NO_FILE)
  })
})

describe('a batch', () => {
  interface Ids {
    own: string
    shown: string
    hidden: string
  }
  const files = async (): Promise<Ids> => ({
    own: (await fileIn(edit)).id,
    shown: (await fileIn(view)).id,
    hidden: (await fileIn(outside)).id,
  })
  const all3 = ({ own, shown, hidden }: Ids) => [own, shown, hidden]
  const failures = ({ shown, hidden }: Ids, right: string) => [
    { id: shown, message: MISSING(right)[1] },
    { id: hidden, message: NO_FILE[1] },
  ]
  const done = async (method: string, path: string, body: unknown) =>
    await api.data<{ failed: Failure[] }>(method, path, body)

  test('sets the visibility of what the caller may write', async () => {
    for (const path of ['/files/visibility', '/items/visibility']) {
      const ids = await files()
      const body = { ids: all3(ids), fileIds: all3(ids), visibility: 'private' }
      expect((await done('PUT', path, body)).failed).toEqual(failures(ids, 'write'))
    }
  })

  test('publishes what the caller may share', async () => {
    const ids = [(await fileIn(all)).id, (await fileIn(edit)).id]
    const { failed } = await done('PUT', '/files/visibility', { ids, visibility: 'public' })
    expect(failed).toEqual([{ id: ids[1] ?? '', message: MISSING('share')[1] }])
    expect((await holdfast.api.file(ids[1] ?? '')).visibility).toBe('private')
    expect(await api.status('PUT', '/files/visibility', { ids: ids.slice(1), visibility: 'public' })).toBe(
      200,
    )
    expect((await holdfast.api.file(ids[1] ?? '')).visibility).toBe('private')
  })

  test('moves, deletes and trashes what the caller may', async () => {
    const moved = await files()
    const move = { ids: all3(moved), folderId: add.id }
    expect((await done('POST', '/files/move', move)).failed).toEqual(failures(moved, 'write'))
    const deleted = await files()
    expect((await done('DELETE', '/files', { ids: all3(deleted) })).failed).toEqual(
      failures(deleted, 'delete'),
    )
    const items = await files()
    expect((await done('DELETE', '/items', { fileIds: all3(items) })).failed).toEqual(
      failures(items, 'delete'),
    )
    const trashed = await files()
    expect((await done('POST', '/trash', { fileIds: all3(trashed) })).failed).toEqual(
      failures(trashed, 'delete'),
    )
  })
})

describe('a folder', () => {
  test('gets a visibility with write, and a public one with share', async () => {
    const { id } = await fileIn(edit, 'public')
    expect(await api.status('PUT', '/folders', { id: edit.id, visibility: 'private' })).toBe(200)
    expect((await holdfast.api.file(id)).visibility).toBe('private')
    const publish = (folder: FolderView) =>
      api.refusal('PUT', '/folders', { id: folder.id, visibility: 'public' })
    expect(await publish(edit)).toEqual(MISSING('share'))
    expect(await publish(view)).toEqual(MISSING('write'))
    expect(await publish(outside)).toEqual(NO_FOLDER)
    expect(await api.status('PUT', '/folders', { id: all.id, visibility: 'public' })).toBe(200)
    const below = await newFolder(holdfast, edit.key)
    const both = { id: below.id, name: 'renamed and public', visibility: 'public' }
    expect(await api.refusal('PUT', '/folders', both)).toEqual(MISSING('share'))
    const { failed } = await api.data<{ failed: Failure[] }>('PUT', '/items/visibility', {
      folderIds: [edit.id, all.id],
      visibility: 'public',
    })
    expect(failed).toEqual([{ id: edit.id, message: MISSING('share')[1] }])
  })

  test('moves within a folder with write, and out of it with delete', async () => {
    const from = await newFolder(holdfast, add.key)
    const to = await newFolder(holdfast, add.key)
    expect(await api.status('POST', '/folders/move', { id: from.id, folderId: to.id })).toBe(200)
    expect(await api.refusal('POST', '/folders/move', { id: from.id, folderId: edit.id })).toEqual(
      ABOVE('delete'),
    )
    const free = await newFolder(holdfast, edit.key)
    expect(await api.status('POST', '/folders/move', { id: free.id, folderId: add.id })).toBe(200)
  })

  test('at the top of what the caller reaches keeps its name and its place', async () => {
    const { id } = all
    expect(await api.refusal('PUT', '/folders', { id, name: 'x' })).toEqual(ABOVE('write'))
    expect(await api.refusal('POST', '/folders/move', { id, folderId: edit.id })).toEqual(ABOVE('write'))
    expect(await api.refusal('DELETE', '/folders', { id })).toEqual(ABOVE('delete'))
    for (const [method, path] of [
      ['POST', '/trash'],
      ['DELETE', '/items'],
    ] as const) {
      const { failed } = await api.data<{ failed: Failure[] }>(method, path, { folderIds: [id] })
      expect(failed).toEqual([{ id, message: ABOVE('delete')[1] }])
    }
    expect((await holdfast.api.browse({ id })).files).toBeDefined()
  })

  test('is copied as far as the caller reads it', async () => {
    const below = await newFolder(holdfast, view.key)
    await fileIn(below, 'public')
    type Copied = { copied: { key: string }[] }
    const { copied } = await api.data<Copied>('POST', '/items/copy', {
      folderIds: [below.id],
      folderId: add.id,
    })
    const { files } = await holdfast.api.browse({ key: copied[0]?.key ?? '' })
    expect(files.map(({ visibility }) => visibility)).toEqual(['private'])
    const folderIds = [outside.id]
    expect(await api.refusal('POST', '/items/copy', { folderIds, folderId: add.id })).toEqual(NO_FILE)
  })
})

test('a name outside enters no history of the caller', async () => {
  const bound = await bindKey(holdfast, add.id)
  const { id } = await holdfast.api.upload('xqz.txt', 'text', outside.key)
  await bound.send('DELETE', '/files', { id })
  await bound.send('POST', '/trash', { fileIds: [id] })
  await bound.send('DELETE', '/folders', { id: outside.id })
  await bound.send('POST', '/trash', { folderIds: [outside.id] })
  const { activities } = await holdfast.bySession.data<{ activities: { type: string; target: unknown }[] }>(
    'GET',
    '/activity',
  )
  expect(activities.slice(0, 4).map(({ type, target }) => [type, target])).toEqual([
    ['folder.delete-failed', null],
    ['folder.delete-failed', null],
    ['file.delete-failed', null],
    ['file.delete-failed', null],
  ])
})

import { beforeAll, describe, expect, test } from 'bun:test'
import type { FolderView } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { trashOf } from '../support/trash.ts'
import { ADD, addGuest, EDIT, type Guest, newFolder, VIEW } from './guests.ts'

const holdfast = withInside()

let edit: FolderView
let add: FolderView
let view: FolderView
let outside: FolderView
let guest: Guest
let trash: ReturnType<typeof trashOf>

beforeAll(async () => {
  const make = () => newFolder(holdfast)
  ;[edit, add, view, outside] = [await make(), await make(), await make(), await make()]
  guest = await addGuest(holdfast, { [edit.id]: EDIT, [add.id]: ADD, [view.id]: VIEW })
  trash = trashOf(guest.api)
})

let count = 0
async function trashedIn({ key }: { key: string }): Promise<string> {
  count += 1
  const { id } = await holdfast.api.upload(`file ${count}.txt`, 'text', key)
  await holdfast.trash.put({ fileIds: [id] })
  return id
}

const NOT_THERE = 'Not in the trash'
const missing = (right: string) => `Missing right "${right}" in this folder`

describe('the trash of a limited caller', () => {
  test('lists and counts only what is inside, in each order', async () => {
    await trashedIn(outside)
    const ids = [await trashedIn(edit), await trashedIn(add), await trashedIn(view)]
    await trashedIn(outside)
    const listed = await trash.list('?orderBy=name&orderDirection=ASC')
    expect([listed.items.map(({ id }) => id), listed.total]).toEqual([ids, 3])
    const page = await trash.list('?limit=1&offset=1')
    expect([page.items.map(({ id }) => id), page.total]).toEqual([[ids[1] ?? ''], 3])
    expect((await trash.list(`?search=${encodeURIComponent(outside.key)}`)).total).toBe(0)
    expect((await trash.list(`?search=${encodeURIComponent(view.key)}`)).total).toBe(1)
  })

  test('has what was deleted from a folder that was deleted later', async () => {
    const below = await newFolder(holdfast, edit.key)
    const deep = await newFolder(holdfast, below.key)
    const id = await trashedIn(deep)
    await holdfast.trash.put({ folderIds: [below.id] })
    const found = await trash.list(`?search=${encodeURIComponent(deep.key)}`)
    expect(found.items.map((item) => item.id)).toEqual([id])
    await guest.limit({ [add.id]: ADD })
    expect((await trash.list(`?search=${encodeURIComponent(deep.key)}`)).total).toBe(0)
    await guest.limit({ [edit.id]: EDIT, [add.id]: ADD, [view.id]: VIEW })
    expect(await trash.restore(id)).toMatchObject({ restored: [{ id }], failed: [] })
  })

  test('names items by where they would be now', async () => {
    const moved = await newFolder(holdfast, outside.key)
    const id = await trashedIn(moved)
    await holdfast.api.data('POST', '/folders/move', { id: moved.id, folderId: view.id })
    const { items } = await trash.list()
    expect(items.find((item) => item.id === id)?.key).toStartWith(`${view.key}/`)
  })

  test('gives back with write, and removes with delete', async () => {
    const inAdd = await trashedIn(add)
    const inView = await trashedIn(view)
    const inEdit = await trashedIn(edit)
    expect(await trash.restore(inAdd, inView)).toMatchObject({
      restored: [{ id: inAdd }],
      failed: [{ id: inView, message: missing('write') }],
    })
    const again = await trashedIn(add)
    expect(await trash.remove(inEdit, again)).toEqual({
      deleted: 1,
      failed: [{ id: again, message: missing('delete') }],
    })
  })

  test('tells nothing about what is outside', async () => {
    const hidden = await trashedIn(outside)
    const folder = await newFolder(holdfast, outside.key)
    await holdfast.trash.put({ folderIds: [folder.id] })
    for (const id of [hidden, folder.id, Bun.randomUUIDv7()]) {
      const refused = [404, NOT_THERE] as const
      expect(await guest.api.refusal('POST', '/trash/restore', { ids: [id] })).toEqual([...refused])
      expect(await guest.api.refusal('DELETE', '/trash', { ids: [id] })).toEqual([...refused])
    }
    const left = (await holdfast.trash.list()).items.map(({ id }) => id)
    expect(left).toContain(hidden)
    expect(left).toContain(folder.id)
  })

  test('does not give back an item of another folder because a folder is at its old key', async () => {
    const moved = await newFolder(holdfast, edit.key)
    const id = await trashedIn(moved)
    await holdfast.api.data('POST', '/folders/move', { id: moved.id, folderId: outside.id })
    await holdfast.api.createFolder(moved.key)
    expect(await guest.api.refusal('POST', '/trash/restore', { ids: [id] })).toEqual([404, NOT_THERE])
  })

  test('is emptied as far as the caller may delete', async () => {
    const inEdit = await trashedIn(edit)
    const inView = await trashedIn(view)
    const hidden = await trashedIn(outside)
    const { failed } = await trash.empty()
    expect(failed).toContainEqual({ id: inView, message: missing('delete') })
    const left = (await holdfast.trash.list()).items.map(({ id }) => id)
    expect(left).toContain(hidden)
    expect(left).not.toContain(inEdit)
  })
})

describe('a folder with guests', () => {
  const isSeen = async (id: string) => (await guest.api.send('GET', `/folders?id=${id}`)).status === 200
  const grantsIn = (id: string) => holdfast.server.deps.store.grants.inFolders([id])

  test('is theirs again when it returns from the trash, and under another name and key', async () => {
    const { id } = await newFolder(holdfast)
    await guest.limit({ [id]: EDIT })
    await holdfast.trash.put({ folderIds: [id] })
    expect(await isSeen(id)).toBe(false)
    await holdfast.trash.restore(id)
    expect(await isSeen(id)).toBe(true)
    await holdfast.api.data('PUT', '/folders', { id, name: `renamed ${id}` })
    await holdfast.api.data('POST', '/folders/move', { id, folderId: outside.id })
    expect((await guest.api.browse()).folders.map(({ key }) => key)).toEqual([`${outside.key}/renamed ${id}`])
  })

  test.each(['trash', 'folders'])('loses its grants when it is removed by %s', async (way) => {
    const { id, key } = await newFolder(holdfast)
    const below = await newFolder(holdfast, key)
    await guest.limit({ [id]: EDIT, [below.id]: VIEW })
    if (way === 'folders') await holdfast.api.data('DELETE', '/folders', { id })
    else {
      await holdfast.trash.put({ folderIds: [id] })
      await holdfast.trash.remove(id)
    }
    expect([...(await grantsIn(id)), ...(await grantsIn(below.id))]).toEqual([])
    await holdfast.api.createFolder(key)
    expect((await guest.api.browse()).folders).toEqual([])
  })
})

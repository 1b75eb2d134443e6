import { beforeAll, describe, expect, test } from 'bun:test'
import type { FolderView } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { openRows } from '../support/rows.ts'
import { trashOf } from '../support/trash.ts'
import { ADD, addGuest, bindKey, EDIT, type Guest, newFolder, VIEW } from './guests.ts'

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

  test('does not take an item out of a folder where it may not write, to another at the old key', async () => {
    const moved = await newFolder(holdfast)
    const sub = await newFolder(holdfast, moved.key)
    const id = await trashedIn(sub)
    await holdfast.trash.put({ folderIds: [sub.id] })
    await holdfast.api.data('PUT', '/folders', { id: moved.id, name: `${moved.name} renamed` })
    const here = await holdfast.api.createFolder(moved.key)
    const { api } = await addGuest(holdfast, { [moved.id]: VIEW, [here.id]: ADD })
    const { failed } = await trashOf(api).restore(id)
    expect(failed).toEqual([{ id, message: missing('write') }])
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

  test('keeps its guests and its API keys when another folder takes its place, also on the way back', async () => {
    const [live, next] = [await newFolder(holdfast), await newFolder(holdfast)]
    const other = await addGuest(holdfast, { [next.id]: EDIT })
    await guest.limit({ [live.id]: EDIT })
    const key = await bindKey(holdfast, live.id)
    const isSeenByBoth = async (id: string) =>
      (await isSeen(id)) && (await key.send('GET', `/folders?id=${id}`)).status === 200
    const replace = (id: string, replaces: string) =>
      holdfast.api.data('POST', '/folders/replace', { id, replaces })

    await replace(next.id, live.id)
    expect([await isSeenByBoth(next.id), await isSeen(live.id)]).toEqual([true, false])
    expect((await other.api.browse()).folders).toEqual([])
    await replace(live.id, next.id)
    expect([await isSeenByBoth(live.id), await isSeen(next.id)]).toEqual([true, false])
  })

  test('keeps its guests when the exchange fails', async () => {
    const [live, next] = [await newFolder(holdfast), await newFolder(holdfast)]
    await guest.limit({ [live.id]: EDIT })
    const key = await bindKey(holdfast, live.id)
    using rows = openRows(holdfast)
    rows.refuse('INSERT ON activities')
    const body = { id: next.id, replaces: live.id }
    expect(await holdfast.api.status('POST', '/folders/replace', body)).toBe(500)
    rows.allow()
    expect([await isSeen(live.id), await isSeen(next.id)]).toEqual([true, false])
    expect((await key.browse()).folders.map(({ id }) => id)).toEqual([live.id])
  })

  test('is replaced from inside by an API key for it', async () => {
    const { id, key } = await newFolder(holdfast)
    const bound = await bindKey(holdfast, id)
    for (const content of ['first', 'second']) {
      await bound.upload('index.html', content, `${key}/.arriving`, 'public')
      const [next] = (await bound.browse({ key })).folders.filter(({ name }) => name === '.arriving')
      const [live] = (await bound.browse()).folders
      const body = { id: next?.id, replaces: live?.id }
      expect(await bound.data<object>('POST', '/folders/replace', body)).toMatchObject({
        folder: { id: next?.id ?? '', key },
      })
      expect(await holdfast.api.hosted(`${key}/index.html`)).toBe(content)
      expect((await bound.browse({ key })).folders).toEqual([])
    }
  })

  test('shows what it has replaced, which returns to its place and nowhere else', async () => {
    const [first, second, third] = [
      await newFolder(holdfast),
      await newFolder(holdfast),
      await newFolder(holdfast),
    ]
    for (const [id, replaces] of [
      [second.id, first.id],
      [third.id, second.id],
    ])
      await holdfast.api.data('POST', '/folders/replace', { id, replaces })
    const replace = (id: string, replaces: string) =>
      guest.api.refusal('POST', '/folders/replace', { id, replaces })
    const listed = async () => (await trash.list()).items.map(({ id, key }) => [id, key])
    await guest.limit({ [third.id]: VIEW, [edit.id]: EDIT })
    const seen = await listed()
    expect(seen).toContainEqual([first.id, first.key])
    expect(seen).toContainEqual([second.id, first.key])
    expect(await replace(first.id, third.id)).toEqual([403, missing('write')])
    expect((await trash.remove(first.id)).failed).toEqual([{ id: first.id, message: missing('delete') }])
    await guest.limit({ [third.id]: EDIT, [edit.id]: EDIT })
    const above = 'Missing right "write" in the folder above'
    expect((await trash.restore(first.id)).failed).toEqual([{ id: first.id, message: above }])
    expect(await replace(first.id, edit.id)).toEqual([403, above])
    await guest.api.data('POST', '/folders/replace', { id: first.id, replaces: third.id })
    expect((await guest.api.browse()).folders.map(({ id }) => id)).toContain(first.id)
    expect(await trash.remove(second.id, third.id)).toMatchObject({ deleted: 2 })
    await holdfast.api.data('POST', '/folders/replace', {
      id: (await newFolder(holdfast)).id,
      replaces: first.id,
    })
    await guest.limit({ [edit.id]: EDIT })
    expect((await listed()).filter(([id]) => id === first.id)).toEqual([])
    expect(await replace(first.id, edit.id)).toEqual([404, 'Folder not found'])
  })

  test('is replaced with write and delete in it, and where the other one leaves', async () => {
    const from = { edit: await newFolder(holdfast, edit.key), add: await newFolder(holdfast, add.key) }
    const to = await newFolder(holdfast, edit.key)
    await guest.limit({ [edit.id]: EDIT, [add.id]: ADD, [view.id]: VIEW })
    const replace = (id: string, replaces: string) =>
      guest.api.refusal('POST', '/folders/replace', { id, replaces })
    const inAbove = (right: string): [number, string] => [403, `Missing right "${right}" in the folder above`]
    expect(await replace(from.edit.id, view.id)).toEqual([403, missing('write')])
    expect(await replace(from.edit.id, add.id)).toEqual([403, missing('delete')])
    expect(await replace(from.add.id, to.id)).toEqual(inAbove('delete'))
    expect(await replace(view.id, to.id)).toEqual(inAbove('write'))
    const none: [number, string] = [404, 'Folder not found']
    expect(await replace(outside.id, to.id)).toEqual(none)
    expect(await replace(from.edit.id, outside.id)).toEqual(none)
    await holdfast.trash.put({ folderIds: [from.add.id] })
    expect(await replace(from.add.id, to.id)).toEqual([403, missing('delete')])
    const hidden = await newFolder(holdfast, outside.key)
    await holdfast.trash.put({ folderIds: [hidden.id] })
    for (const id of [hidden.id, await trashedIn(outside), Bun.randomUUIDv7()])
      expect(await replace(id, to.id)).toEqual(none)
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

import { describe, expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import { expectNoIntents } from '../support/intents.ts'
import { storedIn } from '../support/stored.ts'
import { trashOf } from '../support/trash.ts'

const holdfast = withHoldfast({ environment: { MAX_MOVE_BATCH: '5', MAX_DELETE_BATCH: '5' } })
const { api, trash } = holdfast

const folderIdOf = async (key: string) =>
  (await api.browse()).folders.find((folder) => folder.key === key)?.id ?? ''

describe('a file in the trash', () => {
  test('is in no list, at no URL and by no id, and its name is free', async () => {
    const file = await api.upload('gone.txt', 'first', 'one')
    expect(await api.hosted('one/gone.txt')).toBe('first')
    const { url } = await api.sign(file.id)

    expect(await trash.put({ fileIds: [file.id] })).toEqual({ trashed: [file.id], failed: [] })

    expect((await api.list()).map(({ id }) => id)).not.toContain(file.id)
    expect((await api.browse({ key: 'one' })).files).toEqual([])
    expect(await api.refusal('GET', `/files?id=${file.id}`)).toEqual([404, 'File not found'])
    expect(await api.refusal('GET', `/files/download/${file.id}`)).toEqual([404, 'File not found'])
    expect(await api.hosted('one/gone.txt')).toBe(404)
    expect((await holdfast.fetch(`/${url}`)).status).toBe(404)
    expect(await api.checksums('one')).toEqual({})
    const again = await api.upload('gone.txt', 'second', 'one')
    expect(await api.hosted('one/gone.txt')).toBe('second')
    expect(again.id).not.toBe(file.id)
    await trash.remove(file.id)
    await expectNoIntents(holdfast)
  })

  test('is listed with its place, its size and the time at which it expires', async () => {
    const file = await api.upload('listed.txt', 'four', 'listed')
    await trash.put({ fileIds: [file.id] })

    const { items, total } = await trash.list()

    expect(total).toBe(1)
    expect(items).toEqual([
      {
        id: file.id,
        kind: 'file',
        name: 'listed.txt',
        mimeType: 'text/plain',
        key: 'listed/listed.txt',
        size: 4,
        count: 1,
        deletedAt: expect.any(String),
        deletedBy: holdfast.userId,
        expiresAt: expect.any(String),
      },
    ])
    const [item] = items
    expect(Date.parse(item?.expiresAt ?? '') - Date.parse(item?.deletedAt ?? '')).toBe(30 * 86_400_000)
    await trash.remove(file.id)
  })
})

describe('restoring', () => {
  test('restores a file unchanged, and links to it open again', async () => {
    const file = await api.upload('back.txt', 'content', 'back')
    await api.data('PUT', '/files', { id: file.id, visibility: 'private' })
    const before = await api.file(file.id)
    const { url } = await api.sign(file.id)
    await trash.put({ fileIds: [file.id] })

    const { restored, failed } = await trash.restore(file.id)

    expect(failed).toEqual([])
    expect(restored).toEqual([{ id: file.id, kind: 'file', name: 'back.txt', key: 'back/back.txt' }])
    expect(await api.file(file.id)).toEqual(before)
    expect(await (await holdfast.fetch(`/${url}`)).text()).toBe('content')
    expect(await api.hosted('back/back.txt')).toBe(404)
    expect(await storedIn(holdfast).trashed()).toEqual([])
    expect((await trash.list()).total).toBe(0)
    await expectNoIntents(holdfast)
  })

  test('puts a number after a name that is taken since', async () => {
    const file = await api.upload('taken.txt', 'old', 'taken')
    await trash.put({ fileIds: [file.id] })
    await api.upload('taken.txt', 'new', 'taken')
    await api.upload('taken (2).txt', 'newer', 'taken')

    const { restored } = await trash.restore(file.id)

    expect(restored).toMatchObject([{ name: 'taken (3).txt', key: 'taken/taken (3).txt' }])
    expect(await api.hosted('taken/taken (3).txt')).toBe('old')
    expect(await api.hosted('taken/taken.txt')).toBe('new')
  })

  test('follows a folder that was renamed since', async () => {
    const file = await api.upload('follows.txt', 'x', 'before')
    await trash.put({ fileIds: [file.id] })
    await api.data('PUT', '/folders', { id: file.folderId, name: 'after' })

    expect((await trash.restore(file.id)).restored).toMatchObject([{ key: 'after/follows.txt' }])
  })

  test('creates the folders that are missing', async () => {
    const file = await api.upload('deep.txt', 'deep', 'gone/deeper')
    await trash.put({ fileIds: [file.id] })
    await api.data('DELETE', '/folders', { id: await folderIdOf('gone') })

    expect((await trash.restore(file.id)).restored).toMatchObject([{ key: 'gone/deeper/deep.txt' }])
    expect(await api.hosted('gone/deeper/deep.txt')).toBe('deep')
    await expectNoIntents(holdfast)
  })

  test('puts items into the folders that return with them, in any order of ids', async () => {
    const file = await api.upload('a.txt', 'a', 'parents/sub')
    const inner = await api.upload('b.txt', 'b', 'parents/sub/inner')
    const fileIds = [file.id, inner.id]
    const folderIds = [inner.folderId, file.folderId, await folderIdOf('parents')]
    await trash.put({ fileIds, folderIds })

    const { restored, failed } = await trash.restore(...fileIds, ...folderIds)

    expect(failed).toEqual([])
    expect(restored.map(({ key }) => key).sort()).toEqual([
      'parents',
      'parents/sub',
      'parents/sub/a.txt',
      'parents/sub/inner',
      'parents/sub/inner/b.txt',
    ])
    expect(await api.file(file.id)).toEqual(file)
    expect(await api.file(inner.id)).toEqual(inner)
  })

  test('returns a folder before a file of a folder below it', async () => {
    const file = await api.upload('a.txt', 'a', 'above/below')
    await trash.put({ fileIds: [file.id] })
    const above = await folderIdOf('above')
    await trash.put({ folderIds: [above] })

    expect((await trash.restore(file.id, above)).restored.map(({ key }) => key)).toEqual([
      'above',
      'above/below/a.txt',
    ])
    expect(await api.file(file.id)).toEqual(file)
  })

  test('does not restore an item when a file has the key of its folder', async () => {
    const file = await api.upload('stays.txt', 'x', 'was a folder')
    await trash.put({ fileIds: [file.id] })
    await api.data('DELETE', '/folders', { id: file.folderId })
    await api.upload('was a folder', 'now a file')

    expect((await trash.restore(file.id)).failed).toEqual([
      { id: file.id, message: 'A file named "was a folder" is in the place of a folder' },
    ])
    expect((await trash.list()).items.map(({ id }) => id)).toEqual([file.id])
    await trash.remove(file.id)
  })

  test('answers 404 when nothing of it is in the trash', async () => {
    expect(await api.refusal('POST', '/trash/restore', { ids: ['no such id'] })).toEqual([
      404,
      'Not in the trash',
    ])
  })

  test('restores an item once for concurrent requests', async () => {
    const file = await api.upload('race.txt', 'x', 'race')
    await trash.put({ fileIds: [file.id] })

    const answers = await Promise.all(
      [1, 2, 3].map(() => api.send('POST', '/trash/restore', { ids: [file.id] })),
    )

    const restored = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { data?: { restored?: unknown[] } }).data),
    )
    expect(restored.flatMap((data) => data?.restored ?? [])).toHaveLength(1)
    expect((await api.browse({ key: 'race' })).files).toHaveLength(1)
  })
})

describe('a folder', () => {
  test('moves with its content, and returns with all ids', async () => {
    const kept = await api.upload('other.txt', 'x', 'beside')
    const files = [
      await api.upload('a.txt', 'a', 'tree'),
      await api.upload('b.txt', 'bb', 'tree/sub'),
      await api.upload('c.txt', 'ccc', 'tree/sub/deep'),
    ]
    const id = await folderIdOf('tree')
    const before = await api.list()

    expect(await trash.put({ folderIds: [id] })).toEqual({ trashed: [id], failed: [] })

    expect((await api.list()).map(({ key }) => key)).not.toContain('tree/a.txt')
    expect(await api.hosted('tree/sub/deep/c.txt')).toBe(404)
    expect((await trash.list()).items).toMatchObject([
      { id, kind: 'folder', name: 'tree', key: 'tree', count: 3, size: 6 },
    ])
    expect(await storedIn(holdfast).trashed()).toEqual([
      'tree/a.txt',
      'tree/sub/b.txt',
      'tree/sub/deep/c.txt',
    ])
    expect(await storedIn(holdfast).keys()).not.toContain('tree')

    expect((await trash.restore(id)).restored).toEqual([{ id, kind: 'folder', name: 'tree', key: 'tree' }])

    expect(await api.list()).toEqual(before)
    for (const file of files) expect(await api.file(file.id)).toEqual(file)
    expect(await api.hosted('tree/sub/deep/c.txt')).toBe('ccc')
    expect(await api.file(kept.id)).toEqual(kept)
    expect(await storedIn(holdfast).trashed()).toEqual([])
    await expectNoIntents(holdfast)
  })

  test('returns beside one of its name, with its content', async () => {
    await api.upload('x.txt', 'old', 'twice/in')
    const id = await folderIdOf('twice')
    await trash.put({ folderIds: [id] })
    await api.upload('x.txt', 'new', 'twice')

    expect((await trash.restore(id)).restored).toMatchObject([{ name: 'twice (2)', key: 'twice (2)' }])
    expect(await api.hosted('twice (2)/in/x.txt')).toBe('old')
    expect(await api.hosted('twice/x.txt')).toBe('new')
  })

  test('does not include files that were deleted from it before', async () => {
    const file = await api.upload('first.txt', 'first', 'parent')
    await trash.put({ fileIds: [file.id] })
    await trash.put({ folderIds: [file.folderId] })

    expect((await trash.list()).total).toBe(2)
    expect((await trash.restore(file.id)).restored).toMatchObject([{ key: 'parent/first.txt' }])
    expect((await trash.restore(file.folderId)).restored).toMatchObject([{ key: 'parent (2)' }])
    expect((await api.browse({ key: 'parent (2)' })).files).toEqual([])
  })

  test('refuses the root', async () => {
    const root = (await api.createFolder('below the root')).parentId ?? ''
    expect((await trash.put({ folderIds: [root] })).failed).toEqual([
      { id: root, message: 'The root folder cannot be deleted' },
    ])
  })
})

describe('a permanent delete', () => {
  test('removes the bytes and the entry, and nothing restores them', async () => {
    const file = await api.upload('purged.txt', 'x')
    await trash.put({ fileIds: [file.id] })

    expect(await trash.remove(file.id, 'no such id')).toEqual({
      deleted: 1,
      failed: [{ id: 'no such id', message: 'Not in the trash' }],
    })

    expect(await storedIn(holdfast).trashed()).toEqual([])
    expect(await api.refusal('POST', '/trash/restore', { ids: [file.id] })).toEqual([404, 'Not in the trash'])
  })

  test('removes everything, folders and more than one batch included', async () => {
    const files = await Promise.all(
      Array.from({ length: 5 }, (_, index) => api.upload(`${index}.txt`, 'x', 'all')),
    )
    await trash.put({ fileIds: files.slice(0, 3).map(({ id }) => id) })
    await trash.put({ folderIds: [files[0]?.folderId ?? ''] })

    expect(await trash.empty()).toEqual({ deleted: 4, failed: [] })

    expect(await trash.list()).toEqual({ items: [], total: 0, trashDays: 30 })
    expect(await storedIn(holdfast).trashed()).toEqual([])
    expect(await trash.empty()).toEqual({ deleted: 0, failed: [] })
  })

  test('needs ids, or the word for all', async () => {
    for (const body of [{}, { ids: ['a'], all: true }, { all: false }])
      expect(await api.refusal('DELETE', '/trash', body)).toEqual([
        400,
        'Either "ids" or "all": true is required',
      ])
  })
})

describe('the routes', () => {
  test('handle each id on its own', async () => {
    const file = await api.upload('single.txt', 'x')
    expect(await trash.put({ fileIds: [file.id, 'no file'], folderIds: ['no folder'] })).toEqual({
      trashed: [file.id],
      failed: [
        { id: 'no file', message: 'File not found' },
        { id: 'no folder', message: 'Folder not found' },
      ],
    })
    await trash.remove(file.id)
    for (const none of [{}, { fileIds: [], folderIds: [] }])
      expect(await api.refusal('POST', '/trash', none)).toEqual([400, '"fileIds" or "folderIds" is required'])
    const beside = await api.upload('beside an empty list', '')
    expect(await api.data('POST', '/trash', { fileIds: [beside.id], folderIds: [] })).toMatchObject({
      trashed: [beside.id],
    })
    await trash.remove(beside.id)
    expect(await api.refusal('POST', '/trash', { fileIds: ['no file'] })).toEqual([404, 'File not found'])
  })

  test('refuse a key without the scope', async () => {
    const file = await api.upload('scoped.txt', 'x')
    const [reader, writer, deleter] = [
      await holdfast.byKey('files:read'),
      await holdfast.byKey('files:write'),
      await holdfast.byKey('files:delete'),
    ]
    expect((await writer.refusal('POST', '/trash', { fileIds: [file.id] }))[0]).toBe(403)
    await trash.put({ fileIds: [file.id] })
    expect((await deleter.refusal('GET', '/trash'))[0]).toBe(403)
    expect((await reader.refusal('POST', '/trash/restore', { ids: [file.id] }))[0]).toBe(403)
    expect((await reader.refusal('DELETE', '/trash', { ids: [file.id] }))[0]).toBe(403)
    expect((await writer.refusal('DELETE', '/trash', { all: true }))[0]).toBe(403)
    expect((await trashOf(reader).list()).total).toBe(1)
    expect((await trashOf(deleter).remove(file.id)).deleted).toBe(1)
  })

  test('page through the items, the latest first', async () => {
    const ids: string[] = []
    for (const name of ['1', '2', '3']) ids.push((await api.upload(name, name, 'paged')).id)
    for (const id of ids) await trash.put({ fileIds: [id] })

    const first = await trash.list('?limit=2')
    const second = await trash.list('?limit=2&offset=2')

    expect([first.total, second.total]).toEqual([3, 3])
    const listed = [...first.items, ...second.items].map(({ id }) => id)
    expect(listed.toSorted()).toEqual(ids.toSorted())
    expect((await trash.list('?limit=1000')).total).toBe(3)
    expect((await api.refusal('GET', '/trash?limit=1001'))[0]).toBe(400)
    await trash.empty()
  })

  test('search the items by their keys, and order them', async () => {
    for (const [name, content] of [
      ['Ä 100%.txt', 'xxx'],
      ['b_1.txt', 'x'],
      ['bX1.txt', 'xx'],
    ] as const) {
      const { id } = await api.upload(name, content, 'Sought')
      await trash.put({ fileIds: [id] })
    }
    const names = async (query: Record<string, string>) => {
      const { items, total } = await trash.list(`?${new URLSearchParams(query)}`)
      expect(total).toBe(items.length)
      return items.map(({ name }) => name)
    }

    expect(await names({ search: 'sought/' })).toEqual(['bX1.txt', 'b_1.txt', 'Ä 100%.txt'])
    for (const search of ['Ä', 'sought/a', 'ä', 'A\u0308', '0%'])
      expect([search, ...(await names({ search }))]).toEqual([search, 'Ä 100%.txt'])
    expect(await names({ search: 'B_1' })).toEqual(['b_1.txt'])
    expect(await names({ search: '\\' })).toEqual([])
    const search = 'Sought'
    const by = (orderBy: string, orderDirection: string) => names({ search, orderBy, orderDirection })
    expect(await by('size', 'DESC')).toEqual(['Ä 100%.txt', 'bX1.txt', 'b_1.txt'])
    expect(await by('size', 'asc')).toEqual(['b_1.txt', 'bX1.txt', 'Ä 100%.txt'])
    expect(await by('name', 'ASC')).toEqual(['bX1.txt', 'b_1.txt', 'Ä 100%.txt'])
    expect(await by('deletedAt', 'ASC')).toEqual(['Ä 100%.txt', 'b_1.txt', 'bX1.txt'])
    expect((await trash.list('?search=Sought&limit=1&offset=1')).total).toBe(3)
    await trash.empty()
  })

  test('refuse too many ids by the names of their fields', async () => {
    const ids = Array.from({ length: 5001 }, (_, n) => `${n}`)
    const body = { fileIds: ids.slice(0, 3000), folderIds: ids.slice(3000) }
    const message = '"fileIds" and "folderIds" together must have at most 5000 ids'
    expect(await api.refusal('POST', '/trash', body)).toEqual([400, message])
    for (const [method, path] of [
      ['POST', '/trash/restore'],
      ['DELETE', '/trash'],
    ] as const)
      expect(await api.refusal(method, path, { ids })).toEqual([400, '"ids" must have at most 5000 ids'])
    expect(await api.refusal('POST', '/files/copy', { ...body, folder: 'copies' })).toEqual([
      400,
      '"fileIds" and "folderIds" together must have at most 5 ids',
    ])
  })

  test('add entries to the history of the caller', async () => {
    const file = await api.upload('history.txt', 'x', 'history')
    await trash.put({ fileIds: [file.id] })
    await trash.restore(file.id)
    await trash.put({ folderIds: [file.folderId] })
    await trash.remove(file.folderId)

    const entriesNow = holdfast.catalog.activities.newest(holdfast.userId, 4)
    expect(entriesNow.map(({ type, target }) => [type, target])).toEqual([
      ['trash.emptied', 'history'],
      ['folder.trashed', 'history'],
      ['file.restored', 'history.txt'],
      ['file.trashed', 'history.txt'],
    ])
  })

  test('name the only item of an emptied trash, and count several', async () => {
    await trash.empty()
    for (const names of [['one.txt'], ['two.txt', 'three.txt']]) {
      const files = await Promise.all(names.map((name) => api.upload(name, 'x', 'emptied')))
      await trash.put({ fileIds: files.map(({ id }) => id) })
      await trash.empty()
    }

    const entries = holdfast.catalog.activities.newest(holdfast.userId, 10)
    const emptied = entries.filter(({ type }) => type === 'trash.emptied').map(({ target }) => target)
    expect(emptied.slice(0, 2)).toEqual(['2 items', 'one.txt'])
  })
})

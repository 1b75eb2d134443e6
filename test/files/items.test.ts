import { describe, expect, test } from 'bun:test'
import { zipSync } from 'fflate'
import type { Failure } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { withHoldfast } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'

/** Changes of a selection of files and folders in one request. */

const holdfast = withHoldfast({ environment: { MAX_DELETE_BATCH: '2', MAX_MOVE_BATCH: '2' } })
const { api } = holdfast

const namesIn = async (key: string) => (await api.browse({ key })).files.map(({ name }) => name)

/** Stores small files in a folder. Returns their ids in the order of their names. */
async function putMany(folder: string, count: number): Promise<string[]> {
  const entries = Array.from({ length: count }, (_, n) => [`${n}.txt`, new Uint8Array([n])] as const)
  const archive = zipSync(Object.fromEntries(entries))
  expect((await api.sendBody('POST', `/folders/import?folder=${folder}`, archive)).status).toBe(200)
  const { files } = await api.browse({ key: folder })
  return files
    .toSorted((a, b) => Number.parseInt(a.name, 10) - Number.parseInt(b.name, 10))
    .map(({ id }) => id)
}

/** Sends a request, and disconnects as soon as `isBegun`. */
async function sendAndLeave(
  { method, path, body }: { method: string; path: string; body: object },
  isBegun: () => Promise<boolean>,
): Promise<void> {
  const client = new AbortController()
  const sent = holdfast.fetch(path, {
    method,
    body: JSON.stringify(body),
    headers: { ...holdfast.withKey, 'Content-Type': 'application/json' },
    signal: client.signal,
  })
  await eventually(isBegun)
  client.abort()
  await sent.catch(() => {})
}

describe('DELETE /api/items', () => {
  const remove = (body: object) =>
    api.data<{ deleted: string[]; failed: Failure[] }>('DELETE', '/items', body)

  test('deletes files and folders permanently, each on its own', async () => {
    const [one = '', two = '', three = ''] = await putMany('mixed', 3)
    const below = await api.upload('below.txt', 'x', 'mixed/folder')

    expect(
      await remove({ fileIds: [one, two, 'no file'], folderIds: [below.folderId, 'no folder'] }),
    ).toEqual({
      deleted: [one, two, below.folderId],
      failed: [
        { id: 'no file', message: 'File not found' },
        { id: 'no folder', message: 'Folder not found' },
      ],
    })

    const left = await api.browse({ key: 'mixed' })
    expect([left.files.map(({ id }) => id), left.folders]).toEqual([[three], []])
    expect(await api.data<object>('GET', '/trash')).toMatchObject({ total: 0 })
    expect(await storedIn(holdfast).trashed()).toEqual([])
    const entries = await holdfast.bySession.data<{ activities: { type: string; target: string | null }[] }>(
      'GET',
      '/activity',
    )
    expect(entries.activities.slice(0, 4).map(({ type, target }) => [type, target])).toEqual([
      ['folder.delete-failed', null],
      ['file.delete-failed', null],
      ['folder.deleted', 'folder'],
      ['file.deleted', '2 files'],
    ])
  })

  test('refuses no ids, unknown ids and too many', async () => {
    const ids = Array.from({ length: 5001 }, (_, n) => `${n}`)
    expect(await api.refusal('DELETE', '/items', {})).toEqual([400, '"fileIds" or "folderIds" is required'])
    expect(await api.refusal('DELETE', '/items', { folderIds: ['none'] })).toEqual([404, 'File not found'])
    expect(await api.refusal('DELETE', '/items', { fileIds: ids.slice(1), folderIds: ['0'] })).toEqual([
      400,
      '"fileIds" and "folderIds" together must have at most 5000 ids',
    ])
    const root = (await api.createFolder('below the root')).parentId ?? ''
    expect((await api.refusal('DELETE', '/items', { fileIds: [root] }))[0]).toBe(404)
    expect((await remove({ folderIds: [root] })).failed.map(({ id }) => id)).toEqual([root])
  })

  test('is finished after its client disconnects', async () => {
    const fileIds = await putMany('left', 200)

    await sendAndLeave(
      { method: 'DELETE', path: '/api/items', body: { fileIds } },
      async () => (await namesIn('left')).length < 200,
    )

    await eventually(async () => (await namesIn('left')).length === 0)
  })
})

describe('POST /api/items/move', () => {
  const move = (body: object) => api.data<{ moved: string[]; failed: Failure[] }>('POST', '/items/move', body)

  test('moves files and folders into a new folder, each on its own', async () => {
    const [one = '', two = '', three = ''] = await putMany('from', 3)
    const below = await api.upload('below.txt', 'x', 'from/folder')
    await api.upload('1.txt', 'taken', 'to/new')

    const { moved, failed } = await move({
      fileIds: [one, two, three, 'no file'],
      folderIds: [below.folderId],
      folder: 'to/new',
    })

    expect(moved).toEqual([one, three, below.folderId])
    expect(failed.map(({ id }) => id)).toEqual([two, 'no file'])
    expect((await namesIn('to/new')).sort()).toEqual(['0.txt', '1.txt', '2.txt'])
    expect(await namesIn('to/new/folder')).toEqual(['below.txt'])
    expect(await namesIn('from')).toEqual(['1.txt'])
    expect(await move({ folderIds: [below.folderId], folder: 'made/for it' })).toEqual({
      moved: [below.folderId],
      failed: [],
    })
    expect(await namesIn('made/for it/folder')).toEqual(['below.txt'])
  })

  test('refuses no ids, no destination, and a folder that would move into itself', async () => {
    const { folderId } = await api.upload('x', 'x', 'around')
    expect(await api.refusal('POST', '/items/move', { folder: 'x' })).toEqual([
      400,
      '"fileIds" or "folderIds" is required',
    ])
    expect(await api.refusal('POST', '/items/move', { fileIds: ['none'] })).toEqual([
      400,
      '"folderId" or "folder" is required',
    ])
    expect((await api.refusal('POST', '/items/move', { fileIds: ['none'], folder: 'x' }))[0]).toBe(404)
    expect((await move({ folderIds: [folderId], folder: 'around/below' })).failed).toEqual([
      { id: folderId, message: 'A folder cannot be moved into itself' },
    ])
  })

  test('is finished after its client disconnects', async () => {
    const fileIds = await putMany('leaving', 200)

    await sendAndLeave(
      { method: 'POST', path: '/api/items/move', body: { fileIds, folder: 'arrived' } },
      async () => (await namesIn('leaving')).length < 200,
    )

    await eventually(async () => (await namesIn('leaving')).length === 0)
    expect(await namesIn('arrived')).toHaveLength(200)
  })
})

describe('POST /api/items/copy', () => {
  test('copies files and folders, each on its own, more than a batch of files', async () => {
    const [one = '', two = ''] = await putMany('originals', 2)
    const below = await api.upload('below.txt', 'x', 'originals/folder')

    const { copied, failed } = await api.data<{ copied: { from: string; key: string }[]; failed: Failure[] }>(
      'POST',
      '/items/copy',
      { fileIds: [one, two, 'no file'], folderIds: [below.folderId], folder: 'copies/new' },
    )

    expect(copied.map(({ from, key }) => [from, key])).toEqual([
      [one, 'copies/new/0.txt'],
      [two, 'copies/new/1.txt'],
      [below.folderId, 'copies/new/folder'],
    ])
    expect(failed).toEqual([{ id: 'no file', message: 'File not found' }])
    expect(await namesIn('copies/new/folder')).toEqual(['below.txt'])
    expect(await api.refusal('POST', '/items/copy', { folder: 'x' })).toEqual([
      400,
      '"fileIds" or "folderIds" is required',
    ])
  })

  test('is finished after its client disconnects', async () => {
    const fileIds = await putMany('copied', 200)

    await sendAndLeave(
      { method: 'POST', path: '/api/items/copy', body: { fileIds, folder: 'copies' } },
      async () => (await namesIn('copies')).length > 0,
    )

    await eventually(async () => (await namesIn('copies')).length === 200)
  })
})

describe('PUT /api/items/visibility', () => {
  const set = (body: object) =>
    api.data<{ files: FileView[]; failed: Failure[] }>('PUT', '/items/visibility', body)

  test('changes files, and every file below folders', async () => {
    const [one = '', two = '', three = ''] = await putMany('seen', 3)
    const below = await api.upload('below.txt', 'x', 'seen/folder/deep')
    const [folder] = (await api.browse({ key: 'seen' })).folders

    const { files, failed } = await set({
      fileIds: [one, two, 'no file'],
      folderIds: [folder?.id, 'no folder'],
      visibility: 'private',
    })

    expect(files.map(({ id, visibility }) => [id, visibility]).sort()).toEqual(
      [one, two].map((id) => [id, 'private']).sort(),
    )
    expect(failed).toEqual([
      { id: 'no file', message: 'File not found' },
      { id: 'no folder', message: 'Folder not found' },
    ])
    expect((await api.file(below.id)).visibility).toBe('private')
    expect((await api.file(three)).visibility).toBe('public')
    expect(await set({ folderIds: [folder?.id], visibility: 'public' })).toEqual({ files: [], failed: [] })
    expect((await api.file(below.id)).visibility).toBe('public')
  })

  test('refuses no ids, unknown ids and no visibility', async () => {
    const refusal = (body: object) => api.refusal('PUT', '/items/visibility', body)
    const visibility = 'private'
    expect(await refusal({ visibility })).toEqual([400, '"fileIds" or "folderIds" is required'])
    expect(await refusal({ fileIds: ['none'], visibility })).toEqual([404, 'File not found'])
    expect((await refusal({ fileIds: ['none'] }))[0]).toBe(400)
  })
})

test('the trash is emptied after its client disconnects', async () => {
  const fileIds = await putMany('emptied', 200)
  await api.data('POST', '/trash', { fileIds })
  const total = async () => (await api.data<{ total: number }>('GET', '/trash?limit=0')).total

  await sendAndLeave(
    { method: 'DELETE', path: '/api/trash', body: { all: true } },
    async () => (await total()) < 200,
  )

  await eventually(async () => (await total()) === 0)
})

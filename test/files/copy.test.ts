import { describe, expect, test } from 'bun:test'
import { zipSync } from 'fflate'
import type { CopiedItem as Copy } from '../../src/client/types.ts'
import { copiedOf } from '../../src/store/rows.ts'
import type { Failure } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { rowOfFile } from '../support/file-rows.ts'
import { withHoldfast } from '../support/fixture.ts'
import { type FileView, filesUnder } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { BYTES_IN } from '../support/kind.ts'
import { storedIn } from '../support/stored.ts'

const holdfast = withHoldfast({ environment: { MAX_MOVE_BATCH: '4' } })
const { api } = holdfast

const copy = (body: object) => api.data<{ copied: Copy[]; failed: Failure[] }>('POST', '/files/copy', body)

describe('a copy of a file', () => {
  test('has its bytes, checksum and visibility, and another id', async () => {
    const file = await api.upload('a.txt', 'content', 'from')
    await api.data('PUT', '/files', { id: file.id, visibility: 'private' })

    const { copied, failed } = await copy({ fileIds: [file.id], folder: 'to/new' })

    expect(failed).toEqual([])
    const [made] = copied
    expect(copied).toEqual([
      { from: file.id, kind: 'file', id: expect.any(String), name: 'a.txt', key: 'to/new/a.txt' },
    ])
    expect(made?.id).not.toBe(file.id)
    expect(await api.file(made?.id ?? '')).toMatchObject({
      visibility: 'private',
      size: 7,
      key: 'to/new/a.txt',
    })
    expect(await (await api.send('GET', `/files/download/${made?.id}`)).text()).toBe('content')
    expect(await api.checksums('to')).toEqual({
      'to/new/a.txt': (await api.checksums('from'))['from/a.txt'] ?? '',
    })
    expect(await api.hosted('to/new/a.txt')).toBe(404)
    expect((await storedIn(holdfast).read({ key: 'to/new/a.txt' })).toString()).toBe('content')
    await expectNoIntents(holdfast)
  })

  test('has every column that says nothing of its place, its bytes or its times, a later one too', () => {
    const original = { ...rowOfFile({ id: 'a', folderId: 'b', name: 'c' }), later: 'kept' }
    expect<object>(copiedOf(original)).toEqual({ visibility: 'private', later: 'kept' })
  })

  test('gets a number where its name is taken, also beside its original', async () => {
    const file = await api.upload('photo.jpg', 'x', 'numbered')
    const keys = []
    for (let times = 0; times < 3; times++)
      keys.push((await copy({ fileIds: [file.id], folderId: file.folderId })).copied[0]?.key)
    expect(keys).toEqual(['numbered/photo (2).jpg', 'numbered/photo (3).jpg', 'numbered/photo (4).jpg'])
  })

  test('never takes a name that a request at the same time takes', async () => {
    const file = await api.upload('busy.txt', 'x', 'busy')
    const all = await Promise.all(
      [1, 2, 3, 4].map(() => copy({ fileIds: [file.id], folderId: file.folderId })),
    )
    expect(all.flatMap(({ failed }) => failed)).toEqual([])
    expect((await api.browse({ key: 'busy' })).files).toHaveLength(5)
  })

  test('stays as it is when its original is deleted or damaged', async () => {
    const file = await api.upload('first.txt', 'first', 'apart')
    await copy({ fileIds: [file.id], folder: 'apart/copy' })
    await storedIn(holdfast).damage(file, 'other')
    expect(await api.hosted('apart/copy/first.txt')).toBe('first')
    await api.data('DELETE', '/files', { id: file.id })
    expect(await api.hosted('apart/copy/first.txt')).toBe('first')
  })

  const MISSING = {
    folder: '"damaged/missing.txt" is missing on disk',
    // The object store copies files, and has no names.
    objects: 'The bytes of the file are missing, so it cannot be copied',
  }

  test('is refused when its bytes are missing', async () => {
    const missing = await api.upload('missing.txt', 'x', 'damaged')
    await storedIn(holdfast).lose(missing)

    const { copied, failed } = await copy({ fileIds: [missing.id], folder: 'damaged copies' })

    expect(copied).toEqual([])
    expect(failed).toEqual([{ id: missing.id, message: MISSING[BYTES_IN] }])
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    await expectNoIntents(holdfast)
  })
})

describe('a copy of a folder', () => {
  test('has everything below it, empty folders included, each file with its visibility', async () => {
    const top = await api.upload('top.txt', 'top', 'tree')
    const hidden = await api.upload('hidden.txt', 'hidden', 'tree/sub/deep')
    await api.data('PUT', '/files', { id: hidden.id, visibility: 'private' })
    await api.createFolder('tree/empty')

    const { copied } = await copy({ folderIds: [top.folderId], folder: '' })

    expect(copied).toEqual([
      { from: top.folderId, kind: 'folder', id: expect.any(String), name: 'tree (2)', key: 'tree (2)' },
    ])
    const root = await api.browse({ id: copied[0]?.id ?? '' })
    expect(root.folders.map(({ name }) => name)).toEqual(['empty', 'sub'])
    expect(await api.hosted('tree (2)/top.txt')).toBe('top')
    expect(await api.hosted('tree (2)/sub/deep/hidden.txt')).toBe(404)
    const [private_] = (await api.browse({ key: 'tree (2)/sub/deep' })).files
    expect(private_).toMatchObject({ visibility: 'private', size: 6 })
    await expectNoIntents(holdfast)
  })

  test('has each visibility also when it is published on the catalog’s own thread', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `${index}.txt`)
    const archive = zipSync(Object.fromEntries(names.map((name) => [name, new TextEncoder().encode(name)])))
    await api.sendBody('POST', '/folders/import?folder=many&visibility=public', archive)
    const { files } = await api.browse({ key: 'many' })
    const [one] = files
    await api.data('PUT', '/files', { id: one?.id, visibility: 'private' })

    await copy({ folderIds: [one?.folderId], folder: 'copies' })

    const made = (await api.browse({ key: 'copies/many' })).files
    expect(made).toHaveLength(300)
    expect(made.filter(({ visibility }) => visibility === 'private').map(({ name }) => name)).toEqual([
      one?.name ?? '',
    ])
    expect(Object.values(await api.checksums('copies')).toSorted()).toEqual(
      Object.values(await api.checksums('many')).toSorted(),
    )
  })

  test('never has other bytes than its row says while the originals are replaced or change names', async () => {
    const disturbances: Record<string, (last: FileView[], folder: string) => Promise<unknown>> = {
      replaced: (last) =>
        Promise.all(
          last.map(({ id, size }) => api.sendBody('PUT', `/files/content?id=${id}`, 'r'.repeat(size))),
        ),
      swapped: async (last, folder) => {
        for (const { id, name } of last) {
          const other = await api.upload(`other ${name}`, 'p'.repeat(8), folder)
          await api.data('DELETE', '/files', { id })
          await api.data('PUT', '/files', { id: other.id, name, visibility: 'private' })
        }
      },
    }
    await api.createFolder('undisturbed')
    for (const [how, disturb] of Object.entries(disturbances)) {
      const folder = `${how} meanwhile`
      const names = Array.from({ length: 300 }, (_, index) => String(10_000_000 + index))
      const archive = zipSync(Object.fromEntries(names.map((name) => [name, new TextEncoder().encode(name)])))
      await api.sendBody(
        'POST',
        `/folders/import?folder=${encodeURIComponent(folder)}&visibility=public`,
        archive,
      )
      const { files } = await api.browse({ key: folder })
      const copying = copy({ folderIds: [files[0]?.folderId], folder: 'undisturbed' })
      await eventually(() => filesUnder(holdfast, 'tmp').length > 0)
      await disturb(files.slice(-3), folder)

      const { copied, failed } = await copying

      expect(copied.length + failed.length).toBe(1)
      for (const { message } of failed)
        expect(message).toMatch(/^".* meanwhile\/\d+" was moved, deleted or changed meanwhile$/)
      for (const [key, sum] of Object.entries(await api.checksums('undisturbed')))
        expect([key, Bun.SHA256.hash(await storedIn(holdfast).read({ key }), 'hex')]).toEqual([key, sum])
    }
    await expectNoIntents(holdfast)
  })

  test('never joins another that goes to the same place under the same name', async () => {
    const names = ['one', 'two', 'three', 'four', 'five', 'six']
    const ids: string[] = []
    for (const name of names) ids.push((await api.upload(`${name}.txt`, name, `many/${name}/same`)).folderId)

    const made = await Promise.all(ids.map((id) => copy({ folderIds: [id], folder: 'joined' })))

    const copied = made.flatMap(({ copied }) => copied)
    expect(copied.map(({ key }) => key).sort()).toEqual(
      names.map((_, index) => (index === 0 ? 'joined/same' : `joined/same (${index + 1})`)),
    )
    const folders = await Promise.all(copied.map(({ id }) => api.browse({ id })))
    expect(folders.map(({ files }) => files.map(({ name }) => name))).toEqual(
      names.map((name) => [`${name}.txt`]),
    )
  })

  test('can be copied into itself, without the copy', async () => {
    const { folderId } = await api.upload('x.txt', 'x', 'self')
    expect((await copy({ folderIds: [folderId], folderId })).copied).toMatchObject([{ key: 'self/self' }])
    expect((await api.browse({ key: 'self/self' })).folders).toEqual([])
  })

  test('is refused for the root and an unknown id', async () => {
    const root = (await api.createFolder('under the root')).parentId ?? ''
    expect((await copy({ folderIds: [root, 'unknown'], folder: 'x' })).failed).toEqual([
      { id: root, message: 'The root folder cannot be copied' },
      { id: 'unknown', message: 'Folder not found' },
    ])
  })
})

test('the route validates its body and asks for the scopes to read and to write', async () => {
  const file = await api.upload('scoped.txt', 'x')
  const both = await copy({ fileIds: [file.id], folderIds: [], folder: 'beside an empty list' })
  expect(both).toMatchObject({ copied: [{ key: `beside an empty list/${file.name}` }], failed: [] })
  expect(await api.refusal('POST', '/files/copy', { fileIds: [], folderIds: [], folder: 'x' })).toEqual([
    400,
    '"fileIds" or "folderIds" is required',
  ])
  const refused = await api.refusal('POST', '/files/copy', { folder: 'x' })
  expect(refused).toEqual([400, '"fileIds" or "folderIds" is required'])
  const told = await api.refusal('POST', '/files/copy', { fileIds: [file.id] })
  expect(told).toEqual([400, '"folderId" or "folder" is required'])
  expect((await api.refusal('POST', '/files/copy', { fileIds: ['unknown'], folder: 'x' }))[0]).toBe(404)
  for (const scope of ['files:read', 'files:write']) {
    const withKey = await holdfast.byKey(scope, 'files:delete')
    expect((await withKey.refusal('POST', '/files/copy', { fileIds: [file.id], folder: 'x' }))[0]).toBe(403)
  }
})

import { describe, expect, test } from 'bun:test'
import type { FileChecksum, FolderSize } from '../../src/client/types.ts'
import type { FolderView } from '../support/api.ts'
import { rounds } from '../support/eventually.ts'
import { startWithAccount, withHoldfast } from '../support/fixture.ts'
import { expectNoIntents } from '../support/intents.ts'
import { KIND } from '../support/kind.ts'
import { storedIn } from '../support/stored.ts'

const holdfast = withHoldfast()
const { api } = holdfast

const change = async (body: unknown) =>
  (await api.data<{ folder: FolderView }>('PUT', '/folders', body)).folder
const move = async (body: unknown) =>
  (await api.data<{ folder: FolderView }>('POST', '/folders/move', body)).folder
const folderAt = async (key: string) =>
  (await api.browse({ key: key.split('/').slice(0, -1).join('/') })).folders.find(
    (folder) => folder.key === key,
  )
async function requireFolder(key: string): Promise<FolderView> {
  const folder = await folderAt(key)
  if (!folder) throw new Error(`There is no folder ${key}`)
  return folder
}
const below = async (key: string) =>
  (await storedIn(holdfast).keys()).filter((path) => path === key || path.startsWith(`${key}/`))
const noIntents = () => expectNoIntents(holdfast)
const lastActivity = () => holdfast.catalog.activities.newest(holdfast.userId, 1)[0]

describe('GET /api/folders/totals', () => {
  test('counts the files and folders below a folder and the bytes of the files', async () => {
    await api.upload('one.txt', 'four', 'counted')
    await api.upload('two.txt', 'seven!!', 'counted/below')
    await api.createFolder('counted/below/empty')

    expect(await api.data<object>('GET', '/folders/totals?key=counted')).toEqual({
      files: 2,
      folders: 2,
      size: 11,
    })
    expect(await api.refusal('GET', '/folders/totals?key=nowhere')).toEqual([404, 'Folder not found'])
  })
})

describe('GET /api/folders/sizes', () => {
  /** Returns the sizes of the folders in `sized`, and those that its files add up to. */
  const sizes = async () => {
    const { folders } = await api.data<{ folders: FolderSize[] }>('GET', '/folders/sizes?key=sized')
    const { files } = await api.data<{ files: FileChecksum[] }>('GET', '/folders/checksums?key=sized')
    const counted = folders.map(({ name }) => {
      const below = files.filter(({ key }) => key.startsWith(`sized/${name}/`))
      return [name, below.length, below.reduce((sum, { size }) => sum + size, 0)]
    })
    expect(folders.map(({ name, files, size }) => [name, files, size])).toEqual(counted)
    return folders.map(({ name, files, folders, size }) => `${name}: ${files} in ${folders}, ${size}`)
  }

  test('counts what is below each folder after every change', async () => {
    const { id } = await api.upload('one.txt', 'four', 'sized/a')
    await api.upload('two.txt', 'seven!!', 'sized/a/below')
    await api.upload('three.txt', '', 'sized/b')
    await api.createFolder('sized/c')
    expect(await sizes()).toEqual(['a: 2 in 1, 11', 'b: 1 in 0, 0', 'c: 0 in 0, 0'])

    await api.send('PUT', `/files/content?id=${id}`, 'longer')
    await api.data('POST', '/files/move', { id, folder: 'sized/c' })
    expect(await sizes()).toEqual(['a: 1 in 1, 7', 'b: 1 in 0, 0', 'c: 1 in 0, 8'])

    await move({ id: (await requireFolder('sized/a/below')).id, folder: 'sized/b' })
    await api.data('DELETE', '/files', { id })
    expect(await sizes()).toEqual(['a: 0 in 0, 0', 'b: 2 in 1, 7', 'c: 0 in 0, 0'])

    const { id: trashed } = await requireFolder('sized/b')
    await api.data('POST', '/trash', { folderIds: [trashed] })
    expect(await sizes()).toEqual(['a: 0 in 0, 0', 'c: 0 in 0, 0'])
    await api.data('POST', '/trash/restore', { ids: [trashed] })
    await api.data('POST', '/files/copy', { folderIds: [trashed], folder: 'sized/a' })
    expect(await sizes()).toEqual(['a: 2 in 2, 7', 'b: 2 in 1, 7', 'c: 0 in 0, 0'])
  })

  test('lists more folders than one time slice', async () => {
    const names = Array.from({ length: 230 }, (_, n) => `f${String(n).padStart(3, '0')}`)
    for (const name of names) await api.createFolder(`wide/${name}/inner`)

    const { folders } = await api.data<{ folders: FolderSize[] }>('GET', '/folders/sizes?key=wide')

    expect(folders.map(({ name, folders }) => [name, folders])).toEqual(names.map((name) => [name, 1]))
    expect(await api.data<object>('GET', '/folders/totals?key=wide')).toEqual({
      files: 0,
      folders: 460,
      size: 0,
    })
  })
})

describe('GET /api/folders', () => {
  test('answers with the files and folders directly in a folder, by id, key or path, and with the root', async () => {
    await api.upload('b.txt', 'b', 'browse')
    await api.upload('a.txt', 'a', 'browse')
    await api.upload('deep.txt', 'd', 'browse/sub.dir')
    const folder = await requireFolder('browse')

    const browsed = await api.browse({ key: 'browse', orderBy: 'name', orderDirection: 'ASC' })

    expect(browsed.files.map(({ key }) => key)).toEqual(['browse/a.txt', 'browse/b.txt'])
    expect(browsed.folders).toEqual([
      {
        id: expect.any(String),
        name: 'sub.dir',
        key: 'browse/sub.dir',
        parentId: folder.id,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        updatedAt: expect.any(String),
      },
    ])
    const same = { orderBy: 'name', orderDirection: 'ASC' }
    expect(await api.browse({ id: folder.id, ...same })).toEqual(browsed)
    expect(await api.browse({ path: '//browse/', ...same })).toEqual(browsed)
    expect(
      (await api.browse({ key: 'browse', ...same, limit: 1, offset: 1 })).files.map(({ name }) => name),
    ).toEqual(['b.txt'])
    expect((await api.browse()).folders).toContainEqual(folder)
    expect(await api.browse({ key: '' })).toEqual(await api.browse())
  })

  test.each(['id=nope', 'key=nope', 'path=nope', 'key=..', 'key=browse/a.txt', 'key=a%00b'])(
    'answers 404 to %s',
    async (query) => {
      expect(await api.refusal('GET', `/folders?${query}`)).toEqual([404, 'Folder not found'])
    },
  )
})

describe('POST /api/folders', () => {
  test('creates a folder with those above it', async () => {
    const folder = await api.createFolder('/made//by.dots/höre/')

    expect(folder).toMatchObject({ name: 'höre', key: 'made/by.dots/höre' })
    expect((await requireFolder('made/by.dots')).id).toBe(folder.parentId ?? '')
    expect(await below('made')).toEqual(['made', 'made/by.dots', 'made/by.dots/höre'])
    await noIntents()
  })

  test('accepts any number of brackets and quotes in a name', async () => {
    const name = '[{"'.repeat(41)

    expect(await api.createFolder(name)).toMatchObject({ name })
  })

  test('refuses the root folder, which exists, with 409', async () => {
    const refused = await api.refusal('POST', '/folders', { folder: '' })
    expect(refused).toEqual([409, 'The root folder exists already: send the path of the folder to create'])
  })

  test('refuses a folder that exists, or a file at its name, with 409', async () => {
    await api.upload('file', 'x', 'exists')

    for (const folder of ['exists', 'exists/file', 'exists/file/below'])
      expect((await api.refusal('POST', '/folders', { folder }))[0]).toBe(409)
  })

  test.each<[object, string]>([
    [{}, '"folder" is required'],
    [{ folder: 'a/../b' }, '"." or ".."'],
    [{ folder: '.' }, '"." or ".."'],
    [{ folder: 'a\\b' }, 'must not contain'],
    [{ folder: 'a\0b' }, 'control characters'],
    [{ folder: 'x'.repeat(256) }, '255 bytes'],
    [{ folder: 'd/'.repeat(2001) }, '4000 bytes'],
    [{ folder: 7 }, '"folder" must be of type string'],
  ])('refuses %j', async (body, message) => {
    expect(await api.refusal('POST', '/folders', body)).toEqual([400, expect.stringContaining(message)])
  })

  test('makes and deletes a folder a thousand deep', async () => {
    const key = Array(1000).fill('d').join('/')
    await api.createFolder(`abyss/${key}`)
    const file = await api.upload('pearl', 'shine', `abyss/${key}`)

    expect(await api.hosted(file.key)).toBe('shine')
    await api.data('DELETE', '/folders', { id: (await requireFolder('abyss')).id })
    expect(await below('abyss')).toEqual([])
  })

  test('of twenty requests for one folder lets one make it', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => await api.status('POST', '/folders', { folder: 'race/made' })),
    )

    expect(statuses.sort()).toEqual([200, ...Array(19).fill(409)])
  })
})

describe('PUT /api/folders', () => {
  test('renames a folder: every key below changes, those beside it do not, and old links end', async () => {
    for (const folder of ['old', 'old/deep/er', 'olds', 'old x']) await api.upload('f.txt', folder, folder)
    const { id } = await requireFolder('old')
    const file = (await api.browse({ key: 'old' })).files[0]
    const { url } = await api.sign(file?.id ?? '')

    expect(await change({ id, name: 'new.name' })).toMatchObject({ id, name: 'new.name', key: 'new.name' })
    expect(await api.hosted('new.name/f.txt')).toBe('old')
    expect(await api.hosted('new.name/deep/er/f.txt')).toBe('old/deep/er')
    expect(await api.hosted('olds/f.txt')).toBe('olds')
    expect(await api.hosted('old x/f.txt')).toBe('old x')
    expect(await api.hosted('old/f.txt')).toBe(404)
    expect((await holdfast.fetch(`/${url}`)).status).toBe(404)
    expect(await below('old')).toEqual([])
    await noIntents()
  })

  test('applies a visibility to every file in it and below, and nowhere else', async () => {
    for (const folder of ['vis', 'vis/a/b', 'visible']) await api.upload('f.txt', 'x', folder)
    const { id } = await requireFolder('vis')

    await change({ id, visibility: 'private' })
    expect(await Promise.all(['vis/f.txt', 'vis/a/b/f.txt', 'visible/f.txt'].map(api.hosted))).toEqual([
      404,
      404,
      'x',
    ])
    await change({ id, visibility: 'public' })
    expect(await Promise.all(['vis/f.txt', 'vis/a/b/f.txt'].map(api.hosted))).toEqual(['x', 'x'])
  })

  test('applies a visibility during uploads, and misses none of them', async () => {
    const { id } = await api.createFolder('busy')
    await api.upload('before', 'x', 'busy')

    const uploads = Array.from({ length: 20 }, (_, index) => api.upload(`during-${index}`, 'x', 'busy'))
    await Promise.all([change({ id, visibility: 'private' }), ...uploads])

    const { files } = await api.browse({ id })
    expect(files).toHaveLength(21)
    expect(files.find(({ name }) => name === 'before')?.visibility).toBe('private')
    expect(await api.hosted('busy/before')).toBe(404)
  })

  test('applies a visibility to the root, and leaves later uploads to the default', async () => {
    await using other = await startWithAccount()
    await other.api.upload('a', 'x')
    await other.api.upload('b', 'x', 'deep/er')
    const root = await other.api.data<{ folder: FolderView }>('PUT', '/folders', {
      id: other.catalog.folders.root(),
      visibility: 'private',
    })

    expect(root.folder).toMatchObject({ name: 'files', key: '', parentId: null })
    expect((await other.api.list()).map(({ visibility }) => visibility)).toEqual(['private', 'private'])
    expect((await other.api.upload('later', 'x')).visibility).toBe('public')
  })

  test('refuses to rename the root, and names that are taken or none', async () => {
    const { id } = await api.createFolder('names/one')
    await api.createFolder('names/two')
    await api.upload('three', 'x', 'names')
    const root = holdfast.catalog.folders.root()

    const refused = await api.refusal('PUT', '/folders', { id: root, name: 'x' })
    expect(refused).toEqual([400, 'The root folder cannot be renamed'])
    expect((await api.refusal('PUT', '/folders', { id, name: 'two' }))[0]).toBe(409)
    expect((await api.refusal('PUT', '/folders', { id, name: 'three' }))[0]).toBe(409)
    expect((await api.refusal('PUT', '/folders', { id, name: 'a/b' }))[0]).toBe(400)
    expect((await api.refusal('PUT', '/folders', { id }))[0]).toBe(400)
    expect((await api.refusal('PUT', '/folders', { id: 'nope', name: 'x' }))[0]).toBe(404)
    expect(await change({ id, name: 'one' })).toMatchObject({ key: 'names/one' })
  })
})

describe('POST /api/folders/move', () => {
  test('moves a folder with all that is in it, by key and by id', async () => {
    await api.upload('f.txt', 'moved', 'm/inner/deep')
    const { id } = await requireFolder('m/inner')

    expect(await move({ id, folder: 'elsewhere/new' })).toMatchObject({ id, key: 'elsewhere/new/inner' })
    expect(await api.hosted('elsewhere/new/inner/deep/f.txt')).toBe('moved')
    expect(await api.hosted('m/inner/deep/f.txt')).toBe(404)
    expect(await move({ id, folderId: (await requireFolder('m')).id })).toMatchObject({ key: 'm/inner' })
    expect(await move({ id, folder: '' })).toMatchObject({ key: 'inner' })
    expect(await move({ id, folder: '' })).toMatchObject({ key: 'inner' })
    await noIntents()
  })

  test.each<[string, (id: string) => object, number, string]>([
    ['no destination', (id) => ({ id }), 400, 'is required'],
    ['no id', () => ({ folder: '' }), 400, '"id" is required'],
    ['itself', (id) => ({ id, folderId: id }), 400, 'into itself'],
    ['its own child by key', (id) => ({ id, folder: 'self/child' }), 400, 'into itself'],
    ['a new folder inside itself', (id) => ({ id, folder: 'self/not/made' }), 400, 'into itself'],
    ['a folder that does not exist', (id) => ({ id, folderId: 'nope' }), 404, 'Folder not found'],
    ['a file', (id) => ({ id, folder: 'self-file/x' }), 409, 'in the place of a folder'],
    ['a folder that has one of its name', (id) => ({ id, folder: 'self-other' }), 409, '"self"'],
  ])('refuses %s', async (_, body, status, message) => {
    await api.send('POST', '/folders', { folder: 'self/child' })
    await api.send('POST', '/folders', { folder: 'self-other/self' })
    await api.upload('self-file', 'x').catch(() => {})
    const { id } = await requireFolder('self')

    const refused = await api.refusal('POST', '/folders/move', body(id))
    expect(refused).toEqual([status, expect.stringContaining(message)])
    expect(await below('self')).toEqual(['self', 'self/child'])
  })

  test('refuses to move the root, and what does not exist', async () => {
    const root = holdfast.catalog.folders.root()

    const refused = await api.refusal('POST', '/folders/move', { id: root, folder: 'x' })
    expect(refused).toEqual([400, 'The root folder cannot be moved'])
    expect((await api.refusal('POST', '/folders/move', { id: 'nope', folder: '' }))[0]).toBe(404)
  })
})

describe('DELETE /api/folders', () => {
  test('deletes everything below permanently and records it', async () => {
    for (const folder of ['gone', 'gone/a/b', 'gone/c']) await api.upload('f.txt', 'x', folder)
    await api.upload('kept.txt', 'x', 'gone2')
    const { id } = await requireFolder('gone')

    expect(await api.data<null>('DELETE', '/folders', { id })).toBeNull()

    expect(await below('gone')).toEqual([])
    expect((await api.list()).filter(({ key }) => key.startsWith('gone/'))).toEqual([])
    expect(await api.hosted('gone/a/b/f.txt')).toBe(404)
    expect(await api.hosted('gone2/kept.txt')).toBe('x')
    expect((await api.refusal('GET', `/folders?id=${id}`))[0]).toBe(404)
    expect(lastActivity()).toMatchObject({ type: 'folder.deleted', target: 'gone', detail: null })
    expect(await api.createFolder('gone')).toMatchObject({ key: 'gone' })
    await noIntents()
  })

  test('deletes a folder that has one of its own name in it, and records its name', async () => {
    await api.upload('f.txt', 'x', 'same/same/same')
    await api.upload('same', 'x', 'same/same/same')
    const { id } = await requireFolder('same')

    expect(await api.data<null>('DELETE', '/folders', { id })).toBeNull()

    expect(await below('same')).toEqual([])
    expect(lastActivity()).toMatchObject({ type: 'folder.deleted', target: 'same', detail: null })
    expect(await api.refusal('DELETE', '/folders', { id })).toEqual([404, 'Folder not found'])
    expect(lastActivity()).toMatchObject({ type: 'folder.delete-failed', target: null })
    expect(await api.createFolder('same/same')).toMatchObject({ key: 'same/same' })
    await noIntents()
  })

  test('of several deletes of one folder at once lets one succeed', async () => {
    await api.upload('f.txt', 'x', 'twice/twice')
    const { id } = await requireFolder('twice')

    const statuses = await Promise.all(
      Array.from({ length: 5 }, async () => await api.status('DELETE', '/folders', { id })),
    )

    expect(statuses.sort()).toEqual([200, 404, 404, 404, 404])
    const failed = holdfast.catalog.activities
      .newest(holdfast.userId, 5)
      .filter(({ type }) => type === 'folder.delete-failed')
    expect(failed.map(({ target }) => target)).toEqual([null, null, null, null])
    expect(await below('twice')).toEqual([])
  })

  test('together with a folder in it that is just being deleted leaves nothing of either', async () => {
    for (let round = 0; round < 5; round += 1) {
      await api.upload('f.txt', 'x', 'outer/inner')
      const [inner, outer] = [await requireFolder('outer/inner'), await requireFolder('outer')]

      const deletes = [inner, outer].map(({ id }) => api.send('DELETE', '/folders', { id }))
      const statuses = (await Promise.all(deletes)).map(({ status }) => status)

      // Requests to two servers have no order: the outer folder may be gone before the inner one is looked for.
      const [innerStatus, outerStatus] = statuses
      expect([200, ...(KIND === 'scale' ? [404] : [])]).toContain(innerStatus ?? 0)
      expect(outerStatus).toBe(200)
      expect(await below('outer')).toEqual([])
      await noIntents()
    }
    expect(await api.createFolder('outer/inner')).toMatchObject({ key: 'outer/inner' })
  })

  test('refuses the root and what does not exist, and records that', async () => {
    const refused = await api.refusal('DELETE', '/folders', { id: holdfast.catalog.folders.root() })
    expect(refused).toEqual([400, 'The root folder cannot be deleted'])
    expect(lastActivity()).toMatchObject({
      type: 'folder.delete-failed',
      target: 'files',
      detail: 'The root folder cannot be deleted',
    })
    expect(await api.refusal('DELETE', '/folders', { id: 'nope' })).toEqual([404, 'Folder not found'])
  })

  test('while uploads go into it leaves a tree and a disk that agree', async () => {
    await api.createFolder('busy/in')
    const { id } = await requireFolder('busy')
    const uploads = Array.from({ length: 30 }, async (_, n) => {
      return (await holdfast.sendUpload({ [`f${n}`]: `${n}` }, { folder: 'busy/in' })).status
    })
    const deleted = rounds(3).then(() => api.status('DELETE', '/folders', { id }))

    const statuses = await Promise.all([...uploads, deleted])

    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true)
    const stored = (await api.list()).map(({ key }) => key).filter((key) => key.startsWith('busy/'))
    expect((await below('busy')).filter((path) => /\/f\d+$/.test(path))).toEqual(stored.sort())
    expect(await Promise.all(stored.map(api.hosted))).toEqual(
      stored.map((key) => key.slice('busy/in/f'.length)),
    )
  })
})

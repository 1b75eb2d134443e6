import { describe, expect, test } from 'bun:test'
import type { Failure } from '../support/api.ts'
import { withHoldfast } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { storedIn } from '../support/stored.ts'

const holdfast = withHoldfast({ environment: { MAX_MOVE_BATCH: '3', MAX_DELETE_BATCH: '3' } })
const { api } = holdfast

let names = 0
const newFile = (folder = '', content = 'content') => api.upload(`file${names++}.txt`, content, folder)
const change = async (body: unknown) => (await api.data<{ file: FileView }>('PUT', '/files', body)).file
const move = async (body: unknown) => (await api.data<{ file: FileView }>('POST', '/files/move', body)).file
const lastActivity = () => holdfast.catalog.activities.newest(holdfast.userId, 1)[0]
const noIntents = () => expectNoIntents(holdfast)

describe('PUT /api/files', () => {
  test('renames a file: key, url and media type change, id and bytes stay, old links end', async () => {
    const file = await newFile('rename', 'hello')
    const { url: link } = await api.sign(file.id)

    const renamed = await change({ id: file.id, name: 'other name.html' })

    expect(renamed).toEqual({
      ...file,
      name: 'other name.html',
      key: 'rename/other name.html',
      mimeType: 'text/html',
      url: 'api/hosting/rename/other%20name.html',
      updatedAt: renamed.updatedAt,
    })
    expect(await api.hosted(renamed.key)).toBe('hello')
    expect(await api.hosted(file.key)).toBe(404)
    expect((await holdfast.fetch(`/${link}`)).status).toBe(404)
    expect(await storedIn(holdfast).keys()).not.toContain(file.key)
    await noIntents()
  })

  test('ignores columns that are not for clients to change', async () => {
    const file = await newFile()
    const other = await api.createFolder('elsewhere')

    const changed = await change({
      id: file.id,
      visibility: 'private',
      folderId: other.id,
      size: 1,
      sha256: 'x',
      mimeType: 'text/html',
      createdAt: 0,
    })

    expect(changed).toEqual({ ...file, visibility: 'private', updatedAt: changed.updatedAt })
    const [row] = await holdfast.catalog.files.byIds([file.id])
    expect(row).toMatchObject({ folderId: file.folderId, size: file.size, mimeType: file.mimeType })
  })

  test('changes visibility without touching bytes or key; signed links keep working', async () => {
    const file = await newFile()

    expect(await change({ id: file.id, visibility: 'private' })).toMatchObject({
      visibility: 'private',
      key: file.key,
    })
    expect(await api.hosted(file.key)).toBe(404)
    const { url } = await api.sign(file.id)
    expect((await holdfast.fetch(`/${url}`)).status).toBe(200)
    await change({ id: file.id, visibility: 'public' })
    expect(await api.hosted(file.key)).toBe('content')
    expect((await holdfast.fetch(`/${url}`)).status).toBe(200)
  })

  test('does both at once, and renaming to the same name still applies the visibility', async () => {
    const file = await newFile()

    expect(await change({ id: file.id, name: 'both.txt', visibility: 'private' })).toMatchObject({
      name: 'both.txt',
      visibility: 'private',
    })
    expect(await change({ id: file.id, name: 'both.txt', visibility: 'public' })).toMatchObject({
      name: 'both.txt',
      visibility: 'public',
    })
  })

  test('renames and changes a file whose bytes are gone', async () => {
    const file = await newFile()
    await storedIn(holdfast).lose(file)

    expect(await change({ id: file.id, name: 'ghost.txt', visibility: 'private' })).toMatchObject({
      key: 'ghost.txt',
    })
    expect((await api.send('GET', `/files/download/${file.id}`)).status).toBe(404)
    await noIntents()
  })

  test.each<[string, object, string]>([
    ['nothing to change', {}, '"name" or "visibility" is required'],
    ['a slash', { name: 'a/b' }, '"name" must not contain'],
    ['a backslash', { name: 'a\\b' }, '"name" must not contain'],
    ['..', { name: '..' }, '"name" must not be "." or ".."'],
    ['an empty name', { name: '' }, '"name" must not be empty'],
    ['256 bytes', { name: 'x'.repeat(256) }, 'at most 255 bytes'],
    ['a lone surrogate', { name: 'a\ud800' }, 'well-formed'],
    ['a line break', { name: 'a\nb' }, 'control characters'],
    ['a control character of Unicode', { name: 'a\u0085b' }, 'control characters'],
    ['null', { name: null }, '"name" must be of type string'],
    ['an unknown visibility', { visibility: 'hidden' }, '"visibility" must be one of "public", "private"'],
  ])('refuses %s with 400', async (_, changes, message) => {
    const { id, key } = await newFile()

    const [status, told] = await api.refusal('PUT', '/files', { id, ...changes })

    expect(status).toBe(400)
    expect(told).toContain(message)
    expect((await api.file(id)).key).toBe(key)
  })

  test('refuses a name that is taken by a file or a folder with 409', async () => {
    const [file, other] = [await newFile('taken'), await newFile('taken')]
    await api.createFolder('taken/folder')

    for (const name of [other.name, 'folder']) {
      const refused = await api.refusal('PUT', '/files', { id: file.id, name })
      expect(refused).toEqual([409, expect.stringContaining(`"${name}"`)])
    }
    expect(await api.hosted(file.key)).toBe('content')
    expect(await api.refusal('PUT', '/files', { id: 'nope', name: 'x' })).toEqual([404, 'File not found'])
    await noIntents()
  })

  test('of twenty renames to one name at once lets one win', async () => {
    const files = await Promise.all(Array.from({ length: 20 }, () => newFile('race')))

    const statuses = await Promise.all(
      files.map(async ({ id }) => (await api.send('PUT', '/files', { id, name: 'winner' })).status),
    )

    expect(statuses.sort()).toEqual([200, ...Array(19).fill(409)])
    expect((await storedIn(holdfast).keys()).filter((path) => path.startsWith('race/'))).toHaveLength(20)
  })
})

describe('POST /api/files/move', () => {
  test('moves a file to a folder by key, which it makes, and by id', async () => {
    const file = await newFile('from')

    const moved = await move({ id: file.id, folder: '/to//new/' })
    expect(moved).toEqual({
      ...file,
      key: `to/new/${file.name}`,
      url: `api/hosting/to/new/${file.name}`,
      folderId: moved.folderId,
      updatedAt: moved.updatedAt,
    })
    expect(await api.hosted(moved.key)).toBe('content')
    expect(await api.hosted(file.key)).toBe(404)
    expect(await move({ id: file.id, folderId: file.folderId })).toMatchObject({ key: file.key })
    expect(await move({ id: file.id, folder: '' })).toMatchObject({ key: file.name })
    await noIntents()
  })

  test('into its own folder succeeds without a change', async () => {
    const file = await newFile('stay')

    expect(await move({ id: file.id, folder: 'stay' })).toEqual(file)
    expect(await move({ id: file.id, folderId: file.folderId })).toEqual(file)
  })

  test.each<[string, object, number, string]>([
    ['no id', { folder: 'x' }, 400, '"id" or "ids" is required'],
    ['no destination', { id: 'x' }, 400, '"folderId" or "folder" is required'],
    ['an empty list', { ids: [], folder: 'x' }, 400, '"ids" must not be empty'],
    ['too many ids', { ids: ['1', '2', '3', '4'], folder: 'x' }, 400, 'at most 3'],
    ['a number among the ids', { ids: [1], folder: 'x' }, 400, '"ids.0" must be of type string'],
    ['a folder that climbs', { id: 'x', folder: '../up' }, 400, 'folder name'],
    ['an unknown file', { id: 'nope', folder: 'never-made' }, 404, 'File not found'],
    ['only unknown files', { ids: ['nope', 'no'], folder: 'never-made' }, 404, 'File not found'],
  ])('refuses %s', async (_, body, status, message) => {
    expect(await api.refusal('POST', '/files/move', body)).toEqual([status, expect.stringContaining(message)])
    expect(await storedIn(holdfast).keys()).not.toContain('never-made')
  })

  test('refuses an unknown folder id for one and for many', async () => {
    const { id } = await newFile()

    const refused = await api.refusal('POST', '/files/move', { id, folderId: 'nope' })
    expect(refused).toEqual([404, 'Folder not found'])
    const told = await api.refusal('POST', '/files/move', { ids: [id], folderId: 'nope' })
    expect(told).toEqual([404, 'Folder not found'])
  })

  test('refuses a name that is taken there, and leaves the file where it was', async () => {
    const file = await newFile('src')
    await api.upload(file.name, 'other', 'dst')

    const refused = await api.refusal('POST', '/files/move', { id: file.id, folder: 'dst' })
    expect(refused).toEqual([409, expect.stringContaining(file.name)])
    expect(await api.hosted(file.key)).toBe('content')
    expect(await api.hosted(`dst/${file.name}`)).toBe('other')
  })

  test('moves a batch one by one: duplicates collapse, failures are listed by id', async () => {
    const [one, two] = [await newFile('batch'), await newFile('batch')]
    await api.upload(two.name, 'there', 'batch-to')

    const body = { ids: [one.id, one.id, two.id, 'nope', one.id], folder: 'batch-to' }
    const { files, failed } = await api.data<{ files: FileView[]; failed: Failure[] }>(
      'POST',
      '/files/move',
      body,
    )

    expect(files.map(({ key }) => key)).toEqual([`batch-to/${one.name}`])
    expect(failed).toEqual([
      { id: two.id, message: expect.stringContaining('exists in this folder already') },
      { id: 'nope', message: 'File not found' },
    ])
    expect(await api.hosted(two.key)).toBe('content')
  })
})

describe('DELETE /api/files', () => {
  test('deletes a batch one by one, with one entry for each outcome', async () => {
    const [one, two] = [await newFile(), await newFile()]

    expect(await api.data('DELETE', '/files', { ids: [one.id, 'nope', two.id, one.id] })).toEqual({
      deleted: [one.id, two.id],
      failed: [{ id: 'nope', message: 'File not found' }],
    })
    const entries = holdfast.catalog.activities.newest(holdfast.userId, 2)
    expect(entries.map(({ type, target, detail }) => [type, target, detail])).toEqual([
      ['file.delete-failed', null, 'File not found'],
      ['file.deleted', '2 files', `${one.name}, ${two.name}`],
    ])
  })

  test.each<[string, object, number, string]>([
    ['an empty list', { ids: [] }, 400, '"ids" must not be empty'],
    ['too many ids', { ids: ['1', '2', '3', '4'] }, 400, 'at most 3'],
    ['only unknown ids', { ids: ['nope', 'no'] }, 404, 'File not found'],
    ['neither id nor ids', {}, 400, '"id" or "ids" is required'],
  ])('refuses %s', async (_, body, status, message) => {
    expect(await api.refusal('DELETE', '/files', body)).toEqual([status, expect.stringContaining(message)])
  })
})

describe('PUT /api/files/visibility', () => {
  const setVisibility = (body: unknown) =>
    api.data<{ files: FileView[]; failed: Failure[] }>('PUT', '/files/visibility', body)

  test('changes several files in one request and names the ids that do not exist', async () => {
    const [first, second] = [await newFile('bulk', 'first'), await newFile('bulk', 'second')]

    const { files, failed } = await setVisibility({
      ids: [first.id, 'missing', second.id, first.id],
      visibility: 'private',
    })

    expect(files.map(({ id, key, visibility }) => [id, key, visibility]).toSorted()).toEqual(
      [first, second].map(({ id, key }) => [id, key, 'private']).toSorted(),
    )
    expect(failed).toEqual([{ id: 'missing', message: 'File not found' }])
    expect([await api.hosted(first.key), await api.hosted(second.key)]).toEqual([404, 404])
  })

  test('leaves the time of a file that has the visibility already', async () => {
    const file = await newFile()
    await setVisibility({ ids: [file.id], visibility: 'private' })
    const { updatedAt } = holdfast.catalog.files.byId(file.id) ?? {}

    await setVisibility({ ids: [file.id], visibility: 'private' })

    expect(holdfast.catalog.files.byId(file.id)?.updatedAt).toBe(updatedAt ?? 0)
  })

  test.each<[unknown, number, string]>([
    [{ visibility: 'private' }, 400, '"ids" is required'],
    [{ ids: [], visibility: 'private' }, 400, '"ids" must not be empty'],
    [{ ids: ['a'] }, 400, '"visibility" is required'],
    [{ ids: ['a'], visibility: 'secret' }, 400, '"visibility" must be one of "public", "private"'],
    [{ ids: ['a', 'b', 'c', 'd'], visibility: 'private' }, 400, '"ids" must have at most 3 ids'],
    [{ ids: ['a', 'b'], visibility: 'private' }, 404, 'File not found'],
  ])('refuses %j with %i', async (body, status, message) => {
    expect(await api.refusal('PUT', '/files/visibility', body)).toEqual([status, message])
  })
})

describe('GET /api/files/sign', () => {
  test('returns the default and the maximum lifetime of links in seconds', async () => {
    expect(await api.data<object>('GET', '/files/sign')).toEqual({
      defaultExpiresIn: 3600,
      maxExpiresIn: 604_800,
    })
  })
})

describe('POST /api/files/canceled', () => {
  test.each<[string[], string, string | null]>([
    [['a.txt'], 'a.txt', 'Canceled before it started'],
    [['a', 'b'], '2 files', 'a, b'],
    [['a', 'b', 'c', 'd', 'e'], '5 files', 'a, b, c and 2 more'],
  ])('records %j', async (given, target, detail) => {
    expect(await api.data<null>('POST', '/files/canceled', { names: given })).toBeNull()
    expect(lastActivity()).toMatchObject({ type: 'upload.canceled', target, detail })
  })

  test.each([
    [{}, '"names" is required'],
    [{ names: [] }, '"names" must not be empty'],
    [{ names: [1] }, '"names.0" must be of type string'],
    [{ names: ['a', ''] }, 'Each of "names" must not be empty'],
    [{ names: ['a\nb'] }, 'Each of "names" must not contain "/", "\\" or control characters'],
    [{ names: ['a\u009bb'] }, 'Each of "names" must not contain "/", "\\" or control characters'],
    [{ names: ['\ud800'] }, 'Each of "names" must be well-formed Unicode'],
    [{ names: ['ä'.repeat(128)] }, 'Each of "names" must have at most 255 bytes'],
  ])('refuses %j', async (body, message) => {
    const before = lastActivity()
    expect(await api.refusal('POST', '/files/canceled', body)).toEqual([400, message])
    expect(lastActivity()).toEqual(before)
  })
})

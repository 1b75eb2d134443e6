import { describe, expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import { type FileView, filesUnder, messageOf } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { buildArchive } from '../zip/build-archive.ts'

const holdfast = withHoldfast()
const { api } = holdfast

let folders = 0
const newFolder = () => `folder${folders++}`

const send = (
  folder: string,
  onConflict: string | undefined,
  files: Record<string, string>,
  visibility?: string,
) => holdfast.sendUpload(files, { folder, onConflict, visibility })

async function store(folder: string, onConflict: string, files: Record<string, string>, visibility?: string) {
  const response = await send(folder, onConflict, files, visibility)
  expect(response.status).toBe(200)
  return ((await response.json()) as { data: { files: FileView[]; skipped?: string[] } }).data
}

/** Contents of the files in a folder by their names. */
async function contentsOf(folder: string): Promise<Record<string, string | number>> {
  const { files } = await api.browse({ key: folder })
  const contents = await Promise.all(files.map(({ key }) => api.hosted(key)))
  return Object.fromEntries(files.map(({ name }, index) => [name, contents[index] ?? '']))
}

describe('an upload with onConflict', () => {
  test('"fail", the default, refuses all files when one name is taken', async () => {
    const folder = newFolder()
    await api.upload('a.txt', 'old', folder)
    for (const onConflict of [undefined, 'fail'])
      expect((await send(folder, onConflict, { 'a.txt': 'new', 'b.txt': 'new' })).status).toBe(409)
    expect(await contentsOf(folder)).toEqual({ 'a.txt': 'old' })
  })

  test('"replace" replaces taken ones, which keep their ids, and adds the others', async () => {
    const folder = newFolder()
    const old = await api.upload('a.txt', 'old', folder)
    const { files, skipped } = await store(folder, 'replace', { 'new.txt': 'added', 'a.txt': 'replaced' })
    expect(files.map(({ name }) => name)).toEqual(['new.txt', 'a.txt'])
    expect(files[1]).toMatchObject({ id: old.id, size: 8 })
    expect(skipped).toBeUndefined()
    expect(await contentsOf(folder)).toEqual({ 'a.txt': 'replaced', 'new.txt': 'added' })
    const { versions } = await api.data<{ versions: object[] }>('GET', `/files/versions?id=${old.id}`)
    expect(versions).toHaveLength(1)
    await expectNoIntents(holdfast)
  })

  test('"replace" gives replaced files the visibility that is sent, and leaves theirs otherwise', async () => {
    const folder = newFolder()
    const { key } = await api.upload('a.txt', 'old', folder)
    expect(await api.hosted(key)).toBe('old')
    expect(await api.hosted(key)).toBe('old')

    const [hidden] = (await store(folder, 'replace', { 'a.txt': 'secret' }, 'private')).files
    expect(hidden).toMatchObject({ visibility: 'private', size: 6 })
    expect(await api.hosted(key)).toBe(404)

    expect((await store(folder, 'replace', { 'a.txt': 'secret, too' })).files[0]?.visibility).toBe('private')
    expect(await api.hosted(key)).toBe(404)

    expect((await store(folder, 'replace', { 'a.txt': 'shown' }, 'public')).files[0]?.visibility).toBe(
      'public',
    )
    expect(await api.hosted(key)).toBe('shown')
    expect((await store(folder, 'replace', { 'a.txt': 'still' })).files[0]?.visibility).toBe('public')
  })

  test('"rename" numbers taken ones', async () => {
    const folder = newFolder()
    await api.upload('a.txt', 'old', folder)
    await api.upload('a (2).txt', 'old, too', folder)
    await api.upload('b', 'old', folder)
    const sent = { 'a.txt': 'new', 'a (3).txt': 'sent with this name', b: 'new', c: 'free' }
    const { files } = await store(folder, 'rename', sent)
    expect(files.map(({ name }) => name)).toEqual(['a (4).txt', 'a (3).txt', 'b (2)', 'c'])
    expect(await contentsOf(folder)).toEqual({
      'a.txt': 'old',
      'a (2).txt': 'old, too',
      'a (3).txt': 'sent with this name',
      'a (4).txt': 'new',
      b: 'old',
      'b (2)': 'new',
      c: 'free',
    })
  })

  test.each([
    ['rename', { 'a.txt': 'one', 'a (2).txt': 'two', 'a (3).txt': 'three' }, undefined],
    ['skip', { 'a.txt': 'one' }, ['a.txt', 'a.txt']],
    ['replace', { 'a.txt': 'three' }, undefined],
  ])('"%s" treats files of one name in a request as those that stand', async (onConflict, stored, left) => {
    const folder = newFolder()
    const form = new FormData()
    for (const content of ['one', 'two', 'three']) form.append('files', new Blob([content]), 'a.txt')
    form.append('folder', folder)
    form.append('onConflict', onConflict)
    const response = await holdfast.fetch('/api/files', {
      method: 'POST',
      headers: holdfast.withKey,
      body: form,
    })

    const { data } = (await response.json()) as { data: { files: FileView[]; skipped?: string[] } }
    expect(data.files.map(({ name }) => name)).toEqual(Object.keys(stored))
    expect(data.skipped).toEqual(left)
    expect(await contentsOf(folder)).toEqual(stored)
  })

  test('"skip" leaves taken ones out and names them', async () => {
    const folder = newFolder()
    await api.upload('a.txt', 'old', folder)
    await api.createFolder(`${folder}/sub`)
    const first = await store(folder, 'skip', { 'a.txt': 'new', 'b.txt': 'new', sub: 'no folder' })
    expect(first.files.map(({ name }) => name)).toEqual(['b.txt'])
    expect(first.skipped).toEqual(['a.txt', 'sub'])
    expect(await store(folder, 'skip', { 'a.txt': 'x' })).toEqual({ files: [], skipped: ['a.txt'] })
    expect(await contentsOf(folder)).toEqual({ 'a.txt': 'old', 'b.txt': 'new' })
    expect((await store(folder, 'skip', { 'c.txt': 'new' })).skipped).toEqual([])
  })

  test('"replace" does not replace a folder', async () => {
    const folder = newFolder()
    await api.createFolder(`${folder}/taken`)
    expect((await send(folder, 'replace', { taken: 'x' })).status).toBe(409)
    const { files } = await store(folder, 'rename', { taken: 'y' })
    expect(files.map(({ name }) => name)).toEqual(['taken (2)'])
    expect(await contentsOf(folder)).toEqual({ 'taken (2)': 'y' })
  })

  test('of another value is a 400', async () => {
    for (const onConflict of ['', 'Replace', 'overwrite']) {
      const refused = await send(newFolder(), onConflict, { 'a.txt': 'x' })
      expect([refused.status, await messageOf(refused)]).toEqual([
        400,
        '"onConflict" must be one of "fail", "replace", "rename", "skip"',
      ])
    }
  })

  test('stores every file of uploads of one name at once', async () => {
    const folder = newFolder()
    const bodies = Array.from({ length: 12 }, (_, index) => `body ${index}`)
    await Promise.all(bodies.map((body) => store(folder, 'rename', { 'same.txt': body })))
    expect(Object.values(await contentsOf(folder)).toSorted()).toEqual(bodies.toSorted())

    await Promise.all(bodies.map((body) => store(folder, 'replace', { 'other.txt': body })))
    expect(bodies).toContain(String((await contentsOf(folder))['other.txt']))
    await expectNoIntents(holdfast)
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
  })
})

describe('an import with onConflict', () => {
  const importInto = async (folder: string, onConflict: string, paths: Record<string, string>) => {
    const entries = Object.entries(paths).map(([path, content]) => ({ path, content }))
    const path = `/folders/import?folder=${folder}&onConflict=${onConflict}`
    return api.sendBody('POST', path, buildArchive(entries))
  }

  test('replaces, renames or skips in every folder of the archive', async () => {
    const folder = newFolder()
    await api.upload('a.txt', 'old', `${folder}/deep`)
    const imported = async (onConflict: string, paths: Record<string, string>) =>
      ((await (await importInto(folder, onConflict, paths)).json()) as { data: object }).data
    const archive = { 'deep/a.txt': 'new', 'deep/er/b.txt': 'new' }
    expect((await importInto(folder, 'fail', archive)).status).toBe(409)
    expect(await imported('replace', archive)).toMatchObject({ files: 2, folders: 1 })
    expect(await contentsOf(`${folder}/deep`)).toEqual({ 'a.txt': 'new' })
    expect(await imported('rename', archive)).toMatchObject({ files: 2, folders: 0 })
    expect(await contentsOf(`${folder}/deep/er`)).toEqual({ 'b.txt': 'new', 'b (2).txt': 'new' })
    expect(await imported('skip', { ...archive, 'c.txt': 'new' })).toMatchObject({
      files: 1,
      skipped: ['deep/a.txt', 'deep/er/b.txt'],
    })
    expect((await importInto(folder, 'other', archive)).status).toBe(400)
    await expectNoIntents(holdfast)
  })

  test('creates empty folders also when no file is new', async () => {
    for (const onConflict of ['skip', 'replace']) {
      const folder = newFolder()
      await api.upload('a.txt', 'old', folder)
      await api.upload('file', 'old', folder)
      const sent = { 'a.txt': 'new', 'empty/': '', 'deep/er/': '' }
      const imported = await importInto(folder, onConflict, sent)
      expect(((await imported.json()) as { data: object }).data).toMatchObject({ folders: 3 })
      expect((await api.browse({ key: folder })).folders.map(({ name }) => name)).toEqual(['deep', 'empty'])
      const again = await importInto(folder, onConflict, sent)
      expect(((await again.json()) as { data: object }).data).toMatchObject({ folders: 0 })
      const blocked = await importInto(folder, onConflict, { 'a.txt': 'new', 'file/': '' })
      expect(blocked.status).toBe(onConflict === 'skip' ? 200 : 409)
    }
    await expectNoIntents(holdfast)
  })

  test('a file in the place of a folder is named for every onConflict', async () => {
    const folder = newFolder()
    await api.upload('deep', 'a file', folder)
    const message = 'A file named "deep" is in the place of a folder'
    for (const onConflict of ['fail', 'replace', 'rename', 'skip']) {
      const imported = await importInto(folder, onConflict, { 'other.txt': 'y', 'deep/a.txt': 'x' })
      expect([imported.status, await messageOf(imported)]).toEqual([409, message])
      const sent = await send(`${folder}/deep`, onConflict, { 'a.txt': 'x' })
      expect([sent.status, await messageOf(sent)]).toEqual([409, message])
    }
    expect(await contentsOf(folder)).toEqual({ deep: 'a file' })
    await expectNoIntents(holdfast)
  })
})

import { describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../support/accounts.ts'
import { withHoldfast } from '../support/fixture.ts'
import { filesUnder, refusalOf } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { buildArchive } from '../zip/build-archive.ts'

const holdfast = withHoldfast()
const { api } = holdfast

const onDisk = (key: string) => join(holdfast.dataPath, 'uploads', key)
const send = (folder: string, name: string) => holdfast.sendUpload({ [name]: 'x' }, { folder })

interface Row {
  name: string
  created_at: number
}

test('many small files that arrive at once have no later time on disk than in the catalog', async () => {
  const files = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, 'x']))
  expect((await holdfast.sendUpload(files, { folder: 'burst' })).status).toBe(200)

  using database = openDatabase(holdfast)
  const inBurst = "folder_id = (SELECT id FROM folders WHERE name = 'burst')"
  const rows = database.query<Row>(`SELECT name, created_at FROM files WHERE ${inBurst}`).all()
  expect(rows).toHaveLength(100)
  const isLater = ({ name, created_at }: Row) =>
    Math.trunc(statSync(onDisk(`burst/${name}`)).mtimeMs) > created_at
  expect(rows.filter(isLater)).toEqual([])
})

describe('an entry on disk that the catalog does not know', () => {
  test('keeps a file from getting its name', async () => {
    const file = await api.upload('file', 'content', 'taken')
    writeFileSync(onDisk('taken/stray'), 'not ours')

    const refused = await api.refusal('PUT', '/files', { id: file.id, name: 'stray' })
    expect(refused).toEqual([409, expect.stringContaining('"stray"')])
    expect(await api.hosted(file.key)).toBe('content')
    await expectNoIntents(holdfast)
  })

  test('keeps a file from moving there, if it is a folder', async () => {
    const file = await api.upload('mover', 'content')
    mkdirSync(onDisk('only-on-disk'))

    expect((await api.refusal('POST', '/files/move', { id: file.id, folder: 'only-on-disk' }))[0]).toBe(409)
    expect(await api.hosted(file.key)).toBe('content')
  })

  test('refuses uploads to its name, and stays as it is', async () => {
    await api.upload('x', 'x', 'strangers')
    writeFileSync(onDisk('strangers/stray'), 'not ours')
    mkdirSync(onDisk('stray-folder'))
    const before = filesUnder(holdfast, 'uploads')

    for (const [folder, name, taken] of [
      ['strangers', 'stray', 'stray'],
      ['stray-folder/new', 'x', 'stray-folder'],
      ['', '.holdfast-volume', '.holdfast-volume'],
    ] as const) {
      const response = await send(folder, name)
      expect(await refusalOf(response)).toEqual([409, expect.stringContaining(`"${taken}"`)])
    }
    expect(filesUnder(holdfast, 'uploads')).toEqual(before)
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    await expectNoIntents(holdfast)
    expect(await api.hosted('strangers/stray')).toBe(404)
  })

  test('is not replaced by uploads and imports with onConflict, which take another name', async () => {
    await api.createFolder('by hand')
    writeFileSync(onDisk('by hand/file'), 'by hand')
    mkdirSync(onDisk('by hand/folder'))
    const store = (onConflict: string) => {
      const form = new FormData()
      form.append('files', new Blob(['x']), 'file')
      form.append('folder', 'by hand')
      form.append('onConflict', onConflict)
      return api.sendBody('POST', '/files', form)
    }
    const archive = buildArchive([{ path: 'folder/a.txt', content: 'x' }])
    const query = new URLSearchParams({ folder: 'by hand', onConflict: 'replace' })

    expect((await store('replace')).status).toBe(409)
    expect((await store('rename')).status).toBe(200)
    expect(await api.hosted('by hand/file (2)')).toBe('x')
    expect((await api.sendBody('POST', `/folders/import?${query}`, archive)).status).toBe(409)
  })
})

describe('a copy of a file on disk', () => {
  const copy = (id: string, folder: string) =>
    api.data<{ copied: unknown[]; failed: unknown[] }>('POST', '/files/copy', { fileIds: [id], folder })

  test('is another file that only the server may read', async () => {
    const { id } = await api.upload('a.txt', 'content', 'from')
    await copy(id, 'to')

    expect(statSync(onDisk('to/a.txt')).ino).not.toBe(statSync(onDisk('from/a.txt')).ino)
    expect(statSync(onDisk('to/a.txt')).mode & 0o777).toBe(0o600)
  })

  test('stays as it is when its original is written over', async () => {
    const { id } = await api.upload('first.txt', 'first', 'apart')
    await copy(id, 'apart/copy')
    writeFileSync(onDisk('apart/first.txt'), 'other')

    expect(await api.hosted('apart/copy/first.txt')).toBe('first')
  })

  test('is refused when its bytes have another length', async () => {
    const { id } = await api.upload('longer.txt', 'x', 'damaged')
    writeFileSync(onDisk('damaged/longer.txt'), 'longer')

    expect(await copy(id, 'damaged copies')).toEqual({
      copied: [],
      failed: [{ id, message: 'The file was changed on disk, so it cannot be copied' }],
    })
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    await expectNoIntents(holdfast)
  })
})

describe('something else in the place of the bytes', () => {
  test('refuses a replacement, and stays: a folder', async () => {
    const file = await api.upload('before.txt', 'before')
    const put = (body: string, headers: Record<string, string> = {}) =>
      holdfast.fetch(`/api/files/content?id=${file.id}`, {
        method: 'PUT',
        body,
        headers: { ...holdfast.withKey, ...headers },
      })
    rmSync(onDisk(file.key))
    mkdirSync(onDisk(file.key))
    writeFileSync(onDisk(`${file.key}/by hand.txt`), 'by hand')
    expect((await put('after')).status).toBe(409)
    expect(filesUnder(holdfast, 'uploads')).toContain(`${file.key}/by hand.txt`)
    rmSync(onDisk(file.key), { recursive: true })

    expect((await put('healed', { 'If-Match': '*' })).status).toBe(412)
    expect((await put('healed')).status).toBe(200)
    expect(await api.hosted(file.key)).toBe('healed')
    await expectNoIntents(holdfast)
    expect(holdfast.catalog.check.wrongTotals()).toEqual([])
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
  })
})

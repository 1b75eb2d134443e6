import { afterAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Failure, FolderView } from '../support/api.ts'
import { withHoldfast } from '../support/fixture.ts'
import { type FileView, filesUnder, messageOf } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { temporaryFolder } from '../support/temporary.ts'

const holdfast = withHoldfast()
const { api, path: onDisk } = holdfast
const folder = temporaryFolder()
const outside = folder.path
afterAll(() => folder[Symbol.dispose]())

let count = 0
const moved = (body: unknown) => api.data<{ file: FileView }>('POST', '/files/move', body)
const movedAll = (body: unknown) =>
  api.data<{ files: FileView[]; failed: Failure[] }>('POST', '/files/move', body)
const noIntents = () => expectNoIntents(holdfast)
const folderAt = async (key: string): Promise<FolderView> => {
  const folder = (await api.browse()).folders.find((found) => found.key === key)
  if (!folder) throw new Error(`There is no folder ${key}`)
  return folder
}

/** Uploads a file, then replaces its bytes on disk with `put`. */
async function replaced(put: (path: string) => void): Promise<FileView> {
  const file = await api.upload('t.txt', 'ours', `dr${count++}`)
  rmSync(onDisk(file.key))
  put(onDisk(file.key))
  return file
}

const makeDirectory = (path: string) => mkdirSync(join(path, 'not ours'), { recursive: true })
const makeLink = (path: string) => symlinkSync(outside, path)

describe.each([
  ['a directory', makeDirectory, (path: string) => readdirSync(path)[0] === 'not ours'],
  ['a link', makeLink, (path: string) => readlinkSync(path) === outside],
])('%s at the path of a stored file', (_, put, isThere) => {
  test('lets the record be renamed and changed, and stays', async () => {
    const file = await replaced(put)

    const changed = await api.data<{ file: FileView }>('PUT', '/files', {
      id: file.id,
      name: 'renamed.txt',
      visibility: 'private',
    })

    expect(changed.file).toMatchObject({ name: 'renamed.txt', visibility: 'private' })
    expect((await api.send('GET', `/files/download/${file.id}`)).status).toBe(404)
    expect(isThere(onDisk(file.key))).toBe(true)
    expect(existsSync(onDisk(changed.file.key))).toBe(false)
    await noIntents()
  })

  test('lets the record be moved, alone and in a batch, and stays', async () => {
    const [alone, one, two] = [await replaced(put), await replaced(put), await replaced(put)]
    const [here, there] = [`alone${count}`, `batch${count}`]
    await api.data('PUT', '/files', { id: two.id, name: 'other.txt' })

    const single = await moved({ id: alone.id, folder: here })
    const batch = await movedAll({ ids: [one.id, two.id], folder: there })

    expect(single.file.key).toBe(`${here}/t.txt`)
    expect(batch.files.map(({ key }) => key)).toEqual([`${there}/t.txt`, `${there}/other.txt`])
    expect(batch.failed).toEqual([])
    for (const { key } of [alone, one, two]) expect(isThere(onDisk(key))).toBe(true)
    expect(filesUnder(holdfast, 'uploads').filter((path) => path.startsWith(there))).toEqual([there])
    await noIntents()
  })

  test('lets the record be deleted, alone and with its folder, and stays', async () => {
    const [alone, inFolder] = [await replaced(put), await replaced(put)]
    const kept = await api.upload('kept.txt', 'kept', alone.key.split('/')[0])

    await api.data('DELETE', '/files', { id: alone.id })
    await api.data('DELETE', '/folders', { id: inFolder.folderId })

    for (const { key } of [alone, inFolder]) expect(isThere(onDisk(key))).toBe(true)
    expect(await api.hosted(kept.key)).toBe('kept')
    await noIntents()
  })
})

describe.each([
  ['a link', makeLink],
  ['a file', (path: string) => writeFileSync(path, 'not ours')],
  ['nothing', () => {}],
])('%s at the path of a folder', (_, put) => {
  async function replacedFolder(): Promise<FolderView> {
    const key = `folder${count++}`
    await api.upload('inside.txt', 'gone', `${key}/sub`)
    rmSync(onDisk(key), { recursive: true })
    put(onDisk(key))
    return folderAt(key)
  }
  const inodeAt = (path: string) => (existsSync(path) ? lstatSync(path).ino : undefined)

  test('refuses new files for it, and leaves none of their bytes', async () => {
    const { id, key } = await replacedFolder()
    const file = await api.upload('a.txt', 'ours', `from${count}`)
    const other = await api.createFolder(`other${count}`)
    const before = filesUnder(holdfast, 'uploads')

    const upload = await holdfast.sendUpload({ 'new.txt': 'x' }, { folder: key })
    const refusals = [
      [upload.status, await messageOf(upload)],
      await api.refusal('POST', '/folders', { folder: `${key}/new` }),
      await api.refusal('POST', '/files/move', { id: file.id, folderId: id }),
      await api.refusal('POST', '/files/move', { id: file.id, folder: `${key}/new/deep` }),
      await api.refusal('POST', '/folders/move', { id: other.id, folderId: id }),
    ]

    const told = `The folder "${key}" is missing on disk, or something that Holdfast does not know is in its place`
    expect(refusals).toEqual(Array(5).fill([409, told]))
    expect(filesUnder(holdfast, 'uploads')).toEqual(before)
    expect((await api.browse({ id })).folders.map(({ name }) => name)).toEqual(['sub'])
    expect(readdirSync(outside)).toEqual([])
    expect(await api.hosted(file.key)).toBe('ours')
    await noIntents()
  })

  test('lets the folder be renamed, moved and deleted, and stays', async () => {
    const { id, key } = await replacedFolder()
    const before = inodeAt(onDisk(key))

    await api.data('PUT', '/folders', { id, name: `${key}-renamed` })
    await api.data('POST', '/folders/move', { id, folder: `${key}-new` })
    await api.data('DELETE', '/folders', { id })

    expect(inodeAt(onDisk(key))).toBe(before)
    expect((await api.refusal('GET', `/folders?id=${id}`))[0]).toBe(404)
    await noIntents()
  })
})

describe('a move that is refused', () => {
  test('leaves no folder that it would have made', async () => {
    const file = await api.upload('a.txt', 'ours', 'stays')
    const folder = await api.createFolder('stays-too')
    mkdirSync(onDisk('stranger'))
    const before = [filesUnder(holdfast, 'uploads'), (await api.browse()).folders]

    const single = await api.refusal('POST', '/files/move', { id: file.id, folder: 'stranger/deep/er' })
    const ofFolder = await api.refusal('POST', '/folders/move', { id: folder.id, folder: 'stranger/deep' })
    const batch = await movedAll({ ids: [file.id], folder: 'stranger/deep' })

    const told = 'Something named "stranger" exists in this folder already'
    expect([single, ofFolder]).toEqual([
      [409, told],
      [409, told],
    ])
    expect(batch).toEqual({ files: [], failed: [{ id: file.id, message: told }] })
    expect([filesUnder(holdfast, 'uploads'), (await api.browse()).folders]).toEqual(before)
    await noIntents()
  })
})

import { describe, expect, test } from 'bun:test'
import type { Failure, FolderView } from '../support/api.ts'
import { runInside } from '../support/command.ts'
import { startAgain, startInsideWithAccount, withInside } from '../support/fixture.ts'
import { type FileView, filesUnder, messageOf } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'

const TOO_LONG = 'The key would have more than 4000 bytes: choose a shorter name or folder'
const TOO_LONG_BELOW = 'A key in the folder would have more than 4000 bytes: choose a shorter name or folder'

/**
 * Returns an object key of this many bytes that begins with `first` and mixes characters of one, two and three bytes.
 */
function keyOf(bytes: number, first: string): string {
  const names = [first]
  let left = bytes - Buffer.byteLength(first)
  for (; left > 256; left -= 201) names.push('é'.repeat(100))
  names.push('x'.repeat(left - 1))
  return names.join('/')
}

const holdfast = withInside()
const { api } = holdfast

const nothingChanges = async (work: () => Promise<unknown>) => {
  const before = [filesUnder(holdfast, 'uploads'), await api.list()]
  await work()
  expect([filesUnder(holdfast, 'uploads'), await api.list()]).toEqual(before)
  expect(filesUnder(holdfast, 'tmp')).toEqual([])
  await expectNoIntents(holdfast)
}
const change = async (body: unknown) =>
  (await api.data<{ folder: FolderView }>('PUT', '/folders', body)).folder
const topFolder = async (name: string): Promise<FolderView> => {
  const folder = (await api.browse()).folders.find((found) => found.name === name)
  if (!folder) throw new Error(`There is no folder ${name}`)
  return folder
}

describe('a key of 4,000 bytes is the longest', () => {
  test('of an upload', async () => {
    const folder = keyOf(3900, 'upload')

    const { key } = await api.upload('f'.repeat(99), 'fits', folder)
    expect(Buffer.byteLength(key)).toBe(4000)
    expect(await api.hosted(key)).toBe('fits')
    await nothingChanges(async () => {
      for (const folder of [keyOf(3900, 'upload'), keyOf(3900, 'upload-new')]) {
        const files = { 'also.txt': 'x', ['é'.repeat(50)]: 'x' }
        const refused = await holdfast.sendUpload(files, { folder })
        expect([refused.status, await messageOf(refused)]).toEqual([400, TOO_LONG])
      }
    })
  })

  test('of a folder, however many slashes are sent', async () => {
    const longest = keyOf(4000, 'folder')

    await nothingChanges(async () => {
      const refusal = await api.refusal('POST', '/folders', { folder: keyOf(4001, 'folder') })
      expect(refusal).toEqual([400, 'The folder must have at most 4000 bytes'])
    })
    expect((await api.createFolder(`//${longest.replaceAll('/', '//')}/`)).key).toBe(longest)
  })

  test('of a file that is renamed', async () => {
    const { id, folderId } = await api.upload('a', 'renamed', keyOf(3900, 'rename'))

    await nothingChanges(async () => {
      const refusal = await api.refusal('PUT', '/files', { id, name: 'n'.repeat(100), visibility: 'private' })
      expect(refusal).toEqual([400, TOO_LONG])
    })
    const renamed = await api.data<{ file: FileView }>('PUT', '/files', { id, name: 'n'.repeat(99) })
    expect(Buffer.byteLength(renamed.file.key)).toBe(4000)
    expect(renamed.file.folderId).toBe(folderId)
    expect(await api.hosted(renamed.file.key)).toBe('renamed')
  })

  test('of a file that is moved, and of each in a batch', async () => {
    const folder = keyOf(3990, 'move')
    const short = await api.upload('short', 'short', 'from')
    const long = await api.upload('n'.repeat(10), 'long', 'from')

    await nothingChanges(async () => {
      expect(await api.refusal('POST', '/files/move', { id: long.id, folder })).toEqual([400, TOO_LONG])
    })
    const { files, failed } = await api.data<{ files: FileView[]; failed: Failure[] }>(
      'POST',
      '/files/move',
      { ids: [long.id, short.id], folder },
    )

    expect(files.map(({ key }) => key)).toEqual([`${folder}/short`])
    expect(failed).toEqual([{ id: long.id, message: TOO_LONG }])
    expect(await api.hosted(long.key)).toBe('long')
  })

  test.each([
    ['file', (name: string) => api.upload('f'.repeat(100), 'deep', keyOf(3799, name))],
    ['subfolder', (name: string) => api.createFolder(keyOf(3900, name))],
  ])('of a %s below a folder that is renamed or moved', async (name, make) => {
    await make(name)
    const { id } = await topFolder(name)
    const longest = name.repeat(30).slice(0, name.length + 100)

    await nothingChanges(async () => {
      expect(await api.refusal('PUT', '/folders', { id, name: `${longest}l` })).toEqual([400, TOO_LONG_BELOW])
      const folder = `${'m'.repeat(95)}/mmmm`
      expect(await api.refusal('POST', '/folders/move', { id, folder })).toEqual([400, TOO_LONG_BELOW])
    })
    expect((await change({ id, name: longest })).key).toBe(longest)
    expect((await change({ id, name })).key).toBe(name)
    const moved = await api.data<{ folder: FolderView }>('POST', '/folders/move', {
      id,
      folder: `${'m'.repeat(94)}/mmmm`,
    })
    expect(moved.folder.key).toEndWith(`/mmmm/${name}`)
  })

  test('also when it grows in many small steps', async () => {
    await using fresh = await startInsideWithAccount()
    const other = fresh.api
    const ids: string[] = []
    for (let depth = 1; depth <= 16; depth += 1)
      ids.unshift((await other.createFolder(Array(depth).fill('d').join('/'))).id)
    const top = ids.pop()

    for (const id of ids) await other.data('PUT', '/folders', { id, name: 'd'.repeat(255) })

    const refusal = await other.refusal('PUT', '/folders', { id: top, name: 'd'.repeat(255) })
    expect(refusal).toEqual([400, TOO_LONG_BELOW])
    await other.data('PUT', '/folders', { id: top, name: 'd'.repeat(160) })
  })

  test('also after a restart, and after any number of renames', async () => {
    await using first = await startInsideWithAccount()
    await first.api.createFolder(keyOf(3900, 'deep'))
    await first.api.createFolder('shallow')
    await first.stop()
    await using again = await startAgain(first)
    const other = again.api
    const [deep, shallow] = (await other.browse()).folders

    expect(await other.refusal('PUT', '/folders', { id: deep?.id, name: 'd'.repeat(105) })).toEqual([
      400,
      TOO_LONG_BELOW,
    ])
    for (let round = 0; round < 40; round += 1) {
      await other.data('PUT', '/folders', { id: shallow?.id, name: 's'.repeat(255) })
      await other.data('PUT', '/folders', { id: shallow?.id, name: 's' })
    }
    await other.data('PUT', '/folders', { id: deep?.id, name: 'd'.repeat(104) })
  })
})

describe('a record whose key is too long already', () => {
  /** Adds a folder with a file. Its key of 4,100 bytes is deeper than the volume can reach. */
  async function plant(name: string): Promise<{ folder: string; file: string }> {
    const { store } = holdfast.server.deps
    const existing = await api.createFolder(keyOf(3900, name))
    const row = {
      id: crypto.randomUUID(),
      name: 'y'.repeat(200),
      madeForKeys: false,
      createdAt: 0,
      updatedAt: 0,
    }
    const template = await store.files.byId((await api.upload(`${name}.txt`, 'x')).id)
    if (!template) throw new Error('The uploaded file has no row')
    const file = { ...template, id: crypto.randomUUID(), folderId: row.id, name: 'far.txt' }
    await store.transact(function* () {
      yield* store.folders.insert([{ ...row, parentId: existing.id }])
      yield* store.files.insert([file])
    })
    return { folder: row.id, file: file.id }
  }

  test('can be deleted, alone, with its folder and with one far above', async () => {
    const [one, two, three] = [await plant('alone'), await plant('with-it'), await plant('above')]

    await api.data('DELETE', '/files', { id: one.file })
    await api.data('DELETE', '/folders', { id: one.folder })
    await api.data('DELETE', '/folders', { id: two.folder })
    await api.data('DELETE', '/folders', { id: (await topFolder('above')).id })

    for (const { file, folder } of [one, two, three]) {
      expect((await api.refusal('GET', `/files?id=${file}`))[0]).toBe(404)
      expect((await api.refusal('GET', `/folders?id=${folder}`))[0]).toBe(404)
    }
    await expectNoIntents(holdfast)
  })

  test('is no obstacle to a rename that makes it no longer, and can be moved out', async () => {
    const { file } = await plant('shrink-me')
    const { id } = await topFolder('shrink-me')

    expect(await change({ id, name: 'shrink-it' })).toMatchObject({ key: 'shrink-it' })
    const moved = await api.data<{ file: FileView }>('POST', '/files/move', { id: file, folder: 'out' })
    expect(moved.file.key).toBe('out/far.txt')
  })

  test('is reported by verify', async () => {
    await plant('reported')

    const { exitCode, output } = await runInside(['verify'], { DATA_PATH: holdfast.dataPath })

    expect(exitCode).toBe(1)
    const lines = output.split('\n').filter((line) => line.startsWith('"reported/'))
    expect(lines).toEqual([
      expect.stringMatching(/\/y{200}": key is too long$/),
      expect.stringMatching(/\/y{200}\/far\.txt": key is too long$/),
    ])
  })
})

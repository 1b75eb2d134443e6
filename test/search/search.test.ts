import { beforeAll, describe, expect, test } from 'bun:test'
import { createClient, type HoldfastClient } from '../../src/client/index.ts'
import type { SearchOptions, SearchPage } from '../../src/client/types.ts'
import { eventually } from '../support/eventually.ts'
import { withHoldfast } from '../support/fixture.ts'
import { trashOf } from '../support/trash.ts'

let client: HoldfastClient
const holdfast = withHoldfast()
const { api } = holdfast
beforeAll(async () => {
  client = createClient({ url: holdfast.url, key: holdfast.key })
})

const keysOf = ({ items }: SearchPage) =>
  items.map((item) => (item.kind === 'file' ? item.file.key : `${item.folder.key}/`))
const find = async (text: string, options?: SearchOptions) => keysOf(await client.search(text, options))
/** Finds all results, in pages of this many. */
async function findInPages(text: string, limit: number): Promise<string[]> {
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = await client.search(text, { limit, ...(cursor !== undefined && { cursor }) })
    found.push(...keysOf(page))
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return found
}
/** Returns a cursor of a position, which no page may have. */
const cursorOf = (...position: unknown[]) => Buffer.from(JSON.stringify(position)).toString('base64url')

describe('the order of results', () => {
  test('puts the exact name first, then beginnings, words and the rest, the newest first', async () => {
    const names = ['aharbour.txt', 'the-harbour.txt', 'harbour.txt', 'Harbour', 'my harbour.txt', 'HARBOURS']
    for (const name of names) await api.upload(name, 'x', 'order')
    await api.createFolder('order/sub/harbour')

    expect(await find('hárbour')).toEqual([
      'order/sub/harbour/',
      'order/Harbour',
      'order/HARBOURS',
      'order/harbour.txt',
      'order/my harbour.txt',
      'order/the-harbour.txt',
      'order/aharbour.txt',
    ])
  })

  test('continues on the next page where the one before ended', async () => {
    for (let n = 0; n < 7; n += 1) await api.upload(`paged ${n}.txt`, 'x', 'pages')
    const all = await find('paged')

    expect(all).toHaveLength(7)
    expect(await findInPages('paged', 3)).toEqual(all)
  })

  test('has the files of one upload by the numbers in their names, page after page', async () => {
    const names = ['Shot 10.txt', 'shot 2.txt', 'SHOT 1.txt', 'shot 01.txt', 'shót 20.txt', 'shot 3.txt']
    await client.files.upload(
      names.map((name) => ({ name, content: 'x' })),
      { folder: 'series' },
    )
    const sent = Date.now()
    await eventually(() => Date.now() > sent)
    await api.upload('shot 30.txt', 'x', 'series')
    const found = await findInPages('shot', 1)

    expect(found[0]).toBe('series/shot 30.txt')
    expect(found.slice(1, 3).sort()).toEqual(['series/SHOT 1.txt', 'series/shot 01.txt'])
    expect(found.slice(3)).toEqual(['2', '3', '10', '20'].map((n) => expect.stringContaining(`t ${n}.txt`)))
  })
})

describe('a search', () => {
  test.each([
    ['ETE', 'été.txt'],
    ['de\u0301ja', 'déjà.txt'],
    ['strasse', 'Straße 5.txt'],
    ['soren', 'Søren.txt'],
    ['οδος', 'ΟΔΟΣ.txt'],
    ['ПРИВ', 'привет.txt'],
    ['你', '你好.txt'],
    ['_%', 'a_%b.txt'],
    ['"quoted"', 'a "quoted" name.txt'],
    ["it's", "it's.txt"],
    ['😀', 'smile 😀.txt'],
    ['o', 'O.O'],
  ])('for %p finds %p', async (text, name) => {
    await api.upload(name, 'x', 'scripts')

    expect(await find(text)).toContain(`scripts/${name}`)
  })

  test('names the part of each name that matches', async () => {
    await api.upload('a Café.txt', 'x', 'match')
    expect((await client.search('cafe')).items[0]?.match).toEqual([2, 6])
    expect((await client.search('', { limit: 1 })).items[0]?.match).toBeNull()
  })

  test('without text returns the newest', async () => {
    await api.upload('newest.txt', 'x')

    expect((await find('', { limit: 1 }))[0]).toBe('newest.txt')
  })

  test('for code finds TypeScript and other sources, and for videos none of them', async () => {
    for (const name of ['kinds.ts', 'kinds.py', 'kinds.mp4']) await api.upload(name, 'x', 'kinds')

    expect((await find('kinds.', { kind: 'code' })).sort()).toEqual(['kinds/kinds.py', 'kinds/kinds.ts'])
    expect(await find('kinds.', { kind: 'video' })).toEqual(['kinds/kinds.mp4'])
  })

  test('filters by kind, visibility, size and time', async () => {
    await api.upload('filtered.png', '12345', 'filters')
    await api.upload('filtered.txt', '1', 'filters')
    await api.createFolder('filters/filtered')
    const day = new Date().toISOString().slice(0, 10)

    expect(await find('filtered', { kind: 'image' })).toEqual(['filters/filtered.png'])
    expect(await find('filtered', { kind: 'folder' })).toEqual(['filters/filtered/'])
    expect(await find('filtered', { size: '2..' })).toEqual(['filters/filtered.png'])
    expect(await find('filtered', { size: '..4' })).toEqual(['filters/filtered.txt'])
    expect(await find('filtered', { visibility: 'private' })).toEqual([])
    expect(await find('filtered', { visibility: 'public', kind: 'file' })).toHaveLength(2)
    expect(await find('filtered', { after: `${day}T00:00Z` })).toHaveLength(3)
    expect(await find('filtered', { before: '2020-01-01' })).toEqual([])
  })

  test('filters by folder, as the tree is now', async () => {
    const { id } = await api.upload('inside.txt', 'x', 'place/deep')
    await api.upload('inside.txt', 'x', 'place')
    await api.upload('inside.txt', 'x', 'placebo')
    const deep = await api.createFolder('place/deep/inside')

    expect(await find('inside', { folder: 'place' })).toEqual([
      'place/deep/inside/',
      'place/inside.txt',
      'place/deep/inside.txt',
    ])
    expect(await find('inside', { folder: 'place', kind: 'file', limit: 1 })).toEqual(['place/inside.txt'])
    expect(await find('', { folder: 'place/deep/inside' })).toEqual([])
    await api.send('POST', '/files/move', { id, folder: 'elsewhere' })
    await api.send('POST', '/folders/move', { id: deep.id, folder: 'elsewhere' })

    expect(await find('inside', { folder: 'place' })).toEqual(['place/inside.txt'])
    expect(await find('inside', { folder: '/elsewhere/' })).toHaveLength(2)
    expect(find('', { folder: 'nowhere' })).rejects.toThrow('There is no folder "nowhere"')
  })

  test('filters by the account that sent the bytes, also those that replaced others', async () => {
    const editor = await holdfast.addUser('editor')
    const { id } = await api.upload('uploader one.txt', 'x', 'uploaders')
    await editor.api.upload('uploader two.txt', 'x', 'uploaders')
    await api.createFolder('uploaders/uploader')
    const uploader = editor.id

    expect(await find('uploader', { uploader })).toEqual(['uploaders/uploader two.txt'])
    expect(await find('uploader', { uploader: 'nobody' })).toEqual([])
    expect((await editor.api.send('PUT', `/files/content?id=${id}`, 'other')).status).toBe(200)
    expect(await find('', { uploader, kind: 'file' })).toHaveLength(2)
  })

  test.each([
    '?size=1',
    '?kind=none',
    '?after=2026-13-45',
    '?after=2026-02-31',
    '?before=2026-02-29T12:00Z',
    '?after=yesterday',
    '?cursor=x',
    `?cursor=${cursorOf(-1, 0, 'x')}`,
    `?q=a&cursor=${cursorOf(-1, 0, 'x')}`,
    `?q=a&cursor=${cursorOf(4, 0, 'x')}`,
    `?q=a&cursor=${cursorOf(1.5, 0, 'x')}`,
    '?limit=0',
    '?limit=201',
  ])('with %s is refused', async (query) => {
    expect((await api.refusal('GET', `/search${query}`))[0]).toBe(400)
  })

  test('with an unknown kind is refused with those that there are', async () => {
    const [, message] = await api.refusal('GET', '/search?kind=x')

    expect(message).toStartWith('"kind" must be one of "file", "folder", ')
  })

  test('takes any text', async () => {
    const signs = `"'%_\\*():-^é /;[{a😀\0\n\u200d\ud800`
    const pieces = [...signs, 'AND', 'NEAR', '--', '$1', 'x'.repeat(600)]
    for (let n = 0; n < 150; n += 1) {
      const length = 1 + ((n * 7) % 6)
      const text = Array.from({ length }, (_, at) => pieces[(n * 31 + at * 17) % pieces.length]).join('')
      const response = await api.send('GET', `/search?q=${encodeURIComponent(text.toWellFormed())}&limit=1`)
      expect([text, response.status]).toEqual([text, 200])
    }
    for (const raw of ['%00', '%ff%fe', '%ed%a0%80', '%F0%9F', 'a'.repeat(4096)])
      expect([raw, await api.status('GET', `/search?q=${raw}`)]).toEqual([raw, 200])
  })
})

describe('a result is as of the moment of the request', () => {
  test('when a file is renamed, moved and deleted', async () => {
    const { id } = await api.upload('before.txt', 'x', 'moment')
    expect(await find('before')).toEqual(['moment/before.txt'])
    await client.files.rename(id, 'later.txt')
    expect(await find('before')).toEqual([])
    expect(await find('later')).toEqual(['moment/later.txt'])
    await client.files.move(id, { folder: 'moved' })
    expect(await find('later')).toEqual(['moved/later.txt'])
    await client.files.delete(id)
    expect(await find('later')).toEqual([])
  })

  test('when a folder is renamed, trashed, restored and deleted', async () => {
    await api.upload('inside-one.txt', 'x', 'outer/inner')
    const [outer] = (await client.folders.folders()).filter(({ key }) => key === 'outer')
    const id = outer?.id ?? ''
    expect(await find('inside-one')).toEqual(['outer/inner/inside-one.txt'])
    await client.folders.rename(id, 'renamed')
    expect(await find('inside-one')).toEqual(['renamed/inner/inside-one.txt'])
    expect(await find('outer')).toEqual([])
    const trash = trashOf(api)
    await trash.put({ folderIds: [id] })
    expect(await find('inside-one')).toEqual([])
    expect(await find('renamed')).toEqual([])
    await trash.restore(id)
    expect(await find('inside-one')).toEqual(['renamed/inner/inside-one.txt'])
    expect(await find('renamed')).toEqual(['renamed/'])
    await client.folders.delete(id)
    expect(await find('inside-one')).toEqual([])
  })

  test('when the visibility of a folder changes', async () => {
    await api.upload('seen.txt', 'x', 'visible')
    const [folder] = (await client.folders.folders()).filter(({ key }) => key === 'visible')
    expect(await find('seen.txt', { visibility: 'private' })).toEqual([])
    await client.folders.setVisibility(folder?.id ?? '', 'private')

    expect(await find('seen.txt', { visibility: 'private' })).toEqual(['visible/seen.txt'])
  })

  test('when the name and visibility of a folder change at once', async () => {
    await api.upload('twofold.txt', 'x', 'both before')
    const [folder] = (await client.folders.folders()).filter(({ key }) => key === 'both before')
    expect(await find('twofold', { visibility: 'private' })).toEqual([])
    await api.data('PUT', '/folders', { id: folder?.id, name: 'both after', visibility: 'private' })

    expect(await find('twofold', { visibility: 'private' })).toEqual(['both after/twofold.txt'])
  })

  test('when many files are stored at once', async () => {
    await find('many')
    const files = Array.from({ length: 300 }, (_, n) => ({ path: `many ${n}.txt`, content: 'x' }))
    await client.folders.upload(files, { folder: 'crowd' })

    expect(await find('many 299')).toEqual(['crowd/many 299.txt'])
  })
})

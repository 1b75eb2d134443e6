import { beforeAll, describe, expect, test } from 'bun:test'
import { EVERYTHING, Reach } from '../../src/store/store.ts'
import { listResponse, toFileList } from '../../src/views/lists.ts'
import { createPages } from '../../src/views/pages.ts'
import type { Api } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { withInside } from '../support/fixture.ts'
import { dataOf } from '../support/holdfast.ts'
import { plantFiles } from '../support/many-files.ts'
import { openRows } from '../support/rows.ts'
import { trashOf } from '../support/trash.ts'
import { type Watched, watch } from '../support/watched.ts'
import { addGuest, EDIT, VIEW } from './guests.ts'

/** Clock on which the second between two events is 25 ms. */
const clock = { now: Date.now, monotonic: () => 40 * performance.now() }
const holdfast = withInside({ clock })

const folders: Record<string, string> = {}
let guest: Api
let blind: Api

beforeAll(async () => {
  const keys = ['clients/acme/bills', 'clients/acme/bills/deep', 'clients/acme/pay', 'family', 'other']
  for (const key of keys) folders[key] = (await holdfast.api.createFolder(key)).id
  for (const key of keys)
    await holdfast.api.upload(`harbour of ${key.replaceAll('/', ' ')}.txt`, key, key, 'private')
  guest = (await addGuest(holdfast, grants('clients/acme/bills', 'family'))).api
  blind = (await addGuest(holdfast, {})).api
})

const grants = (...keys: string[]) =>
  Object.fromEntries(keys.map((key) => [folders[key] ?? '', ['read'] as const]))

describe('a search', () => {
  interface Item {
    file?: { key: string }
    folder?: { key: string }
  }
  const found = async (api: Api, query: string) => {
    const { items } = await api.data<{ items: Item[] }>('GET', `/search?${query}`)
    return items.map(({ file, folder }) => (file ?? folder)?.key).sort()
  }
  const BILLS = [
    'clients/acme/bills/deep/harbour of clients acme bills deep.txt',
    'clients/acme/bills/harbour of clients acme bills.txt',
  ]

  test('finds what is in the folders of a guest and below them', async () => {
    expect(await found(guest, 'q=harbour')).toEqual([...BILLS, 'family/harbour of family.txt'])
    expect(await found(guest, 'kind=folder')).toEqual([
      'clients/acme/bills',
      'clients/acme/bills/deep',
      'family',
    ])
    expect(await found(blind, '')).toEqual([])
  })

  test('finds the folders of a guest by their names, in the root and in a folder above', async () => {
    const { items } = await guest.data<{ items: object[] }>('GET', '/search?q=bills&kind=folder')
    expect(items).toEqual([
      { kind: 'folder', folder: (await guest.browse({ key: 'clients' })).folders[0], match: [0, 5] },
    ])
    expect(await found(guest, 'q=family&kind=folder')).toEqual(['family'])
    expect(await found(guest, 'kind=folder&folder=clients')).toHaveLength(2)
    expect(await found(guest, 'kind=folder&folder=clients/acme/bills')).toEqual(['clients/acme/bills/deep'])
    expect(await found(guest, 'q=acme&kind=folder')).toEqual([])
  })

  test('continues at a cursor that tells no number of what is outside', async () => {
    const page = (cursor = '') =>
      guest.data<{ items: Item[]; next: string | null }>('GET', `/search?q=harbour&limit=2${cursor}`)
    const first = await page()
    expect(() => JSON.parse(Buffer.from(first.next ?? '', 'base64url').toString())).toThrow(SyntaxError)
    const second = await page(`&cursor=${first.next}`)
    expect([first.items.length, second.items.length, second.next]).toEqual([2, 1, null])
    const readable = Buffer.from('[2,1764000000000,8]').toString('base64url')
    const refused = await guest.refusal('GET', `/search?q=harbour&cursor=${readable}`)
    expect(refused).toEqual([400, '"cursor" must be the "next" of the page before'])
  })

  test('searches one folder inside, and the folders below a key above', async () => {
    expect(await found(guest, 'q=harbour&folder=family')).toEqual(['family/harbour of family.txt'])
    expect(await found(guest, 'q=harbour&folder=clients')).toEqual(BILLS)
    expect(await guest.refusal('GET', '/search?folder=other')).toEqual([404, 'There is no folder "other"'])
    expect(await blind.refusal('GET', '/search?folder=clients')).toEqual([
      404,
      'There is no folder "clients"',
    ])
  })

  test('continues with the next page', async () => {
    const first = await guest.data<{ next: string }>('GET', '/search?q=harbour&limit=1')
    expect(await found(guest, `q=harbour&limit=5&cursor=${first.next}`)).toHaveLength(2)
  })

  test('no longer finds what a guest has lost', async () => {
    const late = await addGuest(holdfast, grants('family', 'other'))
    expect(await found(late.api, 'q=harbour')).toHaveLength(2)
    await late.limit(grants('family'))
    expect(await found(late.api, 'q=harbour')).toEqual(['family/harbour of family.txt'])
  })
})

describe('a stream of changes', () => {
  /** Waits for the end of all changes so far, as a guest sees them: each of two servers reports its own in their order. */
  async function settle(stream: Watched): Promise<string> {
    for (const n of [1, 2]) {
      const name = `mark ${n} ${Bun.randomUUIDv7()}.txt`
      const { id } = await holdfast.api.upload(name, 'x', 'family', 'private')
      await stream.until(({ folders }) => folders.some(({ files }) => files?.includes(id)))
    }
    return JSON.stringify(stream.events)
  }
  const gone = (stream: Watched) =>
    stream.events.flatMap(({ changes }) => [...(changes?.gone.files ?? []), ...(changes?.gone.folders ?? [])])
  const below = (stream: Watched) => stream.events.flatMap(({ changes }) => changes?.below ?? [])

  test('continues after events whose ids tell no number of others', async () => {
    const { id } = await guest.data<{ id: string }>('GET', '/changes/latest')
    await using stream = await watch(holdfast, { ...guest.headers, 'Last-Event-ID': id })
    await settle(stream)
    expect(stream.events[0]?.type).toBe('ready')
    for (const shown of [id, ...stream.events.map((event) => event.id)]) expect(shown).toMatch(/^[\w-]{60,}$/)
  })

  test('names what happens inside, and nothing outside', async () => {
    await using stream = await watch(holdfast, guest.headers)
    const inside = await holdfast.api.upload('new inside.txt', 'x', 'clients/acme/bills', 'private')
    const outside = await holdfast.api.upload('new outside.txt', 'x', 'other', 'private')
    const folder = await holdfast.api.createFolder('other/new')
    for (const { id } of [inside, outside])
      await holdfast.api.data('PUT', '/files', { id, name: `${id}.txt` })
    await holdfast.api.data('DELETE', '/files', { id: outside.id })
    await holdfast.trash.put({ folderIds: [folder.id] })
    const told = await settle(stream)

    expect(stream.files()).toContain(inside.id)
    for (const hidden of [outside.id, folder.id, 'other', 'trash']) expect(told).not.toContain(hidden)
  })

  test('names what leaves the folders of a guest as gone, and the trash for it', async () => {
    const [moved, trashed, deleted] = await Promise.all(
      ['moved', 'trashed', 'deleted'].map((name) =>
        holdfast.api.upload(`${name}.txt`, 'x', 'clients/acme/bills', 'private'),
      ),
    )
    const left = [moved, trashed, deleted].map((file) => file?.id ?? '')
    const folder = await holdfast.api.createFolder('family/leaving')
    await using stream = await watch(holdfast, guest.headers)
    await holdfast.api.data('POST', '/files/move', { id: left[0], folder: 'other' })
    await holdfast.trash.put({ fileIds: [left[1] ?? ''] })
    await holdfast.api.data('DELETE', '/files', { id: left[2] })
    await holdfast.api.data('POST', '/folders/move', { id: folder.id, folder: 'other' })
    const told = await settle(stream)

    expect(gone(stream).toSorted()).toEqual([...left, folder.id].toSorted())
    expect(stream.areas()).toContain('trash')
    expect(told).not.toContain('other')
    await holdfast.api.data('POST', '/files/move', { id: left[0], folder: 'family' })
    await settle(stream)
    expect(stream.files()).toContain(left[0] ?? '')
  })

  test('cuts what is below a folder above to the folders of a guest', async () => {
    await using stream = await watch(holdfast, guest.headers)
    await holdfast.api.data('PUT', '/folders', { id: (await folderAt('clients')).id, visibility: 'private' })
    await settle(stream)
    expect(below(stream)).toEqual(['clients/acme/bills'])
  })

  test('begins again when a guest reaches other folders, or its folder moves', async () => {
    const late = await addGuest(holdfast, grants('family', 'other'))
    await using stream = await watch(holdfast, late.api.headers)
    const resets = () => stream.events.filter(({ type }) => type === 'reset').length
    await late.limit(grants('family'))
    await eventually(() => resets() === 1)
    await holdfast.api.upload('unseen.txt', 'x', 'other', 'private')
    expect(await settle(stream)).not.toContain('other')
    const { id } = await folderAt('family')
    await holdfast.api.data('PUT', '/folders', { id, name: 'household' })
    await eventually(() => resets() === 2)
    await holdfast.api.data('PUT', '/folders', { id, name: 'family' })
    await eventually(() => resets() === 3)
  })

  test('begins again when a folder with more rights moves within a folder of a guest', async () => {
    const { id: above } = await holdfast.api.createFolder('atelier')
    const { id } = await holdfast.api.createFolder('atelier/drafts')
    const { id: folderId } = await holdfast.api.createFolder('atelier/old')
    const late = await addGuest(holdfast, { [above]: VIEW, [id]: EDIT })
    await using stream = await watch(holdfast, late.api.headers)
    await holdfast.api.data('POST', '/folders/move', { id, folderId })

    await eventually(() => stream.events.some(({ type }) => type === 'reset'))
  })

  const folderAt = async (key: string) => {
    const found = (await holdfast.api.browse({ key: '' })).folders.find((folder) => folder.key === key)
    if (!found) throw new Error(`No folder at ${key}`)
    return found
  }
})

describe('statistics', () => {
  interface Total {
    count: number
    size: number
  }
  interface Figures {
    files: {
      total: number
      folders: number
      storage: { used: number; available: number; capacity: number }
      types: (Total & { mimeType: string })[]
      largest: { key: string }[]
      recent: { key: string }[]
      visibility: { public: Total; private: Total }
      added: (Total & { date: string })[]
      trash: Total
      versions: Total
    }
    hosting: { days: { requests: number }[]; top: { file: { key: string }; requests: number }[] }
    alerts: unknown[]
  }
  const read = (api: Api) => api.data<Figures>('GET', '/stats')

  test('count what the trash lists, also in folders that are in the trash, and replaced folders', async () => {
    const { api, trash } = holdfast
    const top = await api.createFolder('binned')
    const [deep, next] = [await api.createFolder('binned/a/b'), await api.createFolder('binned next')]
    const put = async (folder: string, size: number) => {
      const { id } = await api.upload(`${size}.txt`, 'x'.repeat(size), folder, 'private')
      return id
    }
    await put('binned', 1)
    const inDeep = await put('binned/a/b', 2)
    await put('binned/a/b', 4)
    const inNext = await put('binned next', 8)
    await trash.put({ fileIds: [inDeep, inNext, await put('other', 16)] })
    await trash.put({ folderIds: [deep.id] })
    const above = (await api.browse({ key: 'binned' })).folders[0]?.id ?? ''
    await trash.put({ folderIds: [above] })
    const figures = async (folderId: string) => {
      const late = await addGuest(holdfast, { [folderId]: ['read'] })
      const { items } = await trashOf(late.api).list()
      const [count, size] = [items.map((item) => item.count), items.map((item) => item.size)].map((all) =>
        all.reduce((sum, one) => sum + one, 0),
      )
      expect((await read(late.api)).files.trash).toEqual({ count: count ?? 0, size: size ?? 0 })
      return size
    }
    expect(await figures(top.id)).toBe(2 + 4)
    await api.data('POST', '/folders/replace', { id: next.id, replaces: top.id })
    expect(await figures(next.id)).toBe(1 + 8)
  })

  test('are those of what a guest reaches', async () => {
    const { id: folderId } = await holdfast.api.createFolder('counted/deep')
    await holdfast.api.upload('a.txt', 'abc', 'counted', 'public')
    const { id } = await holdfast.api.upload('b.png', 'abcdef', 'counted/deep', 'private')
    const trashed = await holdfast.api.upload('c.txt', 'ab', 'counted/deep', 'private')
    await holdfast.trash.put({ fileIds: [trashed.id] })
    await holdfast.api.replace(id, 'abcdefg')
    const { folders: all } = await holdfast.api.browse({ key: '' })
    const counted = all.find(({ key }) => key === 'counted')?.id ?? ''
    const late = await addGuest(holdfast, { [counted]: ['read'], [folderId]: ['read', 'write'] })
    for (let n = 0; n < 2; n += 1) await holdfast.api.hosted('counted/a.txt')
    await holdfast.api.hosted('other/harbour of other.txt')
    const { files, hosting, alerts } = await read(late.api)

    expect([files.total, files.folders, files.storage.used]).toEqual([2, 2, 10])
    expect(files.storage.capacity).toBe(files.storage.available + 10)
    expect(files.types).toEqual([
      { mimeType: 'image/png', count: 1, size: 7 },
      { mimeType: 'text/plain', count: 1, size: 3 },
    ])
    expect(files.largest.map(({ key }) => key)).toEqual(['counted/deep/b.png', 'counted/a.txt'])
    expect(files.recent.map(({ key }) => key)).toEqual(['counted/deep/b.png', 'counted/a.txt'])
    expect(files.visibility).toEqual({ public: { count: 1, size: 3 }, private: { count: 1, size: 7 } })
    expect(files.added.at(-1)).toMatchObject({ count: 2, size: 10 })
    expect([files.trash, files.versions]).toEqual([
      { count: 1, size: 2 },
      { count: 1, size: 6 },
    ])
    expect(hosting.days.at(-1)?.requests).toBe(2)
    expect(hosting.top).toMatchObject([{ file: { key: 'counted/a.txt' }, requests: 2 }])
    expect(alerts).toEqual([])

    await holdfast.api.data('POST', '/files/move', { id, folder: 'other' })
    expect(JSON.stringify(await read(late.api))).not.toContain('other')
  })

  test('are empty for a guest of nothing', async () => {
    const { files, hosting } = await read(blind)
    expect([files.total, files.folders, files.types, hosting.top]).toEqual([0, 0, [], []])
  })
})

describe('a list of files', () => {
  const listed = (api: Api, query: Record<string, string | number>) =>
    api.list(query).then((files) => files.map(({ name }) => name))

  test.each(['createdAt', 'updatedAt', 'name', 'size'])(
    'by %s has what is inside, in the order of all',
    async (orderBy) => {
      const seen = new Set((await guest.list()).map(({ id }) => id))
      expect(seen.size).toBeGreaterThan(3)
      for (const orderDirection of ['ASC', 'DESC']) {
        const all = (await holdfast.api.list({ orderBy, orderDirection })).filter(({ id }) => seen.has(id))
        const of = { orderBy, orderDirection }
        expect(await guest.list({ ...of, limit: 1000 })).toEqual(all)
        expect(await guest.list(of)).toEqual(all)
        expect(await guest.list({ ...of, limit: 2, offset: 1 })).toEqual(all.slice(1, 3))
        expect(await guest.list({ ...of, limit: 5000, offset: 2 })).toEqual(all.slice(2))
      }
      for (const { key } of await guest.list()) expect(key).toMatch(/^(clients\/acme\/bills|family)\//)
    },
  )

  test('has what is inside, be it few or many of all files', async () => {
    plantFiles(holdfast, 'crowd', 1200)
    using rows = openRows(holdfast)
    rows.run("UPDATE files SET folder_id = ? WHERE folder_id = 'crowd' AND created_at % 20 = 0", [
      folders['family'] ?? '',
    ])
    for (const orderBy of ['createdAt', 'updatedAt', 'name', 'size'])
      for (const orderDirection of ['ASC', 'DESC']) {
        const of = { orderBy, orderDirection }
        const inside = (await holdfast.api.list(of)).filter(({ key }) =>
          /^(clients\/acme\/bills|family)\//.test(key),
        )
        expect(inside.length).toBeGreaterThan(60)
        for (const [limit, offset] of [
          [5, 0],
          [40, 0],
          [20, 50],
          [1000, 3],
          [10, 1000],
        ] as const)
          expect(await guest.list({ ...of, limit, offset })).toEqual(inside.slice(offset, offset + limit))
        expect(await listed(blind, { ...of, limit: 10 })).toEqual([])
      }
  })

  test('by a name has the files of that name inside', async () => {
    expect(await listed(guest, { name: 'harbour of family.txt' })).toEqual(['harbour of family.txt'])
    expect(await listed(guest, { name: 'harbour of other.txt', limit: 10 })).toEqual([])
    expect(await listed(blind, { limit: 10 })).toEqual([])
    expect(await listed(blind, {})).toEqual([])
  })

  test('loses what another has moved out, with the next request', async () => {
    const { id } = await holdfast.api.upload('to move.txt', 'x', 'family', 'private')
    expect(await listed(guest, { limit: 1 })).toEqual(['to move.txt'])
    await holdfast.api.data('POST', '/files/move', { id, folder: 'other' })
    expect(await listed(guest, { limit: 1 })).not.toContain('to move.txt')
  })
})

test('a page of a folder that a guest has lost since it asked is whole for others', async () => {
  const { deps } = holdfast.server
  const pages = createPages(deps)
  const list = toFileList({ limit: 10 }, { folderId: folders['other'] })
  const filesFor = async (reach: Reach) => {
    const reading = { ...deps, store: deps.store.within(reach), pages }
    const { files } = await dataOf<{ files: unknown[] }>(
      await listResponse(reading, new Request('http://holdfast.test/'), list),
    )
    return files.length
  }
  expect(await filesFor(new Reach({ grants: [] }))).toBe(0)
  expect(await filesFor(EVERYTHING)).toBeGreaterThan(0)
  expect(await filesFor(new Reach({ boundTo: folders['other'] }))).toBeGreaterThan(0)
  expect(await filesFor(new Reach({ grants: [] }))).toBe(0)
})

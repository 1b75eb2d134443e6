import { beforeAll, describe, expect, test } from 'bun:test'
import { startInsideWithAccount, startWithAccount, withInside } from '../support/fixture.ts'
import { register, startHoldfast, TestClock } from '../support/holdfast.ts'

const clock = new TestClock()

/** Names in the order of their upload, with sizes: ties in both. */
const FILES: [folder: string, name: string, size: number][] = [
  ['a', 'pear', 3],
  ['', 'Zebra', 1],
  ['a', 'apple', 2],
  ['b', 'pear', 3],
  ['', 'éclair', 2],
  ['a/deep', 'pear', 1],
  ['', '🍐', 0],
]

const holdfast = withInside({ clock })
const { api } = holdfast
beforeAll(async () => {
  for (const [folder, name, size] of FILES) {
    await api.upload(name, 'x'.repeat(size), folder)
    clock.advance(1000)
  }
})

const keys = async (parameters: Record<string, string | number> = {}) =>
  (await api.list(parameters)).map(({ key }) => key)
const NEWEST_FIRST = FILES.map(([folder, name]) => (folder === '' ? name : `${folder}/${name}`)).reverse()

describe('GET /api/files', () => {
  test('lists every file of every folder, newest first', async () => {
    expect(await keys()).toEqual(NEWEST_FIRST)
  })

  test('answers with an empty list on an empty instance', async () => {
    await using empty = await startHoldfast()
    const response = await empty.fetch('/api/files', { headers: (await register(empty)).withKey })

    expect(await response.text()).toBe('{"data":{"files":[]},"error":null}')
    expect(response.headers.get('content-type')).toBe('application/json;charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test.each<[string, string, string[]]>([
    ['createdAt', 'ASC', NEWEST_FIRST.toReversed()],
    ['createdAt', 'desc', NEWEST_FIRST],
    ['updatedAt', 'DESC', NEWEST_FIRST],
    ['updatedAt', 'asc', NEWEST_FIRST.toReversed()],
    ['name', 'ASC', ['Zebra', 'a/apple', 'a/deep/pear', 'b/pear', 'a/pear', 'éclair', '🍐']],
    ['name', 'Desc', ['🍐', 'éclair', 'a/deep/pear', 'b/pear', 'a/pear', 'a/apple', 'Zebra']],
    ['size', 'ASC', ['🍐', 'a/deep/pear', 'Zebra', 'éclair', 'a/apple', 'b/pear', 'a/pear']],
    ['size', 'DESC', ['b/pear', 'a/pear', 'éclair', 'a/apple', 'a/deep/pear', 'Zebra', '🍐']],
  ])('orders by %s %s, ties newest first', async (orderBy, orderDirection, expected) => {
    expect(await keys({ orderBy, orderDirection })).toEqual(expected)
    const pages = [0, 2, 4, 6, 8].map((offset) => keys({ orderBy, orderDirection, offset, limit: 2 }))
    expect((await Promise.all(pages)).flat()).toEqual(expected)
  })

  test('orders names by code point, not by UTF-16 unit', async () => {
    await using other = await startWithAccount()
    for (const name of ['\u{1F350}', '\uFFFD', 'z']) await other.api.upload(name, '')

    expect(
      (await other.api.list({ orderBy: 'name', orderDirection: 'ASC' })).map(({ name }) => name),
    ).toEqual(['z', '\uFFFD', '\u{1F350}'])
  })

  test('takes an offset alone, an offset past the end, and a limit of 0', async () => {
    expect(await keys({ offset: 5 })).toEqual(NEWEST_FIRST.slice(5))
    expect(await keys({ offset: 100 })).toEqual([])
    expect(await keys({ limit: 0 })).toEqual([])
    expect(await keys({ limit: 3 })).toEqual(NEWEST_FIRST.slice(0, 3))
    expect(await keys({ limit: 1_000_000 })).toEqual(NEWEST_FIRST)
  })

  test.each([
    ['limit=-1', '"limit" must be at least 0'],
    ['limit=ten', '"limit" must be of type integer'],
    ['limit=1.5', '"limit" must be of type integer'],
    ['limit=', '"limit" must be of type integer'],
    ['offset=-1', '"offset" must be at least 0'],
    ['orderBy=key', '"orderBy" must be one of "createdAt", "updatedAt", "name", "size"'],
    ['orderDirection=up', '"orderDirection" must be ASC or DESC'],
    ['orderBy=name%00', '"orderBy" must be one of'],
  ])('refuses %s', async (query, message) => {
    expect(await api.refusal('GET', `/files?${query}`)).toEqual([400, expect.stringContaining(message)])
  })

  test('finds files by their exact name in every folder', async () => {
    expect(await keys({ name: 'pear' })).toEqual(['a/deep/pear', 'b/pear', 'a/pear'])
    expect(await keys({ name: 'pear', limit: 1, offset: 1 })).toEqual(['b/pear'])
    expect(await keys({ name: 'éclair' })).toEqual(['éclair'])
    for (const name of ['Pear', 'pea', 'a/pear', '', "' OR 1=1"]) expect(await keys({ name })).toEqual([])
  })

  test('streams a list of thousands, as it stood when it began', async () => {
    await using large = await startInsideWithAccount()
    const { id } = await large.api.upload('first', '', 'folder')
    const { store } = large.server.deps
    const row = await store.files.byId(id)
    if (!row) throw new Error('The file has no row')
    const more = Array.from({ length: 2500 }, (_, n) => ({ ...row, id: `${n}`, name: `n${n}`, createdAt: n }))
    await store.transact(() => store.files.insert(more))

    const response = await large.api.send('GET', '/files')
    await store.transact(function* () {
      for (const { id } of more) yield* store.files.remove(id)
    })

    const { data } = (await response.json()) as { data: { files: { name: string }[] } }
    expect(data.files.map(({ name }) => name)).toEqual(['first', ...more.map(({ name }) => name).reverse()])
    expect(await large.api.list()).toHaveLength(1)
  })
})

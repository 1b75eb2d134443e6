import { describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { withHoldfast } from '../support/fixture.ts'
import { filesUnder } from '../support/holdfast.ts'
import { beginUpload, fieldPart, filePart } from '../support/multipart.ts'
import { storedIn } from '../support/stored.ts'

const holdfast = withHoldfast()
const { api } = holdfast

async function folderId(name: string): Promise<string> {
  const { folders } = await api.browse()
  return folders.find((folder) => folder.name === name)?.id ?? 'none'
}

// Row 41.
test('a rename changes the keys below a folder, and none of those that only begin alike', async () => {
  const deep = Array(50).fill('a').join('/')
  const beside = ['ab/f', 'a b/f', 'a.b/f', 'A/f', `ab/${deep}/f`, 'a%2f/f', 'a_/f', 'x/a/f']
  const within = ['a/f', 'a/a/f', `a/${deep}/f`, 'a/ab/f']
  for (const key of [...beside, ...within]) await api.upload('f', key, key.slice(0, -2))

  await api.data('PUT', '/folders', { id: await folderId('a'), name: 'renamed' })

  expect(await Promise.all(beside.map(api.hosted))).toEqual(beside)
  expect(await Promise.all(within.map(api.hosted))).toEqual(within.map(() => 404))
  expect(await Promise.all(within.map((key) => api.hosted(`renamed${key.slice(1)}`)))).toEqual(within)
})

// Row 42.
test.each(['deleted', 'renamed'])(
  'an upload that was begun before its folder was %s ends in a folder that exists',
  async (how) => {
    const folder = `stream ${how}`
    await api.createFolder(`${folder}/b`)
    const id = await folderId(folder)
    const parts = [fieldPart('folder', `${folder}/b`), filePart('f', 'x'.repeat(300_000))]
    const finish = await beginUpload(holdfast.port, holdfast.withKey, parts)
    await eventually(() => filesUnder(holdfast, 'tmp').length > 1)

    if (how === 'deleted') await api.data('DELETE', '/folders', { id })
    else await api.data('PUT', '/folders', { id, name: `${folder} away` })
    const status = await finish()

    const stored = (await api.list()).filter(({ key }) => key.startsWith(folder))
    expect([200, 404, 409]).toContain(status)
    expect(stored.map(({ key }) => key)).toEqual(status === 200 ? [`${folder}/b/f`] : [])
    for (const { key } of stored) expect(await api.hosted(key)).toBe('x'.repeat(300_000))
    const within = (await storedIn(holdfast).keys()).filter((path) => path.startsWith(folder))
    const files = within.filter((path) => path.endsWith('/f'))
    expect(files).toEqual(stored.map(({ key }) => key))
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
  },
)

// Row 49.
describe.each([
  ['POST', '/files/move', 500],
  ['DELETE', '/files', 500],
  ['POST', '/files/download', 1000],
] as const)('%s %s with many ids', (method, path, most) => {
  const ids = (count: number) => Array.from({ length: count }, (_, n) => `nobody ${n}`)
  const send = (list: unknown[]) => api.refusal(method, path, { ids: list, folder: 'batch' })

  test('accepts as many as the limit, and not one more', async () => {
    expect((await send(ids(most)))[0]).toBe(404)
    expect(await send(ids(most + 1))).toEqual([400, expect.stringContaining(String(most))])
  })

  test('counts an id that is sent more than once only once', async () => {
    expect((await send([...ids(most), ...ids(most)]))[0]).toBe(404)
  })

  test('refuses an empty list and ids that are no texts, and finds no id of half a megabyte', async () => {
    expect((await send([]))[0]).toBe(400)
    for (const odd of [1, null, {}, [], true]) expect((await send(['x', odd]))[0]).toBe(400)
    expect((await send(['x'.repeat(500_000)]))[0]).toBe(404)
  })

  test('refuses an id of a megabyte, which exceeds the limit of a body', async () => {
    expect((await send(['x'.repeat(1024 ** 2)]))[0]).toBe(413)
  })
})

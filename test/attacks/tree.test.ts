import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Api, apiOf, type Failure } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import {
  type Account,
  type FileView,
  filesUnder,
  type Holdfast,
  register,
  startHoldfast,
} from '../support/holdfast.ts'
import { fieldPart, filePart, MULTIPART, multipartBody } from '../support/multipart.ts'
import { openSocket, parseAnswer } from '../support/socket.ts'
import { storedIn } from '../support/stored.ts'

let holdfast: Holdfast
let account: Account
let api: Api
beforeAll(async () => {
  holdfast = await startHoldfast()
  account = await register(holdfast)
  api = apiOf(holdfast, account)
})
afterAll(() => holdfast[Symbol.asyncDispose]())

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
    const body = multipartBody([fieldPart('folder', `${folder}/b`), filePart('f', 'x'.repeat(300_000))])
    const head = [
      'POST /api/files HTTP/1.1',
      'Host: localhost',
      `API-Key: ${account.key}`,
      `Content-Type: ${MULTIPART['Content-Type']}`,
    ]
    const socket = await openSocket(holdfast.port)
    socket.write([...head, `Content-Length: ${body.length}`, 'Connection: close', '', ''].join('\r\n'))
    socket.write(body.subarray(0, 200_000))
    await eventually(() => filesUnder(holdfast, 'tmp').length > 1)

    if (how === 'deleted') await api.data('DELETE', '/folders', { id })
    else await api.data('PUT', '/folders', { id, name: `${folder} away` })
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.write(body.subarray(200_000))
    await new Promise((closed) => socket.on('close', closed))

    const { status } = parseAnswer(Buffer.concat(chunks))
    const stored = (await api.list()).filter(({ key }) => key.startsWith(folder))
    expect([200, 404, 409]).toContain(status)
    expect(stored.map(({ key }) => key)).toEqual(status === 200 ? [`${folder}/b/f`] : [])
    expect(await Promise.all(stored.map(({ key }) => api.hosted(key)))).toEqual(
      stored.map(() => 'x'.repeat(300_000)),
    )
    const files = (await storedIn(holdfast).keys()).filter(
      (path) => path.startsWith(folder) && path.endsWith('/f'),
    )
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

// Row 49.
test('a mixed batch deletes all files that it can, each once', async () => {
  const file = await api.upload('mixed', 'x')

  const moved = await api.data<{ files: FileView[]; failed: Failure[] }>('POST', '/files/move', {
    ids: [file.id, 'nobody', file.id],
    folder: 'mixed to',
  })
  const deleted = await api.data<{ deleted: string[]; failed: Failure[] }>('DELETE', '/files', {
    ids: ['nobody', file.id, file.id],
  })

  expect(moved.files.map(({ key }) => key)).toEqual(['mixed to/mixed'])
  expect(deleted.deleted).toEqual([file.id])
  expect([moved.failed, deleted.failed].map((failed) => failed.map(({ id }) => id))).toEqual([
    ['nobody'],
    ['nobody'],
  ])
})

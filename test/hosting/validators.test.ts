import { beforeAll, describe, expect, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import { type FileView, postJson, TestClock } from '../support/holdfast.ts'
import { fieldPart, filePart, MULTIPART, multipartBody } from '../support/multipart.ts'
import type { RawAnswer } from '../support/socket.ts'
import { storedIn } from '../support/stored.ts'
import { begin, sendPiece } from '../uploads/tus.ts'
import { headersBut, onWire, type Question, ROUTES } from './wire.ts'

const CONTENT = '0123456789abcdefghij'
const clock = new TestClock()
const holdfast = withInside({ clock })
const { ask, askFor, storeOld } = onWire(holdfast)
let names = 0

/** Stores a file that was last modified at `epochMs`. */
async function modifiedAt(epochMs: number): Promise<FileView> {
  const file = await storeOld(`f${names++}`, CONTENT)
  await storedIn(holdfast).setModified(file, epochMs)
  return file
}

describe.each(ROUTES)('the validators by %s', (route) => {
  test('of files modified within one second share the date and differ in the tag', async () => {
    const file = await modifiedAt(1_735_689_600_789)

    const answer = await askFor(route, file)

    expect(headersBut(answer)).toMatchObject({
      etag: '"14-1941f297f15"',
      'last-modified': 'Wed, 01 Jan 2025 00:00:00 GMT',
    })
    const again = { headers: ['If-Modified-Since: Wed, 01 Jan 2025 00:00:00 GMT'] }
    expect((await askFor(route, file, again)).status).toBe(304)
  })

  test('of a file from the future are never later than now', async () => {
    const file = await modifiedAt(Date.parse('2099-01-01T00:00:00Z'))

    const answer = await askFor(route, file)
    const again = { headers: [`If-Modified-Since: ${answer.headers.get('last-modified')}`] }

    expect(answer.headers.get('last-modified')).toBe('Sun, 01 Mar 2026 12:00:00 GMT')
    expect((await askFor(route, file, again)).status).toBe(304)
  })
})

const REPLACED = 'ABCDEFGHIJ9876543210'

describe.each(ROUTES)('a file read by %s in ranges', (route) => {
  test('and deleted and uploaded again between two of them is sent whole', async () => {
    const file = await holdfast.api.upload(`parts${names++}`, CONTENT)
    const first = await askFor(route, file, { headers: ['Range: bytes=0-9'] })
    expect([first.status, first.body.toString()]).toEqual([206, '0123456789'])
    const question = { headers: ['Range: bytes=10-19', `If-Range: ${first.headers.get('etag')}`] }

    await holdfast.api.data('DELETE', '/files', { id: file.id })
    const replaced = await holdfast.api.upload(file.name, REPLACED)
    const second = await askFor(route, replaced, question)

    expect([second.status, second.body.toString()]).toEqual([200, REPLACED])
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'))
    expect(second.headers.get('etag')).toStartWith('"14-')
  })

  test('and left alone between two of them is sent in ranges', async () => {
    const file = await holdfast.api.upload(`parts${names++}`, CONTENT)
    const first = await askFor(route, file, { headers: ['Range: bytes=0-9'] })
    const question = { headers: ['Range: bytes=10-19', `If-Range: ${first.headers.get('etag')}`] }

    const second = await askFor(route, file, question)

    expect([second.status, second.body.toString()]).toEqual([206, 'abcdefghij'])
  })
})

describe('conditions of requests that are not for bytes', () => {
  test.each(['If-None-Match: *', 'If-Match: "foo"', 'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT'])(
    '%s of a key that nothing has is 404',
    async (header) => {
      expect((await ask('/api/hosting/nothing', { headers: [header] })).status).toBe(404)
    },
  )

  test('are ignored by methods that change something', async () => {
    const file = await modifiedAt(0)
    const headers = { ...holdfast.withKey, 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' }
    const body = JSON.stringify({ id: file.id })

    expect((await postJson(holdfast, '/api/files/sign', { id: file.id }, headers)).status).toBe(200)
    expect((await holdfast.fetch(`/${file.url}`, { method: 'POST', headers })).status).toBe(405)
    expect((await holdfast.fetch('/api/files', { method: 'DELETE', body, headers })).status).toBe(200)
  })
})

/** Ways to open a private file: with headers, or with another target. */
const DOORS = ['an API key', 'a session', 'a signed link'] as const

async function openBy(door: (typeof DOORS)[number], file: FileView, question: Question): Promise<RawAnswer> {
  if (door === 'a signed link') {
    return ask(`/${(await holdfast.api.sign(file.id)).url}`, question)
  }
  const proof = door === 'a session' ? `Cookie: ${holdfast.cookie}` : `API-Key: ${holdfast.key}`
  return ask(`/${file.url}`, { ...question, headers: [proof, ...(question.headers ?? [])] })
}

describe.each(DOORS)('a private file hosted for %s', (door) => {
  let file: FileView
  let etag: string
  beforeAll(async () => {
    file = await storeOld(`private${names++}`, CONTENT, 'private')
    etag = (await askFor('download', file)).headers.get('etag') ?? ''
    expect(etag).toBe('"14-1941f297c00"')
  })

  test.each([
    [[]],
    [['If-None-Match: *']],
    [['If-None-Match: "14-1941f297c00"']],
    [['If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT']],
    [['If-Match: "foo"']],
    [['If-Unmodified-Since: Mon, 01 Jan 2001 00:00:00 GMT']],
    [['Range: bytes=0-4', 'If-Range: "14-1941f297c00"']],
    [['Range: bytes=0-4', 'If-Range: Wed, 01 Jan 2025 00:00:00 GMT']],
  ])('has no validators and ignores conditions: %j', async (headers) => {
    const answer = await openBy(door, file, { headers })
    const head = await openBy(door, file, { method: 'HEAD', headers })

    expect([answer.status, answer.body.toString()]).toEqual([200, CONTENT])
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(answer.headers.has('etag') || answer.headers.has('last-modified')).toBe(false)
    expect([head.status, head.body.length, headersBut(head)]).toEqual([200, 0, headersBut(answer)])
  })

  test('takes ranges', async () => {
    const part = await openBy(door, file, { headers: ['Range: bytes=0-4', 'If-None-Match: *'] })
    const past = await openBy(door, file, { headers: ['Range: bytes=20-'] })

    expect([part.status, part.body.toString()]).toEqual([206, '01234'])
    expect(headersBut(part)).toMatchObject({
      'cache-control': 'private, no-store',
      'content-range': 'bytes 0-4/20',
    })
    expect(part.headers.has('etag') || part.headers.has('last-modified')).toBe(false)
    expect([past.status, past.headers.get('content-range')]).toEqual([416, 'bytes */20'])
  })
})

const COUNT = 100
const hundred = Array.from({ length: COUNT }, (_, index) => String(index))
const tagOf = async (key: string) => (await holdfast.fetch(`/api/hosting/${key}`)).headers.get('etag')

/** Uploads `COUNT` files of the same size in one request. */
async function uploadTogether(folder: string): Promise<void> {
  const parts = hundred.map((name) => filePart(name, name.padEnd(20)))
  const response = await holdfast.fetch('/api/files', {
    method: 'POST',
    headers: { ...holdfast.withKey, ...MULTIPART },
    body: multipartBody([...parts, fieldPart('folder', folder)]),
  })
  expect(response.status).toBe(200)
}

async function uploadInPieces(folder: string): Promise<void> {
  const send = async (name: string) => {
    const path = await begin(holdfast, holdfast.withKey, { length: 20, fields: { name, folder } })
    const sent = await sendPiece(holdfast, holdfast.withKey, { path, offset: 0, body: name.padEnd(20) })
    expect(sent.status).toBe(204)
  }
  await Promise.all(hundred.map(send))
}

test('no two files have the same tag, also those of one size that came at once', async () => {
  await Promise.all([uploadTogether('one'), uploadTogether('two'), uploadInPieces('three')])

  const keys = ['one', 'two', 'three'].flatMap((folder) => hundred.map((name) => `${folder}/${name}`))
  const tags = await Promise.all(keys.map(tagOf))

  expect(tags.every((tag) => /^"14-[\da-f]+"$/.test(tag ?? ''))).toBe(true)
  expect(new Set(tags).size).toBe(3 * COUNT)
})

test('a file never gets the entity tag of the one of its size that it replaced', async () => {
  const { api } = holdfast
  await uploadTogether('swapped')
  const idOf = async (key: string) => (await api.data<{ file: FileView }>('GET', `/files?key=${key}`)).file.id
  const [first, second] = [await idOf('swapped/1'), await idOf('swapped/2')]
  const before = await tagOf('swapped/1')

  await api.data('DELETE', '/files', { id: first })
  await api.data('PUT', '/files', { id: second, name: '1' })

  const headers = { 'If-None-Match': before ?? '', Range: 'bytes=0-3', 'If-Range': before ?? '' }
  const response = await holdfast.fetch('/api/hosting/swapped/1', { headers })
  expect(response.status).toBe(200)
  expect(await response.text()).toBe('2'.padEnd(20))
})

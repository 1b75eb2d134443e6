import { describe, expect, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import { messageOf, postJson, refusalOf, TestClock } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { storedIn } from '../support/stored.ts'

const clock = new TestClock()

const holdfast = withInside({ clock, environment: { MAX_PRESIGN_TTL_SECONDS: '7200' } })

const { api } = holdfast
const get = (path: string) => holdfast.fetch(path, { headers: holdfast.withKey })
const remove = (body: unknown, headers: Record<string, string> = holdfast.withKey) =>
  holdfast.fetch('/api/files', { method: 'DELETE', body: JSON.stringify(body), headers })
let names = 0
const newFile = (folder = 'files') => api.upload(`f${names++}.txt`, 'hello', folder)

describe('GET /api/files', () => {
  test('finds a file by id and by key', async () => {
    const file = await newFile('a/b')

    expect(await (await get(`/api/files?id=${file.id}`)).json()).toEqual({ data: { file }, error: null })
    expect(await api.data<object>('GET', `/files?key=${encodeURIComponent(file.key)}`)).toEqual({ file })
    expect(await api.data<object>('GET', `/files?key=//a//b//${file.name}/`)).toEqual({ file })
    expect(file.createdAt).toBe('2026-03-01 12:00:00')
  })

  test.each(['a,b.txt', '[1].txt', '[1,2]', '{"a":1}', '1', 'true', 'a+b c&d=e%41.txt'])(
    'finds a file that is called %s, in a folder of that name',
    async (name) => {
      const file = await api.upload(name, 'x', `plain/${name}`)
      const sent = encodeURIComponent(name)
      const files = async (path: string) =>
        ((await (await get(path)).json()) as { data: { file?: unknown; files?: unknown } }).data

      expect(await files(`/api/files?name=${sent}`)).toEqual({ files: [file] })
      expect(await files(`/api/files?key=${encodeURIComponent(file.key)}`)).toEqual({ file })
      expect(await files(`/api/folders?key=plain/${sent}`)).toMatchObject({ files: [file] })
    },
  )

  test('answers with the id when both are given', async () => {
    const [one, other] = [await newFile(), await newFile()]

    expect(await (await get(`/api/files?id=${one.id}&key=${other.key}`)).json()).toMatchObject({
      data: { file: { id: one.id } },
    })
  })

  test.each([
    'id=nope',
    'key=nope',
    'key=',
    'key=files',
    'key=..%2F..%2Fetc%2Fpasswd',
    'key=a%00b',
    'key=a%5Cb',
    `key=${'x'.repeat(5000)}`,
    'key=%F0%9F',
    'id=%27%20OR%201%3D1',
  ])('answers 404 to %s', async (query) => {
    expect(await refusalOf(await get(`/api/files?${query}`))).toEqual([404, 'File not found'])
  })
})

describe('DELETE /api/files', () => {
  test('removes the file from disk, catalog and hosting, and records it', async () => {
    const file = await newFile('to-delete')

    const response = await remove({ id: file.id })

    expect(await response.json()).toEqual({ data: null, error: null })
    expect(await storedIn(holdfast).keys()).not.toContain(file.key)
    expect((await get(`/api/files?id=${file.id}`)).status).toBe(404)
    expect((await holdfast.fetch(`/${file.url}`)).status).toBe(404)
    await expectNoIntents(holdfast)
    const [entry] = holdfast.catalog.activities.newest(holdfast.userId, 1)
    expect(entry).toMatchObject({ type: 'file.deleted', target: file.name, detail: null })
  })

  test('succeeds for a file whose bytes are gone already', async () => {
    const file = await newFile()
    await storedIn(holdfast).lose(file)

    expect((await remove({ id: file.id })).status).toBe(200)
    expect((await get(`/api/files?id=${file.id}`)).status).toBe(404)
  })

  test('of one file by twenty requests at once succeeds once', async () => {
    const file = await newFile()

    const responses = await Promise.all(Array.from({ length: 20 }, () => remove({ id: file.id })))

    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(404)])
  })

  test('leaves the name free for another file', async () => {
    const file = await newFile()
    await remove({ id: file.id })
    expect((await api.upload(file.name, 'second', 'files')).id).not.toBe(file.id)
    expect(await (await holdfast.fetch(`/${file.url}`)).text()).toBe('second')
  })

  test.each<[string, unknown, number]>([
    ['an unknown id', { id: 'nope' }, 404],
    ['no id', {}, 400],
    ['a number', { id: 7 }, 400],
    ['null', null, 400],
    ['a megabyte of id', { id: 'x'.repeat(900_000) }, 404],
    ['more than a megabyte of body', { id: 'x'.repeat(1_100_000) }, 413],
    ['a poisoned prototype', JSON.parse('{"__proto__":{"id":"x"}}'), 400],
  ])('refuses %s', async (_, body, status) => {
    const response = await remove(body)

    expect(response.status).toBe(status)
    expect(await messageOf(response)).not.toBe('')
  })

  test('refuses JSON that is 200,000 levels deep', async () => {
    expect((await api.sendBody('DELETE', '/files', '['.repeat(200_000))).status).toBe(400)
  })
})

describe('POST /api/files/sign', () => {
  const sign = async (body: unknown) => await postJson(holdfast, '/api/files/sign', body, holdfast.withKey)
  const signed = async (body: unknown) =>
    ((await (await sign(body)).json()) as { data: { url: string; expiresAt: string } }).data

  test('creates a link that opens a private file to visitors until it expires', async () => {
    const file = await api.upload('secret ö.txt', 'hidden', '', 'private')

    const { url, expiresAt } = await signed({ id: file.id, expiresIn: 60 })

    expect(url).toMatch(/^api\/hosting\/secret%20%C3%B6\.txt\?exp=1772366460&sig=[\w-]{43}$/)
    expect(expiresAt).toBe('2026-03-01T12:01:00.000Z')
    expect(await (await holdfast.fetch(`/${url}`)).text()).toBe('hidden')
    expect((await holdfast.fetch(`/${file.url}`)).status).toBe(404)
    clock.advance(60_000)
    expect((await holdfast.fetch(`/${url}`)).status).toBe(404)
    clock.advance(-60_000)
  })

  test('takes a key too, and the id before it', async () => {
    const [one, other] = [await newFile(), await newFile()]

    expect((await signed({ key: one.key })).url).toStartWith(one.url)
    expect((await signed({ id: other.id, key: one.key })).url).toStartWith(other.url)
  })

  test.each<[string, unknown, number]>([
    ['nothing', undefined, 3600],
    ['0', 0, 1],
    ['-5', -5, 1],
    ['1.9', 1.9, 1],
    ['more than the maximum', 1e308, 7200],
  ])('an expiresIn of %s becomes a lifetime within the bounds', async (_, expiresIn, seconds) => {
    const { id } = await newFile()

    const { url, expiresAt } = await signed({ id, expiresIn })

    const exp = Number(new URL(url, 'http://x').searchParams.get('exp'))
    expect(exp * 1000 - clock.now()).toBe(seconds * 1000)
    expect(new Date(expiresAt).getTime()).toBe(exp * 1000)
  })

  test.each<[string, unknown, number, string]>([
    ['neither id nor key', { expiresIn: 60 }, 400, '"id" or "key" is required'],
    ['a lifetime in text', { id: 'x', expiresIn: '60' }, 400, '"expiresIn" must be of type number'],
    ['null for a lifetime', { id: 'x', expiresIn: null }, 400, '"expiresIn" must be of type number'],
    ['an unknown id', { id: 'nope' }, 404, 'File not found'],
    ['an unknown key', { key: 'nope/nope' }, 404, 'File not found'],
  ])('refuses %s', async (_, body, status, message) => {
    expect(await refusalOf(await sign(body))).toEqual([status, message])
  })

  test('refuses a number that JSON cannot represent', async () => {
    const { id } = await newFile()
    const response = await holdfast.fetch('/api/files/sign', {
      method: 'POST',
      body: `{"id":"${id}","expiresIn":1e999}`,
      headers: holdfast.withKey,
    })

    expect(response.status).toBe(400)
  })
})

describe('GET /api/files/download/:id', () => {
  test('sends the file as an attachment, with validators also for a private one', async () => {
    const file = await api.upload('naïve "x".html', '<p>', '', 'private')

    const response = await get(`/api/files/download/${file.id}`)

    expect(response.status).toBe(200)
    expect(await response.text()).toBe('<p>')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-disposition': `attachment; filename="na_ve _x_.html"; filename*=UTF-8''na%C3%AFve%20%22x%22.html`,
      'content-type': 'text/html',
      'cache-control': 'private, max-age=0, must-revalidate',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^"3-[0-9a-f]+"$/),
    })
  })

  test('answers 304 to its own validator', async () => {
    const { id } = await newFile()
    const etag = (await get(`/api/files/download/${id}`)).headers.get('etag') ?? ''

    const response = await holdfast.fetch(`/api/files/download/${id}`, {
      headers: { ...holdfast.withKey, 'If-None-Match': etag },
    })

    expect(response.status).toBe(304)
  })

  test('answers 401 to strangers and 404 to what does not exist or has lost its bytes', async () => {
    const file = await newFile()

    expect((await holdfast.fetch(`/api/files/download/${file.id}`)).status).toBe(401)
    expect((await get('/api/files/download/nope')).status).toBe(404)
    expect((await get('/api/files/download/%zz')).status).toBe(404)
    await storedIn(holdfast).lose(file)
    expect((await get(`/api/files/download/${file.id}`)).status).toBe(404)
  })
})

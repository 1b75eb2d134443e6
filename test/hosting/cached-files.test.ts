import { describe, expect, test } from 'bun:test'
import { ResponseCache } from '../../src/modules/hosting/response-cache.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount, withInside } from '../support/fixture.ts'
import { type FileView, type Inside, TestClock, upload } from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'
import { addFile } from './cached.ts'
import { headersOf, openHandles } from './wire.ts'

const clock = new TestClock()
const holdfast = withInside({ isAlone: true, clock })

let names = 0
/** Uploads a public file and requests it until it is cached. */
async function hotFile(content = 'hot'): Promise<FileView> {
  const file = await holdfast.api.upload(`hot${names++}.txt`, content, 'hot')
  expect(await (await get(file)).text()).toBe(content)
  expect(await (await get(file)).text()).toBe(content)
  return file
}
const get = ({ url }: FileView, headers: Record<string, string> = {}) =>
  holdfast.fetch(`/${url}`, { headers })

describe('a cached file', () => {
  test('gets the same response as from disk', async () => {
    const file = await holdfast.api.upload('same.html', '<p>', 'hot')

    const [fromDisk, fromMemory] = [await get(file), await get(file)]

    expect(headersOf(fromMemory)).toEqual(headersOf(fromDisk))
    expect(await fromMemory.text()).toBe(await fromDisk.text())
  })

  test.each([
    ['a range of a small file', 'hot and small', 'bytes=4-6'],
    ['the end of a small file', 'hot and small', 'bytes=-5'],
    ['a range past the end of a small file', 'hot and small', 'bytes=4-99'],
    ['a range of a large file', 'large '.repeat(300_000), 'bytes=600000-600011'],
    ['a malformed range, with the whole file', 'hot and small', 'bytes=6-4'],
  ])('serves %s as from disk', async (_, content, range) => {
    const file = await hotFile(content)

    const fromMemory = await get(file, { Range: range })
    const fromDisk = await get(file, { Range: range, Cookie: 'none=1' })

    expect(fromMemory.status).toBe(fromDisk.status)
    expect(headersOf(fromMemory)).toEqual(headersOf(fromDisk))
    expect(await fromMemory.text()).toBe(await fromDisk.text())
  })

  test('is sent whole after a request for a range', async () => {
    const content = 'large '.repeat(300_000)
    const file = await holdfast.api.upload('part.txt', content, 'hot')
    await (await get(file, { Range: 'bytes=6-10' })).text()

    const whole = await get(file)

    expect(whole.status).toBe(200)
    expect(whole.headers.get('content-length')).toBe(String(content.length))
    expect(whole.headers.has('content-range')).toBe(false)
    expect(await whole.text()).toBe(content)
  })

  test('gets the same 304 as from disk', async () => {
    const file = await hotFile()
    const etag = (await get(file)).headers.get('etag') ?? ''

    const fromMemory = await get(file, { 'If-None-Match': etag })
    const fromDisk = await get(file, { 'If-None-Match': `${etag}, "another"` })

    expect([fromMemory.status, fromDisk.status]).toEqual([304, 304])
    expect(headersOf(fromMemory)).toEqual(headersOf(fromDisk))
  })

  test('is sent with the date of each response', async () => {
    const file = await hotFile('0123456789')
    const large = await hotFile('large '.repeat(300_000))
    const etag = (await get(file)).headers.get('etag') ?? ''
    const questions: [FileView, Record<string, string>][] = [
      [file, {}],
      [file, { Range: 'bytes=2-4' }],
      [file, { 'If-None-Match': etag }],
      [large, {}],
      [large, { Range: 'bytes=6-10' }],
    ]
    const dates = async () => {
      const responses = await Promise.all(questions.map((question) => get(...question)))
      await Promise.all(responses.map((response) => response.arrayBuffer()))
      return responses.map(({ headers }) => headers.get('date'))
    }

    for (let n = 0; n < 3; n += 1) {
      const now = new Date(clock.now()).toUTCString()
      expect(await dates()).toEqual(questions.map(() => now))
      clock.advance(1000)
    }
  })

  test('is cached after a 304, and its bytes after a 200', async () => {
    const file = await holdfast.api.upload('known.txt', 'known', 'hot')
    const kept = () => holdfast.server.modules.hosting.responseCache.find(file.key)
    const head = await holdfast.fetch(`/${file.url}`, { method: 'HEAD' })
    const condition = { 'If-None-Match': head.headers.get('etag') ?? '' }
    expect(kept()).toBeUndefined()

    const fromDisk = await get(file, condition)
    expect(kept()?.whole).toBeUndefined()
    const fromMemory = await get(file, condition)
    expect([fromDisk.status, fromMemory.status]).toEqual([304, 304])
    expect(headersOf(fromMemory)).toEqual(headersOf(fromDisk))

    const part = await get(file, { Range: 'bytes=1-2' })
    expect([part.status, part.headers.get('content-type'), await part.text()]).toEqual([
      206,
      'text/plain',
      'no',
    ])
    expect(await (await get(file)).text()).toBe('known')
    expect(kept()?.whole?.body.length).toBe(5)
    const whole = await get(file)
    expect(headersOf(whole)).toEqual(headersOf(await get(file, { Cookie: 'none=1' })))
    expect(await whole.text()).toBe('known')
  })

  test('still serves ranges, conditions and ?download=1', async () => {
    const file = await hotFile('0123456789')

    expect(await (await get(file, { Range: 'bytes=2-4' })).text()).toBe('234')
    expect((await get(file, { 'If-Match': '"other"' })).status).toBe(412)
    expect((await holdfast.fetch(`/${file.url}?download=1`)).headers.get('content-disposition')).toStartWith(
      'attachment',
    )
    expect((await holdfast.fetch(`/${file.url}`, { method: 'HEAD' })).headers.get('content-length')).toBe(
      '10',
    )
  })

  test.each([
    ['small', 'hot and small'],
    ['large', 'large '.repeat(300_000)],
  ])('still evaluates every condition (%s)', async (_, content) => {
    const file = await hotFile(content)
    const { headers } = await get(file)
    const [etag, modified] = [headers.get('etag') ?? '', headers.get('last-modified') ?? '']
    const epoch = new Date(0).toUTCString()
    const range = { Range: 'bytes=2-4' }
    const statusOf = async (conditions: Record<string, string>) => (await get(file, conditions)).status

    expect([
      await statusOf({ 'If-Modified-Since': modified }),
      await statusOf({ 'If-Modified-Since': epoch }),
      await statusOf({ 'If-Unmodified-Since': epoch }),
      await statusOf({ 'If-Unmodified-Since': modified }),
      await statusOf({ ...range, 'If-Range': '"other"' }),
      await statusOf({ ...range, 'If-Range': etag }),
    ]).toEqual([304, 200, 412, 200, 200, 206])
  })

  test('leaves no descriptor open after a comparison with the disk', async () => {
    const file = await hotFile()

    for (let n = 0; n < 3; n += 1) {
      clock.advance(1000)
      await get(file)
    }

    expect(openHandles(process.pid, storedIn(holdfast).localPath(file))).toBe(0)
  })

  test('gets 404 once it is deleted', async () => {
    const { id, ...file } = await hotFile()

    await holdfast.api.send('DELETE', '/files', { id })

    expect((await get({ id, ...file })).status).toBe(404)
  })

  test('is replaced at once by another file at its key', async () => {
    const file = await hotFile('first')
    await holdfast.api.send('DELETE', '/files', { id: file.id })
    await holdfast.api.upload(file.name, 'again', 'hot')

    expect(await (await get(file)).text()).toBe('again')
  })

  test('counts every request, also for a 304, but none of a session', async () => {
    await using counted = await startInsideWithAccount({ isAlone: true, clock })
    const { url } = await upload(counted, counted.withKey, { name: 'a', content: '12345' })
    for (let n = 0; n < 5; n += 1) await counted.fetch(`/${url}`)
    const etag = (await counted.fetch(`/${url}`)).headers.get('etag') ?? ''
    await counted.fetch(`/${url}`, { headers: { 'If-None-Match': etag } })
    await counted.fetch(`/${url}`, { headers: { Cookie: counted.cookie } })

    await counted.server.modules.hosting.traffic.flush()

    expect(counted.catalog.traffic.day('2026-03-01')).toMatchObject({
      requests: 7,
      bytes: 30,
      notFound: 0,
    })
  })

  test('is subject to the rate limit, and counted once', async () => {
    await using limited = await startInsideWithAccount({
      clock: new TestClock(),
      environment: { RATE_LIMIT_HOSTING: '4' },
    })
    const { url } = await upload(limited, limited.withKey, { name: 'a', content: 'x' })
    const statuses: number[] = []
    for (let n = 0; n < 6; n += 1) statuses.push((await limited.fetch(`/${url}`)).status)

    expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
  })
})

describe('the rate limit of a cached file', () => {
  test('counts each client behind a trusted proxy by its own address', async () => {
    await using limited = await startInsideWithAccount({
      clock: new TestClock(),
      environment: { RATE_LIMIT_HOSTING: '3', TRUST_PROXY: '127.0.0.1' },
    })
    const { url } = await upload(limited, limited.withKey, { name: 'a', content: 'x' })
    const statusFor = async (client: string) =>
      (await limited.fetch(`/${url}`, { headers: { 'X-Forwarded-For': client } })).status

    const first = [await statusFor('192.0.2.1'), await statusFor('192.0.2.1'), await statusFor('192.0.2.1')]

    expect(first).toEqual([200, 200, 200])
    expect(await statusFor('192.0.2.1')).toBe(429)
    expect(await statusFor('192.0.2.2')).toBe(200)
  })
})

describe('a larger file leaves no descriptor open', () => {
  const content = 'x'.repeat(3_000_000)
  const expectClosed = async (own: Inside, file: FileView) => {
    own.server.modules.hosting.responseCache.closeIdle(0)
    await eventually(() => openHandles(process.pid, storedIn(own).localPath(file)) === 0)
  }

  test('when the rate limit refuses it', async () => {
    await using limited = await startInsideWithAccount({
      clock: new TestClock(),
      environment: { RATE_LIMIT_HOSTING: '3' },
    })
    const file = await upload(limited, limited.withKey, { name: 'large', content })
    const statuses: number[] = []
    for (let n = 0; n < 6; n += 1) {
      const response = await limited.fetch(`/${file.url}`)
      await response.arrayBuffer()
      statuses.push(response.status)
    }

    expect(statuses).toEqual([200, 200, 200, 429, 429, 429])
    await expectClosed(limited, file)
  })
})

describe('ResponseCache', () => {
  // Each entry takes 2 KiB more than its bytes: there is space for two.
  const limits = { fileBytes: 50, totalBytes: 2 * 2048 + 100 }
  const makeCache = () => {
    const { deps } = holdfast.server
    const cache = new ResponseCache(deps, limits)
    const add = (key: string, bytes: number, mtimeMs = 0) =>
      addFile(cache, { key, bytes, mtimeMs }, deps.store.version())
    const cached = () => ['a', 'b', 'c', 'd', 'big'].filter((key) => cache.find(key) !== undefined)
    return { cache, add, cached }
  }

  test('evicts the least recently used files beyond its limit', () => {
    const { cache, add, cached } = makeCache()

    add('a', 40)
    add('b', 40)
    cache.find('a')
    add('c', 40)
    expect(cached()).toEqual(['a', 'c'])
    add('a', 20)
    add('d', 20)

    expect(cached()).toEqual(['a', 'd'])
    expect(cache.bytes).toBe(2 * (2048 + 20))
  })

  test('retains a file in use while many others are requested once', () => {
    const { cache, add } = makeCache()
    add('a', 40)
    for (let n = 0; n < 100; n += 1) {
      add(`other${n}`, 40)
      expect(cache.find('a')).toBeDefined()
    }
  })
})

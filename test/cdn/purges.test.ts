import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { recordTime } from '../../src/views/times.ts'
import { statsFor } from '../stats/stats.ts'
import { openDatabase } from '../support/accounts.ts'
import { withInside } from '../support/fixture.ts'
import { TestClock } from '../support/holdfast.ts'
import { StandIn } from './caches.ts'
import { expectSiteWay, expectWay, SITE_WAYS, SITES_DOMAIN, sendPurges, WAYS } from './ways.ts'

const TOKEN = 'token-of-the-cache'
const clock = new TestClock()
const cache = new StandIn()
const holdfast = withInside({
  clock,
  environment: { CDN_KIND: 'varnish', CDN_URL: cache.url, CDN_TOKEN: TOKEN, SITES_DOMAIN },
})
const { api } = holdfast
beforeAll(() => cache.start(holdfast.port))
afterAll(() => cache[Symbol.asyncDispose]())
afterEach(async () => {
  cache.respond = () => new Response()
  // Past the pause after a failure, and the second purge of everything.
  for (let n = 0; n < 2; n += 1) {
    clock.advance(60_000)
    await sendPurges(holdfast)
  }
  cache.purged.length = 0
})

const hosted = (key: string, headers: Record<string, string> = {}) =>
  holdfast.fetch(`/api/hosting/${key}`, { headers })
const keysOf = (response: Response) => response.headers.get('xkey')?.split(',') ?? []
const purgedKeys = () => cache.purged.map(({ headers }) => headers.get('xkey')?.split(' ') ?? [])
const makePrivate = (id: string) => api.data('PUT', '/files', { id, visibility: 'private' })
const owed = async () =>
  (await statsFor(holdfast, holdfast.admin.withSession)).alerts.filter(({ type }) => type === 'cache-owed')

describe('the cache stops serving a file as it was when', () => {
  test.each([...WAYS])('$name', (way) => expectWay(holdfast, cache, way))
  test.each([...SITE_WAYS])('of a site: $name', (way) => expectSiteWay(holdfast, cache, way))

  test('everything is made private', async () => {
    await api.upload('everything.txt', 'x', 'everything', 'public')
    expect((await fetch(`${cache.url}/api/hosting/everything/everything.txt`)).status).toBe(200)
    await holdfast.bySession.data('POST', '/settings/apply-visibility', { visibility: 'private' })
    await sendPurges(holdfast)
    expect((await fetch(`${cache.url}/api/hosting/everything/everything.txt`)).status).toBe(404)
  })
})

describe('a response', () => {
  test('of a public file has its key and those of the folders above it, whole, in part, unchanged and as a head', async () => {
    await api.upload('a.txt', 'abc', 'tagged/deep', 'public')
    await api.upload('b.txt', 'abc', 'tagged', 'public')
    const whole = await hosted('tagged/deep/a.txt')
    const keys = keysOf(whole)
    expect(keys).toHaveLength(4)
    expect(keys.every((key) => /^[0-9a-f]{16}$/.test(key))).toBe(true)
    expect(whole.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate, s-maxage=86400')
    expect(whole.headers.get('vary')).toBeNull()
    const etag = whole.headers.get('etag') ?? ''
    const others = [
      await hosted('tagged/deep/a.txt', { Range: 'bytes=0-1' }),
      await hosted('tagged/deep/a.txt', { 'If-None-Match': etag }),
      await hosted('tagged/deep/a.txt', { Cookie: holdfast.cookie }),
      await hosted('tagged/./deep//a.txt?download=1'),
      await holdfast.fetch('/api/hosting/tagged/deep/a.txt', { method: 'HEAD' }),
    ]
    expect(others.map(({ status }) => status)).toEqual([206, 304, 200, 200, 200])
    for (const response of others) {
      expect(keysOf(response)).toEqual(keys)
      expect(response.headers.get('set-cookie')).toBeNull()
    }
    expect(keysOf(await hosted('tagged/b.txt')).slice(0, 2)).toEqual(keys.slice(0, 2))
  })

  test('that only some may have has no keys, and no shared cache may keep it', async () => {
    const file = await api.upload('private.txt', 'abc', '', 'private')
    const { url } = await api.sign(file.id)
    const responses = [
      await holdfast.fetch(`/${url}`),
      await hosted('private.txt', holdfast.withKey),
      await hosted('private.txt', { Cookie: holdfast.cookie }),
      await hosted('private.txt'),
      await hosted('missing.txt'),
      await hosted('missing.txt', { Accept: 'text/html' }),
      await holdfast.fetch('/api/hosting/missing.txt', { method: 'HEAD' }),
      await holdfast.fetch(`/api/files/download/${file.id}`, { headers: holdfast.withKey }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 404, 404, 404, 404, 200])
    for (const response of responses) {
      expect(response.headers.get('xkey')).toBeNull()
      expect(response.headers.get('cache-control')).toMatch(/^private|no-store/)
    }
  })

  test('of a file below very many folders is not kept by a shared cache', async () => {
    const [deep, deeper] = [58, 59].map((count) => Array.from({ length: count }, () => 'd').join('/'))
    await api.upload('f.txt', 'x', deep, 'public')
    await api.upload('f.txt', 'x', deeper, 'public')
    const kept = await hosted(`${deep}/f.txt`)
    expect(kept.headers.get('xkey')?.length).toBeLessThanOrEqual(1024)
    expect(keysOf(kept)).toHaveLength(60)
    const other = await hosted(`${deeper}/f.txt`)
    expect(other.headers.get('xkey')).toBeNull()
    expect(other.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate, s-maxage=0')
  })

  test('has the keys of the folder that took the place of another', async () => {
    const file = await api.upload('f.txt', 'x', 'outer/inner', 'public')
    const before = keysOf(await hosted('outer/inner/f.txt'))
    const outer = (await api.browse()).folders.find(({ name }) => name === 'outer')
    await api.data('PUT', '/folders', { id: outer?.id, name: 'former' })
    const again = await api.createFolder('outer')
    await api.data('POST', '/folders/move', { id: file.folderId, folderId: again.id })
    expect(keysOf(await hosted('outer/inner/f.txt'))).toEqual(before)
  })
})

describe('a purge', () => {
  test('of a folder is one, however many files are below it', async () => {
    const files = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}.txt`, 'x']))
    await holdfast.sendUpload(files, { folder: 'many', visibility: 'public' })
    const [file] = await api.list({ limit: 1 })
    await api.data('PUT', '/folders', { id: file?.folderId, visibility: 'private' })
    await sendPurges(holdfast)
    expect(purgedKeys().map((keys) => keys.length)).toEqual([1])
  })

  test('is not owed for what no cache has: private files, new ones, and what becomes public', async () => {
    const file = await api.upload('never.txt', 'x', 'never', 'private')
    await api.data('PUT', '/files', { id: file.id, name: 'other.txt' })
    await api.data('PUT', '/files', { id: file.id, visibility: 'public' })
    await sendPurges(holdfast)
    expect(cache.purged).toEqual([])
  })

  test('is sent again after five seconds, because the cache may have been fetching the file', async () => {
    const file = await api.upload('again.txt', 'x', '', 'public')
    await makePrivate(file.id)
    await sendPurges(holdfast)
    await sendPurges(holdfast)
    expect(cache.purged).toHaveLength(1)
    expect(cache.purged[0]).toMatchObject({ method: 'PURGE', path: '/' })
    expect(cache.purged[0]?.headers.get('authorization')).toBe(`Bearer ${TOKEN}`)
    clock.advance(5000)
    await sendPurges(holdfast)
    expect(purgedKeys()[1]).toEqual(purgedKeys()[0] ?? [])
    clock.advance(5000)
    await sendPurges(holdfast)
    expect(cache.purged).toHaveLength(2)
  })
})

describe('a cache that does not take purges', () => {
  const fail = () =>
    sendPurges(holdfast)?.then(
      () => 'sent',
      (error) => String(error),
    )

  test('gets one for each path when it is back, and the overview has an alert meanwhile', async () => {
    cache.respond = () => new Response(TOKEN, { status: 503 })
    const file = await api.upload('owed.txt', 'one', '', 'public')
    const since = clock.now()
    await api.replace(file.id, 'two')
    expect(await owed()).toEqual([])
    expect(await fail()).toBe(`Error: ${new URL(cache.url).host} responded with 503`)
    clock.advance(1000)
    await api.replace(file.id, 'three')
    await makePrivate(file.id)
    expect(await fail()).toBe(`Error: ${new URL(cache.url).host} responded with 503`)
    expect(await owed()).toMatchObject([{ count: 1, since: recordTime(since) }])
    expect(JSON.stringify([await owed(), holdfast.logged])).not.toContain(TOKEN)

    cache.respond = () => new Response()
    // The second pause lasts two seconds.
    clock.advance(1999)
    const failed = cache.purged.length
    expect(await fail()).toBe('sent')
    expect(cache.purged).toHaveLength(failed)
    clock.advance(1)
    await sendPurges(holdfast)
    expect(cache.purged).toHaveLength(failed + 1)
    expect(purgedKeys().at(-1)).toHaveLength(1)
    expect(await owed()).toEqual([])
  })

  test('is asked again after the pause that it asks for', async () => {
    cache.respond = () => new Response(null, { status: 429, headers: { 'Retry-After': '40' } })
    await makePrivate((await api.upload('later.txt', 'x', '', 'public')).id)
    await fail()
    cache.respond = () => new Response()
    clock.advance(39_999)
    await fail()
    expect(cache.purged).toHaveLength(1)
    clock.advance(1)
    await fail()
    expect(cache.purged).toHaveLength(2)
  })

  test('gets one purge for everything when it is owed too many', async () => {
    using database = openDatabase(holdfast)
    database.run(
      `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 10001)
       INSERT INTO purges (id, path) SELECT 'planted ' || n, 'planted/' || n FROM n`,
    )
    cache.respond = () => new Response(null, { status: 503 })
    await fail()
    expect(await owed()).toMatchObject([{ count: 1 }])
    cache.respond = () => new Response()
    clock.advance(60_000)
    await sendPurges(holdfast)
    await api.upload('any.txt', 'x', '', 'public')
    expect(purgedKeys().at(-1)).toEqual([keysOf(await hosted('any.txt'))[0] ?? ''])
  })
})

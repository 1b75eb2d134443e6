import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { CachedFile, ResponseCache } from '../../src/modules/hosting/response-cache.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount, withInside } from '../support/fixture.ts'
import { type FileView, TestClock } from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'
import { addFile, fileOf, rangeOf } from './cached.ts'
import { headersOf } from './wire.ts'

const CONTENT = Array.from({ length: 300_000 }, (_, n) => String(n % 10))
  .join('')
  .repeat(4)
const RANGE = 'bytes=600003-600012'

const clock = new TestClock()
const holdfast = withInside({ isAlone: true, clock })

const get = ({ url }: FileView, headers: Record<string, string> = {}) =>
  holdfast.fetch(`/${url}`, { headers })
const cachedRange = ({ key }: Pick<FileView, 'key'>, { server } = holdfast) => {
  const file = server.modules.hosting.responseCache.find(key)
  return file && server.modules.hosting.responseCache.findRange(file, { first: 600_003, last: 600_012 })
}

let names = 0
/** Uploads a large file and requests a range of it until that is cached. */
async function hotRange(): Promise<FileView> {
  const name = `large${names++}.txt`
  const file = await holdfast.api.upload(name, CONTENT, 'ranges')
  // A range is cached only when the bytes are on the local disk, where the copy of a new file arrives a little later.
  await eventually(() => existsSync(storedIn(holdfast).localPath(file)))
  for (let n = 0; n < 3; n += 1) expect(await (await get(file, { Range: RANGE })).text()).toBe('3456789012')
  expect(cachedRange(file)).toBeDefined()
  return file
}

describe('a range of a large file that is requested repeatedly', () => {
  test('gets the same response from the cache as from disk', async () => {
    const file = await hotRange()

    const fromMemory = await get(file, { Range: RANGE })
    const fromDisk = await get(file, { Range: RANGE, Cookie: 'none=1' })

    expect([fromMemory.status, fromDisk.status]).toEqual([206, 206])
    expect(headersOf(fromMemory)).toEqual(headersOf(fromDisk))
    expect(await fromMemory.text()).toBe(await fromDisk.text())
  })

  test('is not cached after one request, and survives one request for each of many others', async () => {
    const file = await hotRange()
    const before = holdfast.server.modules.hosting.responseCache.bytes
    for (let first = 700_000; first < 700_100; first += 1) {
      const part = await get(file, { Range: `bytes=${first}-${first + 9}` })
      expect(await part.text()).toBe(CONTENT.slice(first, first + 10))
    }

    expect(cachedRange(file)).toBeDefined()
    expect(holdfast.server.modules.hosting.responseCache.bytes).toBe(before)
  })

  test('is not cached for a client beyond the rate limit', async () => {
    await using limited = await startInsideWithAccount({
      isAlone: true,
      clock,
      environment: { RATE_LIMIT_HOSTING: '2' },
    })
    const { url, key } = await limited.api.upload('a', CONTENT)
    for (let n = 0; n < 6; n += 1) await limited.fetch(`/${url}`, { headers: { Range: RANGE } })

    expect(limited.server.modules.hosting.responseCache.find(key)).toBeDefined()
    expect(cachedRange({ key }, limited)).toBeUndefined()
  })

  test('stays cached when the whole file is sent on the slow path', async () => {
    const file = await hotRange()

    await (await get(file, { Cookie: 'none=1' })).text()

    expect(cachedRange(file)).toBeDefined()
  })

  test('does not affect other ranges or the whole file', async () => {
    const file = await hotRange()

    expect(await (await get(file, { Range: 'bytes=600003-600013' })).text()).toBe('34567890123')
    expect(await (await get(file)).text()).toBe(CONTENT)
    expect((await get(file, { Range: 'bytes=9999999-' })).status).toBe(416)
  })

  test('gets 404 once its file is deleted', async () => {
    const file = await hotRange()

    await holdfast.api.data('DELETE', '/files', { id: file.id })

    expect((await get(file, { Range: RANGE })).status).toBe(404)
  })
})

describe('ResponseCache with ranges', () => {
  /** Creates a cache and a large file with ranges. */
  function makeCache(limits: ConstructorParameters<typeof ResponseCache>[1]) {
    const { deps } = holdfast.server
    const cache = new ResponseCache(deps, { fileBytes: 50, ...limits })
    const add = (key: string) => addFile(cache, { key, bytes: 5 }, deps.store.version())
    const { state } = fileOf('large', 1_000_000)
    const file = new CachedFile(state, { whole: undefined, version: 0, comparedAt: 0 })
    const offer = (first: number, length = 10) =>
      cache.offerRange(file, { first, last: first + length - 1 }, () => rangeOf(file, first, length))
    const offerTwice = (first: number, length = 10) => {
      for (let n = 0; n < 2; n += 1) offer(first, length)
    }
    const cached = (length = 10) =>
      [1, 2, 3, 4].filter((first) => cache.findRange(file, { first, last: first + length - 1 }))
    return { cache, add, offer, offerTwice, cached }
  }

  test('caches a range that is requested again and not too long', () => {
    const { offer, cached } = makeCache({ rangeBytes: 10 })
    offer(1)
    expect(cached()).toEqual([])
    offer(1)
    for (let n = 0; n < 3; n += 1) offer(2, 11)

    expect(cached()).toEqual([1])
    expect(cached(11)).toEqual([])
  })

  test('evicts the least recently used range beyond its limit', () => {
    const { cache, offerTwice, cached } = makeCache({ totalBytes: 2 * (1024 + 10) })
    offerTwice(1)
    offerTwice(2)
    expect(cached()).toEqual([1, 2])
    offerTwice(3)

    expect(cached()).toEqual([2, 3])
    expect(cache.bytes).toBe(2 * (1024 + 10))
  })

  test('forgets the range that was requested once longest ago', () => {
    const { offer, offerTwice, cached } = makeCache({ candidates: 2 })
    offerTwice(1)
    for (const first of [2, 3, 4]) offer(first)
    offer(2)

    expect(cached()).toEqual([1])
  })

  test('counts ranges and files together', () => {
    const { cache, add, offerTwice, cached } = makeCache({ totalBytes: 4 * 2048 })
    add('first')
    add('last')
    offerTwice(1, 2000)
    cache.find('last')
    offerTwice(2, 2000)

    expect(cache.find('first')).toBeUndefined()
    expect(cache.find('last')).toBeDefined()
    expect(cached(2000)).toEqual([1, 2])
    expect(cache.bytes).toBe(2048 + 5 + 2 * 3024)
  })

  test('evicts the ranges of a file that is gone before files in use', () => {
    const { cache, add, offerTwice } = makeCache({ totalBytes: 400 * 2048 })
    for (let first = 0; first < 8; first += 1) offerTwice(first, 100_000)
    const names = Array.from({ length: 100 }, (_, n) => `file${n}`)
    for (const name of names) add(name)

    expect(names.filter((name) => cache.find(name))).toEqual(names)
    expect(cache.bytes).toBeLessThanOrEqual(400 * 2048)
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { closeSync, openSync, writeSync } from 'node:fs'
import { PreparedAnswer } from '../../src/http/wire.ts'
import { createHotFiles, type KeptFile } from '../../src/modules/hosting/hot-files.ts'
import { HotRanges } from '../../src/modules/hosting/hot-ranges.ts'
import {
  type Account,
  type FileView,
  type Inside,
  register,
  startInside,
  TestClock,
  upload,
} from '../support/holdfast.ts'
import { hotFileOf } from './hot.ts'
import { diskPath, headersOf } from './wire.ts'

const DATE = 'Sun, 01 Mar 2026 00:00:00 GMT'
const CONTENT = Array.from({ length: 300_000 }, (_, n) => String(n % 10))
  .join('')
  .repeat(4)
const RANGE = 'bytes=600003-600012'

let holdfast: Inside
let account: Account
const clock = new TestClock()
beforeAll(async () => {
  holdfast = await startInside({ clock })
  account = await register(holdfast)
})
afterAll(() => holdfast[Symbol.asyncDispose]())

const get = ({ url }: FileView, headers: Record<string, string> = {}) =>
  holdfast.fetch(`/${url}`, { headers })
const keptRange = ({ key }: FileView) =>
  holdfast.server.modules.hosting.hotFiles.get(key)?.ranges.get({ first: 600_003, last: 600_012 })

let names = 0
/** A large file of which one range is answered from memory. */
async function hotRange(): Promise<FileView> {
  const name = `large${names++}.txt`
  const file = await upload(holdfast, account.withKey, { name, content: CONTENT, folder: 'ranges' })
  for (let n = 0; n < 3; n += 1) expect(await (await get(file, { Range: RANGE })).text()).toBe('3456789012')
  expect(keptRange(file)).toBeDefined()
  return file
}

describe('a range of a large file that is asked for again and again', () => {
  test('is answered from memory exactly as from disk', async () => {
    const file = await hotRange()

    const fromMemory = await get(file, { Range: RANGE })
    const fromDisk = await get(file, { Range: RANGE, Cookie: 'none=1' })

    expect([fromMemory.status, fromDisk.status]).toEqual([206, 206])
    expect(headersOf(fromMemory)).toEqual(headersOf(fromDisk))
    expect(await fromMemory.text()).toBe(await fromDisk.text())
  })

  test('is not kept when it is asked for only once, and stays when others are', async () => {
    const file = await hotRange()
    const before = holdfast.server.modules.hosting.hotFiles.get(file.key)?.ranges.bytes ?? 0
    for (let first = 700_000; first < 700_100; first += 1) {
      const part = await get(file, { Range: `bytes=${first}-${first + 9}` })
      expect(await part.text()).toBe(CONTENT.slice(first, first + 10))
    }

    expect(keptRange(file)).toBeDefined()
    expect(holdfast.server.modules.hosting.hotFiles.get(file.key)?.ranges.bytes).toBeLessThan(before + 10_000)
  })

  test('is not kept for a client that the limit holds back', async () => {
    await using limited = await startInside({ clock, environment: { RATE_LIMIT_HOSTING: '2' } })
    const { withKey } = await register(limited)
    const { url, key } = await upload(limited, withKey, { name: 'a', content: CONTENT })
    for (let n = 0; n < 6; n += 1) await limited.fetch(`/${url}`, { headers: { Range: RANGE } })

    const { ranges } = limited.server.modules.hosting.hotFiles.get(key) ?? {}
    expect(ranges?.get({ first: 600_003, last: 600_012 })).toBeUndefined()
  })

  test('stays when the whole file was sent the long way', async () => {
    const file = await hotRange()

    await (await get(file, { Cookie: 'none=1' })).text()

    expect(keptRange(file)).toBeDefined()
  })

  test('does not stand in the way of other ranges and of the whole', async () => {
    const file = await hotRange()

    expect(await (await get(file, { Range: 'bytes=600003-600013' })).text()).toBe('34567890123')
    expect(await (await get(file)).text()).toBe(CONTENT)
    expect((await get(file, { Range: 'bytes=9999999-' })).status).toBe(416)
  })

  test('is gone the moment its file was deleted', async () => {
    const file = await hotRange()

    const body = JSON.stringify({ id: file.id })
    await holdfast.fetch('/api/files', { method: 'DELETE', body, headers: account.withKey })

    expect((await get(file, { Range: RANGE })).status).toBe(404)
  })

  test('follows an edit on disk within a second', async () => {
    const file = await hotRange()
    const fd = openSync(diskPath(holdfast, file), 'r+')
    writeSync(fd, 'edited', 600_003)
    closeSync(fd)
    clock.advance(999)
    expect(await (await get(file, { Range: RANGE })).text()).toBe('3456789012')
    clock.advance(1)

    expect(await (await get(file, { Range: RANGE })).text()).toBe('edited9012')
  })
})

describe('HotRanges', () => {
  const answer = (bytes: number) => new PreparedAnswer(206, '', DATE, new Uint8Array(bytes))
  const limits = { rangeBytes: 10, totalBytes: 2 * (1024 + 10), remembered: 2 }
  const range = (first: number, length = 10) => ({ first, last: first + length - 1 })
  const keep = (ranges: HotRanges, first: number) => {
    for (let n = 0; n < 2; n += 1) ranges.offer(range(first), () => answer(10))
  }
  const keptOf = (ranges: HotRanges) => [1, 2, 3].filter((first) => ranges.get(range(first)))

  test('keeps what is asked for again and is not too long', () => {
    const ranges = new HotRanges(limits)
    ranges.offer(range(1), () => answer(10))
    expect(keptOf(ranges)).toEqual([])
    ranges.offer(range(1), () => answer(10))
    for (let n = 0; n < 3; n += 1) ranges.offer(range(2, 11), () => answer(11))

    expect(keptOf(ranges)).toEqual([1])
    expect(ranges.get(range(2, 11))).toBeUndefined()
  })

  test('keeps no more bytes than it may, those that are asked for', () => {
    const ranges = new HotRanges(limits)
    keep(ranges, 1)
    keep(ranges, 2)
    ranges.get(range(1))
    keep(ranges, 3)

    expect(keptOf(ranges)).toEqual([1, 3])
    expect(ranges.bytes).toBe(2 * (1024 + 10))
  })

  test('forgets what was asked for once longest ago, and keeps what it keeps', () => {
    const ranges = new HotRanges(limits)
    keep(ranges, 1)
    for (const first of [4, 5, 6]) ranges.offer(range(first), () => answer(10))
    ranges.offer(range(4), () => answer(10))

    expect(ranges.get(range(4))).toBeUndefined()
    expect(keptOf(ranges)).toEqual([1])
  })
})

describe('createHotFiles() with ranges', () => {
  const answer = (bytes: number) => new PreparedAnswer(206, '', DATE, new Uint8Array(bytes))
  function makeHotFiles(totalBytes: number) {
    const { deps } = holdfast.server
    const hotFiles = createHotFiles(deps, { fileBytes: 50, totalBytes })
    const keep = (key: string): KeptFile => {
      hotFiles.keep(key, hotFileOf(key, 5), deps.store.version())
      const hot = hotFiles.get(key)
      if (!hot) throw new Error('The file was not kept')
      return hot
    }
    const offerTwice = (hot: KeptFile, first: number, bytes: number) => {
      for (let n = 0; n < 2; n += 1)
        hotFiles.offerRange(hot, { first, last: first + bytes - 1 }, () => answer(bytes))
    }
    return { hotFiles, keep, offerTwice }
  }

  test('counts them among the bytes that it may take', () => {
    const { hotFiles, keep, offerTwice } = makeHotFiles(4 * 2048)
    keep('first')
    const last = keep('last')

    offerTwice(last, 0, 2000)
    expect(hotFiles.get('first')).toBeDefined()
    hotFiles.get('last')
    offerTwice(last, 1, 2000)
    expect(hotFiles.get('first')).toBeUndefined()
    expect(hotFiles.get('last')).toBe(last)
  })

  test('has its room back when their file goes', () => {
    const { hotFiles, keep, offerTwice } = makeHotFiles(400 * 2048)
    for (let round = 0; round < 20; round += 1) {
      const hot = keep('ranged')
      for (let first = 0; first < 200; first += 1)
        hotFiles.offerRange(hot, { first, last: first }, () => answer(1))
      for (let first = 0; first < 5; first += 1) offerTwice(hot, first, 100_000)
    }
    const names = Array.from({ length: 100 }, (_, n) => `file${n}`)
    for (const name of names) keep(name)

    expect(names.filter((name) => hotFiles.get(name))).toEqual(names)
  })
})

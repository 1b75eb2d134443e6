import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { closeSync, openSync, writeSync } from 'node:fs'
import { createHotFiles } from '../../src/hosting/hot-files.ts'
import { HotParts } from '../../src/hosting/hot-parts.ts'
import { PreparedAnswer } from '../../src/http/wire.ts'
import {
  type Account,
  type FileView,
  type Inside,
  register,
  startInside,
  TestClock,
  upload,
} from '../support/holdfast.ts'
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
const keptPart = ({ key }: FileView) => holdfast.server.deps.hotFiles.get(key)?.parts.get(RANGE)

let names = 0
/** A large file of which one range is answered from memory. */
async function hotPart(): Promise<FileView> {
  const name = `large${names++}.txt`
  const file = await upload(holdfast, account.withKey, { name, content: CONTENT, folder: 'parts' })
  for (let n = 0; n < 3; n += 1) expect(await (await get(file, { Range: RANGE })).text()).toBe('3456789012')
  expect(keptPart(file)).toBeDefined()
  return file
}

describe('a range of a large file that is asked for again and again', () => {
  test('is answered from memory exactly as from disk', async () => {
    const file = await hotPart()

    const fromMemory = await get(file, { Range: RANGE })
    const fromDisk = await get(file, { Range: RANGE, Cookie: 'none=1' })

    expect([fromMemory.status, fromDisk.status]).toEqual([206, 206])
    expect(headersOf(fromMemory)).toEqual(headersOf(fromDisk))
    expect(await fromMemory.text()).toBe(await fromDisk.text())
  })

  test('is not kept when it is asked for only once', async () => {
    const file = await upload(holdfast, account.withKey, { name: 'once.txt', content: CONTENT })
    for (let first = 600_000; first < 600_020; first += 1) {
      const part = await get(file, { Range: `bytes=${first}-${first + 9}` })
      expect(await part.text()).toBe(CONTENT.slice(first, first + 10))
    }

    expect(holdfast.server.deps.hotFiles.get(file.key)?.parts.bytes).toBe(0)
  })

  test('does not stand in the way of other ranges and of the whole', async () => {
    const file = await hotPart()

    expect(await (await get(file, { Range: 'bytes=600003-600013' })).text()).toBe('34567890123')
    expect(await (await get(file)).text()).toBe(CONTENT)
    expect((await get(file, { Range: 'bytes=9999999-' })).status).toBe(416)
  })

  test('is gone the moment its file was deleted', async () => {
    const file = await hotPart()

    const body = JSON.stringify({ id: file.id })
    await holdfast.fetch('/api/files', { method: 'DELETE', body, headers: account.withKey })

    expect((await get(file, { Range: RANGE })).status).toBe(404)
  })

  test('follows an edit on disk within a second', async () => {
    const file = await hotPart()
    const fd = openSync(diskPath(holdfast, file), 'r+')
    writeSync(fd, 'edited', 600_003)
    closeSync(fd)
    clock.advance(1000)

    expect(await (await get(file, { Range: RANGE })).text()).toBe('edited9012')
  })
})

describe('HotParts', () => {
  const part = (bytes: number) => new PreparedAnswer(206, '', DATE, new Uint8Array(bytes))
  const limits = { partBytes: 10, totalBytes: 25, ranges: 4 }

  test('wants what is asked for again and is not too long', () => {
    const parts = new HotParts(limits)

    expect([parts.isWanted('a', 10), parts.isWanted('a', 10)]).toEqual([false, true])
    expect([parts.isWanted('b', 11), parts.isWanted('b', 11)]).toEqual([false, false])
  })

  test('keeps no more bytes than it may, those used last', () => {
    const parts = new HotParts(limits)
    parts.keep('a', part(10))
    parts.keep('b', part(10))
    parts.get('a')
    parts.keep('c', part(10))

    expect(['a', 'b', 'c'].filter((range) => parts.get(range))).toEqual(['a', 'c'])
    expect(parts.bytes).toBe(20)
  })

  test('forgets what was asked for longest ago', () => {
    const parts = new HotParts(limits)
    for (const range of ['a', 'b', 'c', 'd', 'e']) parts.isWanted(range, 1)

    expect(parts.isWanted('b', 1)).toBe(true)
    expect(parts.isWanted('a', 1)).toBe(false)
  })

  test('counts among the bytes that hot files may take', async () => {
    const { deps } = holdfast.server
    const hotFiles = createHotFiles(deps, { fileBytes: 50, totalBytes: 3 * 2048 })
    const keep = (key: string) => {
      hotFiles.keep(
        key,
        {
          fileId: key,
          visibility: 'public',
          key,
          size: 5,
          mtimeMs: 0,
          etag: '"x"',
          cacheControl: '',
          expiresAt: Number.POSITIVE_INFINITY,
          mediaType: 'text/plain',
          headers: [],
          bytes: new Uint8Array(5),
        },
        deps.catalog.version(),
      )
      return hotFiles.get(key)
    }
    keep('first')
    const last = keep('last')
    if (!last) throw new Error('The file was not kept')

    hotFiles.keepPart(last, 'a', part(2000))
    expect(hotFiles.get('first')).toBeDefined()
    hotFiles.get('last')
    hotFiles.keepPart(last, 'b', part(100))
    expect([hotFiles.get('first'), hotFiles.get('last')?.parts.bytes]).toEqual([undefined, 2100])
  })
})

import { describe, expect, test } from 'bun:test'
import { closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { ResponseCache } from '../../src/modules/hosting/response-cache.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount, withInside } from '../support/fixture.ts'
import { type FileView, TestClock, upload } from '../support/holdfast.ts'
import { addFile } from './cached.ts'
import { diskPath, openHandles } from './wire.ts'

const clock = new TestClock()
const holdfast = withInside({ clock })

let names = 0
const store = (content: string, visibility: FileView['visibility'] = 'public') =>
  holdfast.api.upload(`f${names++}.txt`, content, '', visibility)

const get = ({ url }: Pick<FileView, 'url'>, headers: Record<string, string> = {}) =>
  holdfast.fetch(`/${url}`, { headers })
const textOf = async (file: Pick<FileView, 'url'>, headers?: Record<string, string>) =>
  (await get(file, headers)).text()

/** Uploads a public file and requests it until it is cached. */
async function hotFile(content: string): Promise<FileView> {
  const file = await store(content)
  for (let n = 0; n < 2; n += 1) expect(await textOf(file)).toBe(content)
  return file
}

describe('an edit on disk shows within a second', () => {
  test('in a cached public file', async () => {
    const file = await hotFile('old')
    clock.advance(999)
    expect(await textOf(file)).toBe('old')
    writeFileSync(diskPath(holdfast, file), 'edited')
    clock.advance(1)

    expect(await textOf(file)).toBe('edited')
  })

  test('in a private file cached for its link', async () => {
    const file = await store('a secret', 'private')
    const link = await holdfast.api.sign(file.id, 60)
    for (let n = 0; n < 2; n += 1) expect(await textOf(link)).toBe('a secret')
    clock.advance(999)
    writeFileSync(diskPath(holdfast, file), 'edited')
    expect(await textOf(link)).toBe('a secret')
    clock.advance(1)

    expect(await textOf(link)).toBe('edited')
  })

  test('in a range of a large file that is requested repeatedly', async () => {
    const file = await store('0123456789'.repeat(120_000))
    const range = { Range: 'bytes=600003-600012' }
    for (let n = 0; n < 3; n += 1) expect(await textOf(file, range)).toBe('3456789012')
    const { responseCache } = holdfast.server.modules.hosting
    const cached = responseCache.find(file.key)
    expect(cached && responseCache.findRange(cached, { first: 600_003, last: 600_012 })).toBeDefined()
    const fd = openSync(diskPath(holdfast, file), 'r+')
    writeSync(fd, 'edited', 600_003)
    closeSync(fd)
    clock.advance(999)
    expect(await textOf(file, range)).toBe('3456789012')
    clock.advance(1)

    expect(await textOf(file, range)).toBe('edited9012')
  })
})

describe('a larger file that was requested before', () => {
  test.each([1_100_000, 3_000_000])(
    'of %d bytes is read again each time, and its sent bytes are counted',
    async (size) => {
      await using counted = await startInsideWithAccount({ clock })
      const content = 'x'.repeat(size)
      const { url, key } = await upload(counted, counted.withKey, { name: 'large', content })
      for (let n = 0; n < 3; n += 1) expect(await (await counted.fetch(`/${url}`)).text()).toBe(content)

      writeFileSync(diskPath(counted, { key }), 'edited')
      const edited = await counted.fetch(`/${url}`)
      await counted.server.modules.hosting.traffic.flush()

      expect(await edited.text()).toBe('edited')
      expect(counted.catalog.traffic.day('2026-03-01')).toMatchObject({
        requests: 4,
        bytes: 3 * size + 6,
      })
    },
  )
})

test('a larger file that was edited since the last comparison leaves no descriptor open', async () => {
  const file = await hotFile('x'.repeat(3_000_000))
  await (await get(file)).arrayBuffer()
  writeFileSync(diskPath(holdfast, file), 'edited')

  expect(await textOf(file)).toBe('edited')

  holdfast.server.modules.hosting.responseCache.closeIdle(0)
  await eventually(() => openHandles(process.pid, diskPath(holdfast, file)) === 0)
})

describe('ResponseCache with files on disk', () => {
  test('holds at most 64 files open', async () => {
    const { deps } = holdfast.server
    const cache = new ResponseCache(deps, { fileBytes: 10 })
    const names = Array.from({ length: 70 }, (_, n) => `${n}.txt`)
    const files = Object.fromEntries(names.map((name) => [name, 'more than ten']))
    await holdfast.sendUpload(files, { folder: 'many' })
    for (const key of names.map((name) => `many/${name}`)) {
      const { size, mtimeMs } = statSync(diskPath(holdfast, { key }))
      addFile(cache, { key, bytes: size, mtimeMs }, deps.store.version())
      expect(cache.find(key)).toBeDefined()
    }

    expect(openHandles(process.pid, diskPath(holdfast, { key: 'many/' }))).toBe(64)
    cache.closeIdle(0)
    expect(openHandles(process.pid, diskPath(holdfast, { key: 'many/' }))).toBe(0)
  })

  test('caches no bytes of a large file', async () => {
    const { deps } = holdfast.server
    const cache = new ResponseCache(deps, { fileBytes: 50, totalBytes: 2 * 2048 + 100 })
    const add = (key: string, bytes: number, mtimeMs = 0) =>
      addFile(cache, { key, bytes, mtimeMs }, deps.store.version())
    const cached = () => ['a', 'c', 'big'].filter((key) => cache.find(key) !== undefined)
    await holdfast.api.upload('big', 'x'.repeat(51))

    add('a', 40)
    add('c', 50)
    add('big', 51, statSync(diskPath(holdfast, { key: 'big' })).mtimeMs)

    expect(cache.find('big')?.whole).toBeUndefined()
    expect(cached()).toEqual(['c', 'big'])
  })
})

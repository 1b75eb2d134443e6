import { describe, expect, test } from 'bun:test'
import { eventually, rounds } from '../support/eventually.ts'
import { withInside } from '../support/fixture.ts'
import { type FileView, TestClock } from '../support/holdfast.ts'
import { parseAnswer } from '../support/socket.ts'
import { storedIn } from '../support/stored.ts'
import {
  asking,
  onWire,
  openDownload,
  openHandles,
  type Question,
  ROUTES,
  requestText,
  type SlowDownload,
} from './wire.ts'

const MiB = 1024 ** 2
/** Exceeds all buffers between server and client. */
const SIZE = 16 * MiB
const TODAY = '2026-03-01'

const clock = new TestClock()
const holdfast = withInside({ isAlone: true, clock })
const { ask } = onWire(holdfast)

let names = 0
/** Stores a file of zeros. */
const zeros = (size = SIZE) => holdfast.api.upload(`f${names++}`, new Uint8Array(size))

/** Returns the received part of the body. */
const bodyOf = (download: SlowDownload) => parseAnswer(download.received()).body

/** Returns the bytes that hosting counted during and after `work`, once the request itself is counted. */
async function bytesCounted(work: () => Promise<void>, atLeast = 0): Promise<number> {
  const { store } = holdfast.server.deps
  const { traffic } = holdfast.server.modules.hosting
  const read = async () => {
    await traffic.flush()
    return (await store.traffic.day(TODAY)) ?? { requests: 0, bytes: 0 }
  }
  const before = await read()
  await work()
  await eventually(async () => {
    const { requests, bytes } = await read()
    return requests > before.requests && bytes - before.bytes >= atLeast
  })
  return (await read()).bytes - before.bytes
}

async function expectStillServing(): Promise<void> {
  const file = await holdfast.api.upload(`next${names++}`, 'next')
  expect((await ask(`/${file.url}`)).body.toString()).toBe('next')
}

describe('a client that disconnects during a download', () => {
  test.each(['destroy', 'resetAndDestroy'] as const)('by %s is counted for what left', async (leave) => {
    const file = await zeros()
    let read = 0

    const counted = await bytesCounted(async () => {
      const download = await openDownload(holdfast.port, `/${file.url}`)
      await download.readTo(MiB)
      read = bodyOf(download).length
      download.socket[leave]()
    })

    expect(read).toBeGreaterThan(MiB / 2)
    expect(counted).toBeGreaterThanOrEqual(read)
    expect(counted).toBeLessThan(SIZE)
    await expectStillServing()
  })

  test('before it has read anything is counted for less than the file', async () => {
    const file = await zeros()

    const counted = await bytesCounted(async () => {
      const download = await openDownload(holdfast.port, `/${file.url}`)
      download.socket.destroy()
    })

    expect(counted).toBeLessThan(SIZE)
  })

  test('of a range is counted for less than the range', async () => {
    const file = await zeros()

    const counted = await bytesCounted(async () => {
      const download = await openDownload(holdfast.port, `/${file.url}`, {
        headers: [`Range: bytes=${MiB}-`],
      })
      await download.readTo(MiB)
      download.socket.destroy()
    })

    expect(counted).toBeGreaterThanOrEqual(MiB - 1000)
    expect(counted).toBeLessThan(SIZE - MiB)
  })

  test.each([
    ['from memory', 60_000],
    ['read at once', 200_000],
    ['streamed', SIZE],
  ])('after two hundred requests for files sent %s is counted for the bytes that left', async (_, size) => {
    const file = await zeros(size)

    const counted = await bytesCounted(async () => {
      const download = await openDownload(holdfast.port, `/${file.url}`)
      download.socket.write(requestText(`/${file.url}`).repeat(199))
      await download.readTo(40_000)
      await rounds()
      download.socket.destroy()
    }, 30_000)

    expect(counted).toBeGreaterThanOrEqual(30_000)
    expect(counted).toBeLessThan(10 * MiB)
    await expectStillServing()
  })

  test('a hundred times leaves no file open', async () => {
    const file = await zeros()
    const path = storedIn(holdfast).localPath(file)
    const downloads = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        openDownload(holdfast.port, ...asking(ROUTES[n % 2] ?? 'hosting', file, holdfast)),
      ),
    )
    // The cache may hold it open for two seconds, for the next request.
    expect(openHandles(process.pid, path)).toBeOneOf([100, 101])

    for (const { socket } of downloads) socket.destroy()
    clock.advance(2000)

    await eventually(async () => {
      await holdfast.server.jobs.runAll()
      return openHandles(process.pid, path) === 0
    })
    await expectStillServing()
  })
})

describe.each(ROUTES)('a response by %s that has no body', (route) => {
  test.each<[string, Question]>([
    ['HEAD', { method: 'HEAD' }],
    ['304', { headers: ['If-None-Match: *'] }],
    ['412', { headers: ['If-Match: "other"'] }],
    ['416', { headers: ['Range: bytes=99-'] }],
  ])('leaves no descriptor open (%s)', async (_, question) => {
    const file = await holdfast.api.upload(`closed ${names++}`, 'x')
    await expectClosed(file, question)
  })

  test('leaves no descriptor open (an empty file)', async () => {
    const file = await holdfast.api.upload(`closed ${names++}`, '')
    await expectClosed(file, {})
  })

  async function expectClosed(file: FileView, { headers = [], ...method }: Question): Promise<void> {
    // With a cookie the response never comes from the cache.
    const question = { ...method, headers: [...headers, 'Cookie: none=1'] }
    for (let n = 0; n < 3; n += 1)
      expect((await ask(...asking(route, file, holdfast, question))).body.length).toBeLessThan(200)

    holdfast.server.modules.hosting.responseCache.closeIdle(0)

    expect(openHandles(process.pid, storedIn(holdfast).localPath(file))).toBe(0)
  }
})

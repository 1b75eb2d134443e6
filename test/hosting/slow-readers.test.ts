import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { residentBytes } from '../bench/memory.ts'
import { eventually } from '../support/eventually.ts'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import { openSocket } from '../support/socket.ts'
import { ask, openDownload, openHandles, requestText, type SlowDownload } from './wire.ts'

const MiB = 1024 ** 2
/** Exceeds all buffers between server and client. */
const BUFFERED = 16 * MiB

describe('a client that does not read', () => {
  const READERS = 8
  let server: HoldfastProcess
  beforeAll(async () => {
    server = await spawnHoldfast()
    const { withKey } = await registerWith(server)
    const body = new FormData()
    for (const name of ['huge', 'medium', 'small']) body.append('files', new Blob(['x']), name)
    expect((await server.fetch('/api/files', { method: 'POST', headers: withKey, body })).status).toBe(200)
    truncateSync(join(server.dataPath, 'uploads', 'huge'), 1024 * MiB)
    truncateSync(join(server.dataPath, 'uploads', 'medium'), 200_000)
    truncateSync(join(server.dataPath, 'uploads', 'small'), 60_000)
    // The first large response allocates memory that later ones reuse.
    const first = await openDownload(server.port, '/api/hosting/huge')
    await first.readTo(BUFFERED)
    first.socket.destroy()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  /** Returns the resident memory of the server in bytes. */
  const held = () => residentBytes(server.child.pid, 'VmRSS')

  /** Returns the maximum growth of memory beyond `before` while the server responds to fifty other requests. */
  async function growthBeyond(before: number): Promise<number> {
    let most = 0
    for (let n = 0; n < 50; n += 1) {
      await ask(server.port, '/api/health')
      most = Math.max(most, held() - before)
    }
    return most
  }

  const handlesOn = (name: string) => openHandles(server.child.pid, join(server.dataPath, 'uploads', name))

  test('of a file of 1 GiB costs at most 8 MiB of memory, and other requests get responses', async () => {
    const before = held()
    const downloads: SlowDownload[] = []
    for (let n = 0; n < READERS; n += 1) downloads.push(await openDownload(server.port, '/api/hosting/huge'))

    const growth = await growthBeyond(before)
    const health = await ask(server.port, '/api/health')

    expect(growth / READERS).toBeLessThan(8 * MiB)
    expect(downloads.every((download) => !download.closed() && download.received().length < BUFFERED)).toBe(
      true,
    )
    expect(health.status).toBe(200)
    for (const { socket } of downloads) socket.destroy()
    await eventually(() => handlesOn('huge') === 0)
  })

  test.each([
    ['small', 60_000, 4000],
    ['medium', 200_000, 1000],
    ['huge', 1024 * MiB, 1000],
  ])(
    'a %s file of %d bytes, asked for %d times at once, costs little then and when it leaves',
    async (name, size, times) => {
      const before = held()
      const socket = await openSocket(server.port)
      socket.pause()
      socket.write(requestText(`/api/hosting/${name}`).repeat(times))

      const growth = await growthBeyond(before)
      const handles = handlesOn(name)
      socket.destroy()
      const growthAfterwards = await growthBeyond(before)

      expect(handles).toBeLessThan(10)
      expect([growth, growthAfterwards].filter((bytes) => bytes > 100 * MiB)).toEqual([])
      // The cache holds a large file open for a moment.
      await eventually(() => handlesOn(name) === 0)
      const head = await ask(server.port, `/api/hosting/${name}`, { method: 'HEAD' })
      expect(head.headers.get('content-length')).toBe(String(size))
    },
  )
})

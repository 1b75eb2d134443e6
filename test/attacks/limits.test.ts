import { beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { ask } from '../hosting/wire.ts'
import { eventually } from '../support/eventually.ts'
import { spawnWithAccount, withHoldfast } from '../support/fixture.ts'
import { filesUnder, refusalOf } from '../support/holdfast.ts'
import { openSocket, parseAnswer, rawRequest } from '../support/socket.ts'
import { storedIn } from '../support/stored.ts'

const MiB = 1024 ** 2

const holdfast = withHoldfast()

describe('a request that is too much', () => {
  const START = ['GET /api/hosting/f HTTP/1.1', 'Host: x']
  const long = 'x'.repeat(100_000)
  const many = Array.from({ length: 300 }, (_, n) => `X-${n}: ${'x'.repeat(100)}`)
  beforeAll(async () => {
    expect((await holdfast.sendUpload({ f: new Uint8Array(100) })).status).toBe(200)
  })

  // Row 76.
  test.each<[string, string[]]>([
    ['a header of 17 KB', [...START, `X-Big: ${'x'.repeat(17_000)}`]],
    ['300 headers of 100 bytes', [...START, ...many]],
    ['a URL of 100 KB', [`GET /api/hosting/${long} HTTP/1.1`, 'Host: x']],
    ['a query of 100 KB', [`GET /api/hosting/f?${long} HTTP/1.1`, 'Host: x']],
    ['a cookie of 100 KB', [...START, `Cookie: ${long}`]],
  ])('because of %s is refused, and the next is answered', async (_, lines) => {
    expect((await rawRequest(holdfast.port, lines)).status).toBe(431)
    expect((await holdfast.fetch('/api/hosting/f')).status).toBe(200)
  })

  // Row 76.
  test('does not include one with 100 small headers', async () => {
    const lines = Array.from({ length: 100 }, (_, n) => `X-${n}: ${n}`)

    expect((await ask(holdfast.port, '/api/hosting/f', { headers: lines })).status).toBe(200)
  })

  // Row 87.
  test('because of a thousand ranges is the whole file, once', async () => {
    const headers = [`Range: bytes=${Array(1000).fill('0-').join(',')}`]

    const answer = await ask(holdfast.port, '/api/hosting/f', { headers })

    expect([answer.status, answer.body.length]).toEqual([200, 100])
    expect(answer.headers.get('content-type')).not.toContain('multipart')
  })
})

const FILE_BYTES = 100_000

/** Asks for the file `f` over a new connection. Returns that if it is served, `undefined` if it is closed. */
async function openServed(port: number): Promise<Socket | undefined> {
  // The server may close an excess connection before the client knows that it is open.
  const socket = await openSocket(port).catch(() => undefined)
  if (!socket) return undefined
  socket.on('error', () => {})
  return (await getFile(socket)) ? socket : undefined
}

/** Asks for the file `f`, and resolves to true once all of it has come, to false if the connection is closed. */
function getFile(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      const { status, body } = parseAnswer(Buffer.concat(chunks))
      if (status !== 200 || body.length < FILE_BYTES) return
      socket.off('data', take)
      resolve(true)
    }
    socket.on('data', take)
    socket.on('close', () => resolve(false))
    socket.write('GET /api/hosting/f HTTP/1.1\r\nHost: x\r\n\r\n')
  })
}

// Row 89.
test('a server with few file descriptors closes excess connections, serves the others and recovers', async () => {
  const limit = 64
  await using holdfast = await spawnWithAccount({ wrap: ['prlimit', `--nofile=${limit}:${limit}`] })
  const send = async (name: string) =>
    (await holdfast.sendUpload({ [name]: new Uint8Array(FILE_BYTES) })).status
  expect(await send('f')).toBe(200)
  const open = () => readdirSync(`/proc/${holdfast.child.pid}/fd`).length
  const before = open()

  const opened = await Promise.all(Array.from({ length: 100 }, () => openServed(holdfast.port)))
  const served = opened.filter((socket) => socket !== undefined)
  // Connections of the client above may still be open.
  expect(served.length).toBeGreaterThanOrEqual(8)
  expect(served.length).toBeLessThan(opened.length)
  // At the limit itself, the runtime would try to accept the next connection without end.
  expect(open()).toBeLessThan(limit)
  expect(await Promise.all(served.map(getFile))).toEqual(served.map(() => true))
  expect(holdfast.output()).toContain('Connections from 127.0.0.1 are refused')
  for (const socket of served) socket.destroy()

  await eventually(() => open() < before + 5)
  expect((await (await holdfast.fetch('/api/hosting/f')).arrayBuffer()).byteLength).toBe(FILE_BYTES)
  expect(await send('g')).toBe(200)
  expect(filesUnder(holdfast, 'tmp')).toEqual([])
})

// Row 90.
test('a server with a file size limit refuses larger files and continues', async () => {
  await using holdfast = await spawnWithAccount({ wrap: ['prlimit', `--fsize=${8 * MiB}`] })

  const refused = await holdfast.sendUpload({ large: new Uint8Array(12 * MiB) })

  expect(await refusalOf(refused)).toEqual([413, expect.stringContaining('large')])
  expect(filesUnder(holdfast, 'tmp')).toEqual([])
  expect(await storedIn(holdfast).keys()).toEqual([])
  expect((await holdfast.sendUpload({ small: new Uint8Array(MiB) })).status).toBe(200)
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { ask } from '../hosting/wire.ts'
import { eventually } from '../support/eventually.ts'
import { filesUnder, messageOf } from '../support/holdfast.ts'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import { openSocket, parseAnswer, rawRequest } from '../support/socket.ts'
import { storedIn } from '../support/stored.ts'

const MiB = 1024 ** 2

function send({ fetch }: HoldfastProcess, withKey: Record<string, string>, name: string, bytes: number) {
  const body = new FormData()
  body.append('files', new Blob([new Uint8Array(bytes)]), name)
  return fetch('/api/files', { method: 'POST', headers: withKey, body })
}

describe('a request that is too much', () => {
  let holdfast: HoldfastProcess
  beforeAll(async () => {
    holdfast = await spawnHoldfast()
    const { withKey } = await registerWith(holdfast)
    expect((await send(holdfast, withKey, 'f', 100)).status).toBe(200)
  })
  afterAll(() => holdfast[Symbol.asyncDispose]())

  // Row 76.
  test.each<[string, string[]]>([
    ['a header of 17 KB', ['GET /api/health HTTP/1.1', 'Host: x', `X-Big: ${'x'.repeat(17_000)}`]],
    [
      '300 headers of 100 bytes',
      [
        'GET /api/health HTTP/1.1',
        'Host: x',
        ...Array.from({ length: 300 }, (_, n) => `X-${n}: ${'x'.repeat(100)}`),
      ],
    ],
    ['a URL of 100 KB', [`GET /api/hosting/${'x'.repeat(100_000)} HTTP/1.1`, 'Host: x']],
    ['a query of 100 KB', [`GET /api/hosting/f?${'x'.repeat(100_000)} HTTP/1.1`, 'Host: x']],
    ['a cookie of 100 KB', ['GET /api/hosting/f HTTP/1.1', 'Host: x', `Cookie: ${'x'.repeat(100_000)}`]],
  ])('because of %s is refused, and the next is answered', async (_, lines) => {
    const answer = await rawRequest(holdfast.port, lines)

    expect(answer.status).toBe(431)
    expect((await holdfast.fetch('/api/hosting/f')).status).toBe(200)
  })

  // Row 76.
  test('does not include one with 100 small headers', async () => {
    const lines = Array.from({ length: 100 }, (_, n) => `X-${n}: ${n}`)

    expect((await ask(holdfast.port, '/api/hosting/f', { headers: lines })).status).toBe(200)
  })

  // Row 87.
  test('because of a thousand ranges is the whole file, once', async () => {
    const answer = await ask(holdfast.port, '/api/hosting/f', {
      headers: [`Range: bytes=${Array(1000).fill('0-').join(',')}`],
    })

    expect([answer.status, answer.body.length]).toEqual([200, 100])
    expect(answer.headers.get('content-type')).not.toContain('multipart')
  })
})

const FILE_BYTES = 100_000

/** Opens a connection and asks for the file `f`; resolves to the connection if it is served, to `undefined` if it is closed. */
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
  await using holdfast = await spawnHoldfast({ wrap: ['prlimit', `--nofile=${limit}:${limit}`] })
  const { withKey } = await registerWith(holdfast)
  expect((await send(holdfast, withKey, 'f', FILE_BYTES)).status).toBe(200)
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
  for (const socket of served) socket.destroy()

  await eventually(() => open() < before + 5)
  expect((await (await holdfast.fetch('/api/hosting/f')).arrayBuffer()).byteLength).toBe(FILE_BYTES)
  expect((await send(holdfast, withKey, 'g', FILE_BYTES)).status).toBe(200)
  expect(filesUnder(holdfast, 'tmp')).toEqual([])
})

// Row 90.
test('a server with a file size limit refuses larger files and continues', async () => {
  await using holdfast = await spawnHoldfast({ wrap: ['prlimit', `--fsize=${8 * MiB}`] })
  const { withKey } = await registerWith(holdfast)

  const refused = await send(holdfast, withKey, 'large', 12 * MiB)

  expect(refused.status).toBe(413)
  expect(await messageOf(refused)).toContain('large')
  expect(filesUnder(holdfast, 'tmp')).toEqual([])
  expect(await storedIn(holdfast).keys()).toEqual([])
  expect((await send(holdfast, withKey, 'small', MiB)).status).toBe(200)
})

// Row 78.
test.each(['TRACE', 'TRACK', 'DEBUG'])('%s reflects nothing', async (method) => {
  await using holdfast = await spawnHoldfast()
  for (const path of ['/', '/api/files', '/api/hosting/f', '/api/health']) {
    const answer = parseAnswer(
      Buffer.from(
        (await rawRequest(holdfast.port, [`${method} ${path} HTTP/1.1`, 'Host: x', 'X-Secret: reflected']))
          .head,
      ),
    )
    expect([404, 405, 400, 501]).toContain(answer.status)
    expect(answer.head).not.toContain('reflected')
  }
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import type { Transport } from '../../src/transport/listen.ts'
import { openSocket } from '../support/socket.ts'
import { head, listenBare, zeros } from './bare.ts'

const SILENCE_MS = 400
const LONG_MS = 5 * SILENCE_MS
const LARGE_BYTES = 32 * 1024 ** 2
const READY_HEAD = `HTTP/1.1 200 OK\r\ncontent-length: ${LARGE_BYTES}\r\n\r\n`

let transport: Transport
beforeAll(() => {
  transport = listenBare({
    fastPath: {
      prefix: '/',
      cached: ({ target }) =>
        target === '/ready'
          ? {
              bytes: Buffer.concat([Buffer.from(READY_HEAD), new Uint8Array(LARGE_BYTES)]),
              bodyBytes: LARGE_BYTES,
              onDelivered: () => {},
            }
          : undefined,
      fresh: () => undefined,
    },
    fetch: async (request) => {
      const { length } = await request.bytes()
      if (request.url.endsWith('/work')) {
        await Bun.sleep(LONG_MS)
        return new Response('worked')
      }
      return request.url.endsWith('/large') ? new Response(zeros(LARGE_BYTES)) : new Response(`got ${length}`)
    },
    silenceMs: SILENCE_MS,
  })
})
afterAll(() => transport.stop(0))

/** Opens a connection. Collects the received bytes and waits for its end. */
async function open() {
  const socket = await openSocket(transport.port)
  const closed = new Promise<'closed'>((resolve) => socket.on('close', () => resolve('closed')))
  socket.on('error', () => {})
  let received = 0
  let tail = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length
    tail = `${tail}${chunk.subarray(-100)}`.slice(-100)
  })
  const ends = (text: string) => async () => {
    while (!tail.endsWith(text) && !socket.destroyed) await Bun.sleep(5)
    return tail.endsWith(text)
  }
  return { socket, closed, received: () => received, answers: (text: string) => ends(text)() }
}

const get = (path: string, ...lines: string[]) => head(`GET ${path} HTTP/1.1`, 'Host: a', ...lines)
const post = (path: string, length: number) =>
  head(`POST ${path} HTTP/1.1`, 'Host: a', `Content-Length: ${length}`)

/** Bytes in each idle timeout that a client must send or read: one in a millisecond. */
const MIN_BYTES = SILENCE_MS

async function dribble(socket: Socket, pieces: number, piece: string): Promise<void> {
  for (let n = 0; n < pieces; n += 1) {
    await Bun.sleep(SILENCE_MS / 4)
    socket.write(piece)
  }
}

describe('a client is left alone', () => {
  test.each([
    ['a GET', get('/work')],
    ['a GET behind an answer', `${get('/whole')}${get('/work')}`],
    ['a body', `${post('/work', 2)}{}`],
  ])('while it waits for our work, with %s', async (_, request) => {
    const { socket, answers } = await open()

    socket.write(request)

    expect(await answers('worked')).toBe(true)
    socket.destroy()
  })

  test.each(['/streamed', '/whole'])('while it sends to %s slowly', async (path) => {
    const { socket, answers } = await open()

    socket.write(post(path, 20 * MIN_BYTES))
    await dribble(socket, 20, 'x'.repeat(MIN_BYTES))

    expect(await answers(`got ${20 * MIN_BYTES}`)).toBe(true)
    socket.destroy()
  })

  test.each(['/large', '/ready'])('while it reads %s, however slowly', async (path) => {
    const { socket, received } = await open()
    socket.write(get(path))

    for (let began = performance.now(); performance.now() - began < LONG_MS; ) {
      socket.resume()
      await Bun.sleep(5)
      socket.pause()
      await Bun.sleep(SILENCE_MS / 10)
    }
    const before = received()
    socket.resume()
    while (received() <= LARGE_BYTES && !socket.destroyed) await Bun.sleep(5)

    expect(before).toBeGreaterThan(0)
    expect(received()).toBeGreaterThan(LARGE_BYTES)
    socket.destroy()
  })
})

describe('a client is left', () => {
  test.each([
    ['its first', ''],
    ['another', get('/whole')],
  ])('that takes long over the head of %s request, however busily', async (_, before) => {
    const { socket, closed } = await open()
    socket.write(`${before}GET / HTTP/1.1\r\nX: `)
    const writing = setInterval(() => socket.write('x'), SILENCE_MS / 20)

    expect(await closed).toBe('closed')
    clearInterval(writing)
  })

  test('that does not close behind its last answer', async () => {
    const { socket, closed } = await open()
    socket.write(get('/whole', 'Connection: close'))
    const writing = setInterval(() => socket.write('x'), SILENCE_MS / 20)

    expect(await closed).toBe('closed')
    clearInterval(writing)
  })

  test.each([
    ['stops in the middle of a streamed body', `${post('/streamed', 10)}x`],
    ['stops in the middle of a body', `${post('/whole', 10)}x`],
    ['asks for nothing more', get('/whole')],
  ])('that %s', async (_, request) => {
    const { socket, closed } = await open()

    socket.write(request)

    expect(await closed).toBe('closed')
  })

  test.each(['/streamed', '/whole'])('whose body drips to %s', async (path) => {
    const { socket, closed } = await open()
    socket.write(post(path, 1_000_000))
    const writing = setInterval(() => socket.write('x'), SILENCE_MS / 20)

    expect(await closed).toBe('closed')
    clearInterval(writing)
  })

  test('that takes long to send a body that was answered already, however busily', async () => {
    const { socket, closed, answers } = await open()
    socket.write(head('GET /dropped HTTP/1.1', 'Host: a', 'Content-Length: 1000000'))
    expect(await answers('got 0')).toBe(true)
    const writing = setInterval(() => socket.write('x'), SILENCE_MS / 20)

    expect(await closed).toBe('closed')
    clearInterval(writing)
  })

  test.each(['/large', '/ready'])('that stops reading %s', async (path) => {
    const { socket, received } = await open()
    socket.write(get(path))
    while (received() === 0) await Bun.sleep(5)

    socket.pause()
    await Bun.sleep(LONG_MS)
    socket.resume()
    while (!socket.destroyed) await Bun.sleep(5)

    expect(received()).toBeLessThan(LARGE_BYTES)
  })
})

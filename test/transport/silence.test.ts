import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Transport } from '../../src/transport/listen.ts'
import { openDownload } from '../hosting/wire.ts'
import { eventually } from '../support/eventually.ts'
import { type Conversation, converse } from '../support/socket.ts'
import { answerTo, head, listenBare, zeros } from './bare.ts'

const SILENCE_MS = 40
/** Steps in several idle timeouts. */
const LONG = 20
/** Bytes in each idle timeout that a client must send or read: one in a millisecond. */
const MIN_BYTES = SILENCE_MS
const LARGE_BYTES = 32 * 1024 ** 2
const READY_HEAD = `HTTP/1.1 200 OK\r\ncontent-length: ${LARGE_BYTES}\r\n\r\n`

let now = 0
/** Number of times that the server looked at the clock. */
let looks = 0
/** Ends the work of the next request. */
const ends: (() => void)[] = []
let transport: Transport
beforeAll(() => {
  const ready = Buffer.concat([Buffer.from(READY_HEAD), new Uint8Array(LARGE_BYTES)])
  transport = listenBare({
    fastPath: {
      prefix: '/',
      cached: ({ target }) =>
        target === '/ready' ? { bytes: ready, bodyBytes: LARGE_BYTES, onDelivered: () => {} } : undefined,
      fresh: () => undefined,
    },
    fetch: async (request) => {
      const { length } = await request.bytes()
      if (request.url.endsWith('/large')) return new Response(zeros(LARGE_BYTES))
      if (!request.url.endsWith('/work')) return new Response(`got ${length}`)
      await new Promise<void>((resolve) => ends.push(resolve))
      return new Response('worked')
    },
    silenceMs: SILENCE_MS,
    monotonic: () => {
      looks += 1
      return now
    },
  })
})
afterAll(() => transport.stop(0))

/** Lets a quarter of the idle timeout pass before each of the server's next checks of its connections. */
async function pass(steps: number, act: () => unknown = () => {}): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    await act()
    now += SILENCE_MS / 4
    const before = looks
    // One look may be for a new connection.
    await eventually(() => looks > before + 1)
  }
}

const open = (request: string) => converse(transport.port, request)
const get = (path: string, ...lines: string[]) => head(`GET ${path} HTTP/1.1`, 'Host: a', ...lines)
const post = (path: string, length: number) =>
  head(`POST ${path} HTTP/1.1`, 'Host: a', `Content-Length: ${length}`)
/** Waits for a later response on another connection, so the server has read what was sent before. */
const beRead = async () => (await answerTo(transport.port, get('/'))).body

describe('a client is left alone', () => {
  test.each([
    ['a GET', get('/work')],
    ['a GET behind an answer', `${get('/whole')}${get('/work')}`],
    ['a body', `${post('/work', 2)}{}`],
  ])('while it waits for our work, with %s', async (_, request) => {
    const { socket, received } = await open(request)
    await eventually(() => ends.length > 0)

    await pass(LONG)
    ends.pop()?.()

    await eventually(() => received().toString().endsWith('worked'))
    socket.destroy()
  })

  test('while it sends slowly', async () => {
    const { socket, received } = await open(post('/', LONG * MIN_BYTES))

    await pass(LONG, () => {
      socket.write('x'.repeat(MIN_BYTES))
      return beRead()
    })

    await eventually(() =>
      received()
        .toString()
        .endsWith(`got ${LONG * MIN_BYTES}`),
    )
    socket.destroy()
  })

  test.each(['/large', '/ready'])('while it reads %s, however slowly', async (path) => {
    const { socket, received, readTo } = await openDownload(transport.port, path)
    let read = 0

    await pass(LONG, () => {
      read += 2 ** 20
      return readTo(read)
    })
    await readTo(LARGE_BYTES + 1)

    expect(read).toBeLessThan(LARGE_BYTES)
    expect(received().length).toBeGreaterThan(LARGE_BYTES)
    socket.destroy()
  })
})

describe('a client is left', () => {
  /** Expects that the server closes the connection before long, although the client sends `text` all the time. */
  async function expectLeft({ socket, closed }: Conversation, text = ''): Promise<void> {
    let steps = 0
    for (; steps < 10 * LONG && !socket.destroyed; steps += 1) await pass(1, () => socket.write(text))
    expect(steps).toBeLessThan(10 * LONG)
    await closed
  }

  test.each([
    ['takes long over the head of its first request', 'GET / HTTP/1.1\r\nX: '],
    ['takes long over the head of another request', `${get('/')}GET / HTTP/1.1\r\nX: `],
    ['does not close behind its last answer', get('/', 'Connection: close')],
    ['sends a body that drips', post('/', 1_000_000)],
  ])('that %s, however busily', async (_, request) => {
    await expectLeft(await open(request), 'x')
  })

  test('that takes long to send a body that was answered already, however busily', async () => {
    const conversation = await open(head('GET / HTTP/1.1', 'Host: a', 'Content-Length: 1000000'))
    await eventually(() => conversation.received().toString().endsWith('got 0'))

    await expectLeft(conversation, 'x')
  })

  test.each([
    ['stops in the middle of a body', `${post('/', 10)}x`],
    ['asks for nothing more', get('/')],
  ])('that %s', async (_, request) => {
    await expectLeft(await open(request))
  })

  test.each(['/large', '/ready'])('that stops reading %s', async (path) => {
    const { socket, length, closed } = await open(get(path))
    await eventually(() => length() > 0)

    socket.pause()
    await pass(LONG)
    socket.resume()
    await closed

    expect(length()).toBeLessThan(LARGE_BYTES)
  })
})

import { expect, test } from 'bun:test'
import { listen } from '../../src/transport/listen.ts'
import { openSocket } from '../support/socket.ts'

/** Longer than the five seconds after which the runtime's own HTTP server closes a connection. */
const LONG_MS = 7000

test('an answer that takes long comes, also on a connection that stored bytes came over before', async () => {
  const transport = listen({
    host: '127.0.0.1',
    port: 0,
    isStreamed: () => false,
    shortcut: () => undefined,
    fetch: async (request) => {
      if (request.url.endsWith('/long')) await Bun.sleep(LONG_MS)
      return new Response(request.url.slice(request.url.lastIndexOf('/')))
    },
    refuse: () => new Response(null, { status: 500 }),
    onError: () => {},
    now: Date.now,
  })
  const socket = await openSocket(transport.port)
  let received = ''
  const closed = new Promise((resolve) => socket.on('close', resolve))
  const answered = (text: string) =>
    new Promise<void>((resolve) => {
      socket.on('data', () => received.endsWith(text) && resolve())
    })
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString()
  })

  socket.write('GET /bytes HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await answered('/bytes')
  socket.write('GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await Promise.race([answered('/long'), closed])

  expect(received).toEndWith('/long')
  socket.destroy()
  await transport.stop(0)
}, 20_000)

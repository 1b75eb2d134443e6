import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'
import { ChunkedBody } from '../../src/transport/chunked.ts'
import type { Transport } from '../../src/transport/listen.ts'
import { envelopeMessage, requestText, splitAnswers } from '../hosting/wire.ts'
import { eventually, rounds } from '../support/eventually.ts'
import { withHoldfast } from '../support/fixture.ts'
import { filesUnder } from '../support/holdfast.ts'
import { filePart, multipartBody, uploadHead } from '../support/multipart.ts'
import { spawnHoldfast } from '../support/process.ts'
import { converse, openSocket, parseAnswer } from '../support/socket.ts'
import { answersTo, answerTo, head, LAST, listenBare, statusesOf, zeros } from './bare.ts'

const holdfast = withHoldfast()
const { api } = holdfast

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const chunkedHead = () => uploadHead(`API-Key: ${holdfast.key}`, 'Transfer-Encoding: chunked')
const exists = async (key: string) =>
  (await holdfast.fetch(`/api/hosting/${key}`, { headers: holdfast.withKey })).status === 200

describe('an upload in chunks', () => {
  const form = (name: string) => multipartBody([filePart(name, 'content')]).toString()

  test('is stored, and the connection continues after it', async () => {
    const body = Array.from(form('in-chunks').match(/[\s\S]{1,7}/g) ?? [], chunk).join('')

    const answers = await answersTo(holdfast.port, chunkedHead(), body, '0\r\n\r\n', LAST)

    expect(statusesOf(answers)).toEqual([200, 200])
    expect(await exists('in-chunks')).toBe(true)
  })

  test.each([
    ['its last chunk ends in something else', '0\r\nXX'],
    ['a chunk is longer than it says', '3\r\nabcd\r\n0\r\n\r\n'],
    ['a size is none', '0x3\r\nabc\r\n0\r\n\r\n'],
  ])('is refused and leaves nothing when %s, and later requests get no response', async (_, end) => {
    const answers = await answersTo(holdfast.port, chunkedHead(), chunk(form('broken')), end, LAST)

    expect(statusesOf(answers)).toEqual([400])
    expect(answers[0]?.headers.get('connection')).toBe('close')
    expect(await exists('broken')).toBe(false)
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
  })

  test('that ends early is canceled', async () => {
    const { socket } = await converse(holdfast.port, `${chunkedHead()}${chunk(form('early'))}`)
    socket.end()

    await eventually(async () => filesUnder(holdfast, 'tmp').length === 0)
    expect(await exists('early')).toBe(false)
    socket.destroy()
  })
})

test('a broken body of JSON is refused, and later requests get no response', async () => {
  const lines = ['Host: a', `API-Key: ${holdfast.key}`, 'Transfer-Encoding: chunked']
  const post = head('POST /api/folders HTTP/1.1', ...lines)

  const answers = await answersTo(holdfast.port, post, '2\r\n{}X\r\n0\r\n\r\n', LAST)

  expect(answers.map((answer) => [answer.status, envelopeMessage(answer)])).toEqual([
    [400, 'The body of the request is not valid HTTP'],
  ])
})

describe('a client that sends nothing more', () => {
  test('still gets every requested response', async () => {
    const { url } = await api.upload('half', 'x'.repeat(3_000_000))
    const { socket, closed } = await converse(holdfast.port)

    socket.end(requestText(`/${url}`))
    expect(splitAnswers(await closed).map(({ body }) => body.length)).toEqual([3_000_000])
  })

  test('gets the responses to all pipelined requests, even if they take long', async () => {
    const transport = listenBare({
      fetch: async (request) => {
        const text = await request.text()
        await rounds()
        return new Response(`${new URL(request.url).pathname}${text}`)
      },
    })
    const post = (path: string, body: string) =>
      `${head(`POST ${path} HTTP/1.1`, 'Host: a', `Content-Length: ${body.length}`)}${body}`
    const { socket, closed } = await converse(transport.port)

    socket.end(`${requestText('/1')}${post('/2', 'body')}${requestText('/3')}`)
    const answers = splitAnswers(await closed)
    expect(answers.map(({ body }) => body.toString())).toEqual(['/1', '/2body', '/3'])
    expect(answers.map(({ headers }) => headers.get('connection'))).toEqual([undefined, undefined, 'close'])
    await transport.stop(0)
  })

  test('in the middle of a body gets the answers before it, and the connection ends', async () => {
    const { socket, closed } = await converse(holdfast.port)

    socket.end(
      `${requestText('/api/health')}${head('GET /api/health HTTP/1.1', 'Host: a', 'Content-Length: 9')}x`,
    )
    expect(splitAnswers(await closed).map(({ status }) => status)).toEqual([200, 200])
  })

  test('in the middle of a head gets none', async () => {
    const { socket, closed } = await converse(holdfast.port)

    socket.end('GET /api/hea')

    expect((await closed).length).toBe(0)
  })
})

describe('a body whose length is not known', () => {
  const SIZE = 3 * 1024 ** 2
  let fails = false
  let transport: Transport
  const errors: unknown[] = []
  beforeAll(() => {
    const fetch = async () => new Response(zeros(SIZE, mayBreak))
    transport = listenBare({ fetch, onError: (error) => errors.push(error) })
  })
  afterAll(() => transport.stop(0))

  const mayBreak = (left: number) => {
    if (fails && left < SIZE / 2) throw new Error('broken')
  }

  const ask = (version: string, ...lines: string[]) =>
    answerTo(transport.port, head(`GET / HTTP/${version}`, 'Host: a', ...lines))

  test.each([[[]], [['Connection: close']]])('comes in chunks %j', async (lines) => {
    const { headers, body } = await ask('1.1', ...lines)

    expect([headers.get('transfer-encoding'), headers.get('content-length')]).toEqual(['chunked', undefined])
    const { data, rest } = new ChunkedBody().decode(body)
    expect([data.length, rest?.length]).toEqual([SIZE, 0])
  })

  test('ends where the connection ends for HTTP/1.0, which knows no chunks', async () => {
    const { headers, body } = await ask('1.0')

    expect([headers.get('transfer-encoding'), headers.get('connection')]).toEqual([undefined, 'close'])
    expect(body.length).toBe(SIZE)
  })

  test('has no end when it breaks, and the connection is cut', async () => {
    fails = true
    const { body } = await ask('1.1', 'Connection: close')

    expect(new ChunkedBody().decode(body).rest).toBeUndefined()
    expect(errors.map(String)).toEqual(['BrokenBody: A response body broke while it was sent'])
  })
})

test('answers to a client that asks for more than it reads wait in line, and so do its questions', async () => {
  const { url } = await api.upload('line', 'y'.repeat(1_000_000))
  const socket = await openSocket(holdfast.port)
  socket.pause()
  let taken = 0
  const question = requestText(`/${url}`)
  const send = () => {
    while (taken < 100_000 && socket.write(question)) taken += 1
  }
  socket.on('drain', send)
  send()
  // It stands still while later requests are answered, or the server has read them all.
  for (let still = 0; still < 20; still += 1) {
    const before = taken
    await holdfast.fetch('/api/health')
    if (taken > before) still = 0
  }

  expect(taken).toBeLessThan(100_000)
  expect((await holdfast.fetch('/api/health')).status).toBe(200)
  socket.destroy()
})

test('a client that is gone before it was greeted is no error', async () => {
  await using server = await spawnHoldfast()
  for (let n = 0; n < 200; n += 1) {
    const socket = await openSocket(server.port)
    socket.write(requestText('/api/files'), () => socket.resetAndDestroy())
  }

  expect((await server.fetch('/api/health')).status).toBe(200)
  expect(server.output()).not.toContain('unexpectedly')
})

test('a client that resets its connection at once leaves nothing in the log', async () => {
  await using server = await spawnHoldfast()
  await eventually(() => server.output().includes('becomes its admin\n'))
  const before = server.output()
  server.child.kill('SIGSTOP')
  // Without a handshake of TLS, which the server cannot answer now.
  const sockets = Array.from({ length: 100 }, () => connect(server.port, '127.0.0.1'))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  for (const socket of sockets) socket.resetAndDestroy()
  server.child.kill('SIGCONT')

  // Connections are accepted in the order in which they arrived.
  expect((await server.fetch('/api/health')).status).toBe(200)
  expect(server.output()).toBe(before)
})

describe('a long body of another length than was promised', () => {
  const promised = 2 * 1024 ** 2

  test.each([
    ['longer', promised + 2 ** 16],
    ['shorter', promised - 2 ** 16],
  ])('breaks the response when it is %s, and no byte past the promise is sent', async (_, length) => {
    const errors: unknown[] = []
    const transport = listenBare({
      fetch: async () => new Response(zeros(length), { headers: { 'Content-Length': String(promised) } }),
      onError: (error) => errors.push(error),
    })
    try {
      // A second request behind the first would take surplus bytes for its response.
      const { closed } = await converse(transport.port, head('GET / HTTP/1.1', 'Host: a').repeat(2))
      const { headers, body } = parseAnswer(await closed)

      expect(headers.get('content-length')).toBe(String(promised))
      expect(body.length).toBeLessThanOrEqual(Math.min(length, promised))
      expect(errors).toHaveLength(1)
    } finally {
      await transport.stop(0)
    }
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { envelopeMessage, splitAnswers } from '../hosting/wire.ts'
import { type Account, type Holdfast, register, startHoldfast } from '../support/holdfast.ts'
import { BOUNDARY, filePart, multipartBody } from '../support/multipart.ts'
import { openSocket, parseAnswer, rawRequest, sendRaw } from '../support/socket.ts'
import { head, listenBare } from './bare.ts'

let holdfast: Holdfast
let account: Account
beforeAll(async () => {
  holdfast = await startHoldfast({ environment: { MAX_UPLOAD_SIZE: '1mb' } })
  account = await register(holdfast)
})
afterAll(() => holdfast[Symbol.asyncDispose]())

const MiB = 1024 ** 2
const MULTIPART = `Content-Type: multipart/form-data; boundary=${BOUNDARY}`
const withKey = () => `API-Key: ${account.key}`

describe('a client that asks before it sends its body', () => {
  const asking = (path: string, length: number, ...lines: string[]) =>
    head(`POST ${path} HTTP/1.1`, 'Host: a', 'Expect: 100-continue', `Content-Length: ${length}`, ...lines)

  test('is sent for JSON, on every route', async () => {
    const body = JSON.stringify({ folder: 'x'.repeat(200) })
    for (const path of ['/api/folders', '/api/files/sign']) {
      const socket = await openSocket(holdfast.port)
      let received = ''
      socket.on('data', (chunk) => {
        received += chunk
      })

      socket.write(asking(path, body.length, withKey()))
      while (received === '') await Bun.sleep(5)
      expect(received).toBe('HTTP/1.1 100 Continue\r\n\r\n')
      socket.write(body)
      while (!received.includes('"error"')) await Bun.sleep(5)

      const [, answer] = splitAnswers(Buffer.from(received))
      expect([path, answer?.status]).toEqual([path, path === '/api/folders' ? 200 : 400])
      socket.destroy()
    }
  })

  test('is not sent for a forbidden upload, and the connection is closed', async () => {
    const answer = parseAnswer(await sendRaw(holdfast.port, asking('/api/files', 10 * MiB, MULTIPART), 1000))

    expect([answer.status, envelopeMessage(answer)]).toEqual([401, 'Unauthorized'])
    expect(answer.headers.get('connection')).toBe('close')
  })

  test('is not sent for an upload that is too long', async () => {
    const request = asking('/api/files', 1e12, MULTIPART, withKey())

    const answer = parseAnswer(await sendRaw(holdfast.port, request, 1000))

    expect([answer.status, answer.headers.get('connection')]).toEqual([413, 'close'])
  })

  test('stays connected when it was asked', async () => {
    const body = multipartBody([filePart('asked')])
    const request = asking('/api/files', body.length, MULTIPART, withKey())
    const next = head('GET /api/health HTTP/1.1', 'Host: a', 'Connection: close')

    const bytes = await sendRaw(
      holdfast.port,
      Buffer.concat([Buffer.from(request), body, Buffer.from(next)]),
      1000,
    )

    expect(splitAnswers(bytes).map(({ status }) => status)).toEqual([100, 200, 200])
  })

  test('may leave without sending any', async () => {
    for (const how of ['destroy', 'end', 'resetAndDestroy'] as const) {
      for (const lines of [[withKey()], [withKey(), MULTIPART], [MULTIPART]]) {
        const socket = await openSocket(holdfast.port)
        socket.on('error', () => {})
        socket.write(asking('/api/files', 100, ...lines))
        socket[how]()
      }
    }

    expect((await holdfast.fetch('/api/health')).status).toBe(200)
  })

  test('of another value is ignored', async () => {
    const lines = ['POST /api/folders HTTP/1.1', 'Host: a', 'Expect: a miracle', 'Content-Length: 2']

    const answer = await rawRequest(holdfast.port, [...lines, withKey()], '{}')

    expect([answer.status, envelopeMessage(answer)]).toEqual([400, '"folder" is required'])
  })
})

describe('an unwanted body', () => {
  /** Sends 128 MiB without waiting. Returns the response and the number of sent bytes. */
  async function flood(...lines: string[]) {
    const socket = await openSocket(holdfast.port)
    const closed = Promise.withResolvers<void>()
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('close', () => closed.resolve())
    socket.on('error', () => closed.resolve())
    socket.write(head('POST /api/files HTTP/1.1', 'Host: a', `Content-Length: ${4096 * MiB}`, ...lines))
    const piece = Buffer.alloc(MiB)
    let sent = 0
    const send = async () => {
      for (; sent < 128 && !socket.destroyed; sent += 1)
        await new Promise<void>((resolve) => socket.write(piece, () => resolve()))
    }
    await Promise.race([send(), closed.promise])
    socket.destroy()
    return { answer: parseAnswer(Buffer.from(received)), sent }
  }

  test.each<[what: string, lines: string[], status: number]>([
    ['an upload by a stranger', [MULTIPART], 401],
    ['JSON by a stranger', [], 401],
  ])('is dropped for a while, then the connection is cut: %s', async (_, lines, status) => {
    const { answer, sent } = await flood(...lines)

    expect([answer.status, envelopeMessage(answer)]).toEqual([status, 'Unauthorized'])
    expect(sent).toBeWithin(60, 128)
    expect((await holdfast.fetch('/api/health')).status).toBe(200)
  })

  test('in chunks, from many clients at once, costs no connection', async () => {
    const chunks = `3e8\r\n${'a'.repeat(1000)}\r\n`.repeat(97)
    const first = head('POST /api/files HTTP/1.1', 'Host: a', MULTIPART, 'Transfer-Encoding: chunked')
    const next = head('GET /api/health HTTP/1.1', 'Host: a', 'Connection: close')
    const request = Buffer.from(`${first}${chunks}0\r\n\r\n${next}`)

    const responses = await Promise.all(
      Array.from({ length: 50 }, () => sendRaw(holdfast.port, request, 5000)),
    )

    for (const bytes of responses) expect(splitAnswers(bytes).map(({ status }) => status)).toEqual([401, 200])
  })

  test('keeps the connection in step when it is not too long', async () => {
    const body = Buffer.alloc(8 * MiB)
    const first = head('POST /api/files HTTP/1.1', 'Host: a', MULTIPART, `Content-Length: ${body.length}`)
    const next = head('GET /api/health HTTP/1.1', 'Host: a', 'Connection: close')

    const bytes = await sendRaw(
      holdfast.port,
      Buffer.concat([Buffer.from(first), body, Buffer.from(next)]),
      2000,
    )

    expect(splitAnswers(bytes).map(({ status }) => status)).toEqual([401, 200])
  })
})

describe('a transfer coding', () => {
  const chunks = (version: string, coding: string) =>
    sendRaw(
      holdfast.port,
      `${head(`POST /api/folders HTTP/${version}`, 'Host: a', 'Connection: close', withKey(), `Transfer-Encoding: ${coding}`)}2\r\n{}\r\n0\r\n\r\n`,
      1000,
    )

  test.each([
    ['1.1', 'gzip, chunked'],
    ['1.1', 'chunked, chunked'],
    ['1.1', 'gzip'],
    ['1.0', 'chunked'],
  ])('that is not supported is refused: HTTP/%s, %s', async (version, coding) => {
    const answer = parseAnswer(await chunks(version, coding))

    expect(answer.status).toBe(400)
    expect(envelopeMessage(answer)).not.toContain('folder')
  })

  test.each(['chunked', 'Chunked'])('called %s is taken', async (coding) => {
    expect(envelopeMessage(parseAnswer(await chunks('1.1', coding)))).toBe('"folder" is required')
  })

  test('is refused with a GET, too', async () => {
    const lines = ['GET /api/health HTTP/1.1', 'Host: a', 'Transfer-Encoding: gzip, chunked']

    expect((await rawRequest(holdfast.port, lines, '0\r\n\r\n')).status).toBe(400)
  })
})

test('a body in chunks is decoded in slices of 64 KiB, and other work runs between them', async () => {
  const pieces: number[] = []
  let turns = 0
  const count = () => {
    turns += 1
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const turnsAt: number[] = []
  const transport = listenBare({
    fetch: async (request) => {
      await Bun.sleep(50)
      for await (const piece of request.body ?? []) {
        pieces.push(piece.length)
        turnsAt.push(turns)
      }
      return new Response()
    },
  })
  const chunks = '5\r\nhello\r\n'.repeat(200_000)

  const bytes = await sendRaw(
    transport.port,
    `${head('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked', 'Connection: close')}${chunks}0\r\n\r\n`,
    5000,
  )
  clearImmediate(counting)
  await transport.stop(0)

  expect(parseAnswer(bytes).status).toBe(200)
  expect(pieces.reduce((sum, length) => sum + length, 0)).toBe(1_000_000)
  expect(Math.max(...pieces)).toBeLessThanOrEqual(64 * 1024)
  // Two slices fit in one turn.
  expect(new Set(turnsAt).size).toBeGreaterThan(10)
})

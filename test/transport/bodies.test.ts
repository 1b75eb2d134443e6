import { describe, expect, test } from 'bun:test'
import { envelopeMessage, splitAnswers } from '../hosting/wire.ts'
import { eventually, rounds } from '../support/eventually.ts'
import { withHoldfast } from '../support/fixture.ts'
import { BOUNDARY, filePart, multipartBody } from '../support/multipart.ts'
import { converse, parseAnswer, rawRequest } from '../support/socket.ts'
import { answersTo, answerTo, head, LAST, listenBare, statusesOf } from './bare.ts'

const holdfast = withHoldfast({ environment: { MAX_UPLOAD_SIZE: '1mb' } })

const MiB = 1024 ** 2
const MULTIPART = `Content-Type: multipart/form-data; boundary=${BOUNDARY}`
const withKey = () => `API-Key: ${holdfast.key}`

describe('a client that asks before it sends its body', () => {
  const asking = (path: string, length: number, ...lines: string[]) =>
    head(`POST ${path} HTTP/1.1`, 'Host: a', 'Expect: 100-continue', `Content-Length: ${length}`, ...lines)

  test('is sent for JSON, on every route', async () => {
    const body = JSON.stringify({ folder: 'x'.repeat(200) })
    for (const path of ['/api/folders', '/api/files/sign']) {
      const { socket, received } = await converse(holdfast.port, asking(path, body.length, withKey()))
      await eventually(() => received().length > 0)
      expect(received().toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n')
      socket.write(body)
      await eventually(() => received().includes('"error"'))

      const [, answer] = splitAnswers(received())
      expect([path, answer?.status]).toEqual([path, path === '/api/folders' ? 200 : 400])
      socket.destroy()
    }
  })

  test('is not sent for a forbidden upload, and the connection is closed', async () => {
    const answer = await answerTo(holdfast.port, asking('/api/files', 10 * MiB, MULTIPART))

    expect([answer.status, envelopeMessage(answer)]).toEqual([401, 'Unauthorized'])
    expect(answer.headers.get('connection')).toBe('close')
  })

  test('is not sent for an upload that is too long', async () => {
    const request = asking('/api/files', 1e12, MULTIPART, withKey())

    const answer = await answerTo(holdfast.port, request)

    expect([answer.status, answer.headers.get('connection')]).toEqual([413, 'close'])
  })

  test('stays connected when it was asked', async () => {
    const body = multipartBody([filePart('asked')])
    const request = asking('/api/files', body.length, MULTIPART, withKey())

    expect(statusesOf(await answersTo(holdfast.port, request, body, LAST))).toEqual([100, 200, 200])
  })

  test('may leave without sending any', async () => {
    for (const how of ['destroy', 'end', 'resetAndDestroy'] as const) {
      for (const lines of [[withKey()], [withKey(), MULTIPART], [MULTIPART]]) {
        const { socket } = await converse(holdfast.port, asking('/api/files', 100, ...lines))
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
    const request = head('POST /api/files HTTP/1.1', 'Host: a', `Content-Length: ${4096 * MiB}`, ...lines)
    const { socket, received, closed } = await converse(holdfast.port, request)
    const piece = Buffer.alloc(MiB)
    let sent = 0
    const send = async () => {
      for (; sent < 128 && !socket.destroyed; sent += 1)
        await new Promise<void>((resolve) => socket.write(piece, () => resolve()))
    }
    await Promise.race([send(), closed])
    socket.destroy()
    return { answer: parseAnswer(received()), sent }
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
    const request = `${first}${chunks}0\r\n\r\n${LAST}`

    const responses = await Promise.all(Array.from({ length: 50 }, () => answersTo(holdfast.port, request)))

    for (const answers of responses) expect(statusesOf(answers)).toEqual([401, 200])
  })

  test('keeps the connection in step when it is not too long', async () => {
    const body = Buffer.alloc(8 * MiB)
    const first = head('POST /api/files HTTP/1.1', 'Host: a', MULTIPART, `Content-Length: ${body.length}`)

    expect(statusesOf(await answersTo(holdfast.port, first, body, LAST))).toEqual([401, 200])
  })
})

describe('a transfer coding', () => {
  const chunks = (version: string, coding: string) => {
    const lines = ['Host: a', 'Connection: close', withKey(), `Transfer-Encoding: ${coding}`]
    const start = head(`POST /api/folders HTTP/${version}`, ...lines)
    return answerTo(holdfast.port, `${start}2\r\n{}\r\n0\r\n\r\n`)
  }

  test.each([
    ['1.1', 'gzip, chunked'],
    ['1.1', 'chunked, chunked'],
    ['1.1', 'gzip'],
    ['1.0', 'chunked'],
  ])('that is not supported is refused: HTTP/%s, %s', async (version, coding) => {
    const answer = await chunks(version, coding)

    expect(answer.status).toBe(400)
    expect(envelopeMessage(answer)).not.toContain('folder')
  })

  test.each(['chunked', 'Chunked'])('called %s is taken', async (coding) => {
    expect(envelopeMessage(await chunks('1.1', coding))).toBe('"folder" is required')
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
      await rounds()
      for await (const piece of request.body ?? []) {
        pieces.push(piece.length)
        turnsAt.push(turns)
      }
      return new Response()
    },
  })
  const chunks = '5\r\nhello\r\n'.repeat(200_000)

  const start = head('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked', 'Connection: close')
  const { status } = await answerTo(transport.port, `${start}${chunks}0\r\n\r\n`)
  clearImmediate(counting)
  await transport.stop(0)

  expect(status).toBe(200)
  expect(pieces.reduce((sum, length) => sum + length, 0)).toBe(1_000_000)
  expect(Math.max(...pieces)).toBeLessThanOrEqual(64 * 1024)
  // Two slices fit in one turn.
  expect(new Set(turnsAt).size).toBeGreaterThan(10)
})

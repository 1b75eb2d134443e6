import { describe, expect, test } from 'bun:test'
import { envelopeMessage } from '../hosting/wire.ts'
import { eventually } from '../support/eventually.ts'
import { withHoldfast } from '../support/fixture.ts'
import { startHoldfast } from '../support/holdfast.ts'
import { converse, parseAnswer } from '../support/socket.ts'
import { answersTo, answerTo, head, statusesOf } from './bare.ts'

const holdfast = withHoldfast()

const MiB = 1024 ** 2
const EXPECT = 'Expect: 100-continue'
const asking = (start: string, ...lines: string[]) => head(`${start} HTTP/1.1`, 'Host: a', ...lines)

/** Sends the head of a request without its body, and reads the response. */
async function ask(port: number, start: string, ...lines: string[]) {
  const answer = await answerTo(port, asking(start, 'Content-Length: 1000', ...lines))
  return [answer.status, envelopeMessage(answer)]
}

describe('a request whose body has not come', () => {
  test.each<[what: string, start: string, status: number, message: string]>([
    ['an unknown route', 'POST /api/nothing-here', 404, 'Not found'],
    [
      'a method that the route does not take',
      'PUT /api/hosting/x',
      405,
      'PUT is not supported here. Use GET, HEAD, OPTIONS.',
    ],
    ['an upload without credentials', 'POST /api/files', 401, 'Unauthorized'],
    ['JSON without credentials', 'POST /api/folders', 401, 'Unauthorized'],
  ])('is refused by its head: %s', async (_, start, status, message) => {
    expect(await ask(holdfast.port, start)).toEqual([status, message])
    expect(await ask(holdfast.port, start, EXPECT)).toEqual([status, message])
  })

  test('is refused by its head when it is longer than JSON may be', async () => {
    const request = ['Content-Length: 1048577', `API-Key: ${holdfast.key}`]
    const start = 'POST /api/folders'

    for (const lines of [request, [...request, EXPECT]]) {
      const answer = await answerTo(holdfast.port, asking(start, ...lines))
      expect([answer.status, envelopeMessage(answer)]).toEqual([413, 'The body is larger than 1048576 bytes'])
    }
  })

  test('is refused by its head past the rate limit', async () => {
    await using limited = await startHoldfast({ environment: { RATE_LIMIT_API: '1' } })
    await limited.fetch('/api/setup')

    expect(await ask(limited.port, 'POST /api/folders')).toEqual([429, 'Too many requests'])
    expect(await ask(limited.port, 'POST /api/folders', EXPECT)).toEqual([429, 'Too many requests'])
  })

  test('counts once against the rate limit', async () => {
    await using limited = await startHoldfast({ environment: { RATE_LIMIT_API: '2' } })
    const body = '{"email":"a@b.c","password":"wrong password"}'
    const request = (...lines: string[]) =>
      asking('POST /api/auth/sign-in/email', `Content-Length: ${body.length}`, ...lines) + body
    const requests = [request(), request(), request('Connection: close')]

    expect(statusesOf(await answersTo(limited.port, ...requests))).toEqual([401, 401, 429])
  })
})

describe('a body of JSON', () => {
  const post = (text: string, length = text.length) =>
    `${asking('POST /api/folders', `API-Key: ${holdfast.key}`, `Content-Length: ${length}`)}${text}`

  test('is read whole when it comes in pieces', async () => {
    const { socket, received } = await converse(holdfast.port)
    const request = post(JSON.stringify({ folder: `pieces-${'x'.repeat(200)}` }))

    for (let at = 0; at < request.length; at += 50) {
      socket.write(request.slice(at, at + 50))
      // The response to a later request shows that the server has read this one.
      await holdfast.fetch('/api/health')
    }
    await eventually(() => received().length > 0)

    expect(parseAnswer(received()).status).toBe(200)
    socket.destroy()
  })

  test('may have 1 MiB and not a byte more, in chunks as well', async () => {
    const chunked = (size: number) => {
      const text = `{"folder":"${'x'.repeat(size - 13)}"}`
      const lines = [`API-Key: ${holdfast.key}`, 'Transfer-Encoding: chunked', 'Connection: close']
      return `${asking('POST /api/folders', ...lines)}${size.toString(16)}\r\n${text}\r\n0\r\n\r\n`
    }

    const messages = []
    for (const size of [MiB, MiB + 1])
      messages.push(envelopeMessage(await answerTo(holdfast.port, chunked(size))))

    expect(messages[0]).not.toContain('larger')
    expect(messages[1]).toBe('The body is larger than 1048576 bytes')
  })
})

test('an archive is imported at the path with a slash at the end as well', async () => {
  // The end record of an archive without entries (APPNOTE 4.3.16), behind more than short bodies may have.
  const archive = Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)])
  const headers = { ...holdfast.withKey, 'Content-Type': 'application/zip' }

  const answers = await Promise.all(
    ['/api/folders/import', '/api/folders/import/'].map(async (path) => {
      const response = await holdfast.fetch(path, { method: 'POST', body: archive, headers })
      return [response.status, await response.text()]
    }),
  )

  expect(answers[1]).toEqual(answers[0])
})

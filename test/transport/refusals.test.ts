import { describe, expect, test } from 'bun:test'
import { problem } from '../../src/api/problem.ts'
import type { TransportOptions } from '../../src/transport/listen.ts'
import { envelopeMessage, expectExactLength, requestText, splitAnswers } from '../hosting/wire.ts'
import { eventually } from '../support/eventually.ts'
import { withHoldfast } from '../support/fixture.ts'
import { converse, rawRequest } from '../support/socket.ts'
import { storedIn } from '../support/stored.ts'
import { answersTo, answerTo, listenBare } from './bare.ts'

const holdfast = withHoldfast()

describe('what the parser cannot read', () => {
  const post = (header: string) => `POST /api/folders HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`
  test.each<[what: string, request: string, status: number]>([
    ['an unknown method', 'FOO /api/health HTTP/1.1\r\nHost: a\r\n\r\n', 501],
    ['a method in lower case', 'get /api/health HTTP/1.1\r\nHost: a\r\n\r\n', 501],
    ['an unknown version', 'GET /api/health HTTP/9.9\r\nHost: a\r\n\r\n', 505],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505],
    ['an unknown version and method', 'FOO / HTTP/3.0\r\nHost: a\r\n\r\n', 505],
    ['a version that is none', 'GET /api/health HTTP/1.1x\r\nHost: a\r\n\r\n', 400],
    ['a space in the path', 'GET /api/hosting/a b HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['bytes beyond ASCII in the path', 'GET /api/hosting/é HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a path without a slash in front', 'GET api/health HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a fragment', 'GET /api/health#x HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['everything there is', 'GET * HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a line without a colon', 'GET /api/health HTTP/1.1\r\nHost;\r\n\r\n', 400],
    ['no HTTP at all', 'HELLO\r\n\r\n', 400],
    ['a length that is no number', post('Content-Length: 5x'), 400],
    ['a negative length', post('Content-Length: -1'), 400],
    ['two lengths', post('Content-Length: 1\r\nContent-Length: 2'), 400],
    ['a length beside chunks', post('Content-Length: 5\r\nTransfer-Encoding: chunked'), 400],
    ['a header that is too long', post(`X: ${'x'.repeat(20_000)}`), 431],
    ['a path that is too long', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ])('gets a response in the envelope: %s', async (_, request, status) => {
    const answer = await answerTo(holdfast.port, request)

    expect(answer.status).toBe(status)
    expect(envelopeMessage(answer)).not.toBe('')
    expectExactLength(answer)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      connection: 'close',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      date: expect.stringMatching(/ GMT$/),
    })
  })

  test('is sent after the earlier responses', async () => {
    const { url } = await holdfast.api.upload('before', 'x'.repeat(500_000))

    const answers = await answersTo(holdfast.port, requestText(`/${url}`), 'GARBAGE\r\n\r\n')

    expect(answers.map(({ status, body }) => [status, body.length])).toEqual([
      [200, 500_000],
      [400, expect.any(Number)],
    ])
  })

  test('never gets into the middle of an answer', async () => {
    const size = 64 * 1024 ** 2
    const large = await holdfast.api.upload('large', '')
    await storedIn(holdfast).plant(large, new Uint8Array(size))
    const { socket, closed } = await converse(holdfast.port)
    socket.pause()

    socket.write(requestText(`/${large.url}`))
    await eventually(() => socket.readableLength > 0)
    socket.write('GARBAGE\r\n\r\n')
    socket.resume()
    const [answer, refusal] = splitAnswers(await closed)
    expect([answer?.status, answer?.body.length, refusal?.status]).toEqual([200, size, 400])
    expect(answer?.body.some((byte) => byte !== 0)).toBe(false)
  })
})

describe('a head that is refused', () => {
  const HEADS: [what: string, start: string, rest: string, status: number][] = [
    ['an unknown method', 'FOO /api/hosting/x HTTP/1.1', 'Host: a', 501],
    ['an unknown version', 'GET /api/hosting/x HTTP/2.0', 'Host: a', 505],
    ['a length that is no number', 'GET /api/hosting/x HTTP/1.1', 'Host: a\r\nContent-Length: x', 400],
    ['no host', 'GET /api/hosting/x HTTP/1.1', 'X: y', 400],
    ['a control character', 'GET /api/hosting/x HTTP/1.1', 'Host: a\r\nX: \0', 400],
    ['a line without a colon', 'GET /api/hosting/x HTTP/1.1', 'Host', 400],
    ['a header that is too long', 'GET /api/hosting/x HTTP/1.1', `X: ${'x'.repeat(20_000)}`, 431],
    ['too many lines', 'GET /api/hosting/x HTTP/1.1', 'X: y\r\n'.repeat(200), 431],
    ['a path that is too long', `GET /api/hosting/${'x'.repeat(20_000)} HTTP/1.1`, 'Host: a', 431],
    ['an absolute form', 'GET http://a/api/hosting/x HTTP/1.1', 'Content-Length: x', 400],
  ]

  test.each(HEADS)('has the headers of hosting for %s', async (_, start, rest, status) => {
    const answer = await answerTo(holdfast.port, `${start}\r\n${rest}\r\n\r\n`)

    expect(answer.status).toBe(status)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-security-policy': expect.stringContaining('sandbox'),
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    })
  })

  test('has no body behind a HEAD', async () => {
    for (const rest of ['Host: a\r\nContent-Length: x', 'X: y', `X: ${'x'.repeat(20_000)}`]) {
      const request = `HEAD /api/health HTTP/1.1\r\n${rest}\r\n\r\n`
      const answer = await answerTo(holdfast.port, request)

      const { status, headers, body } = answer
      expect([status >= 400, headers.get('connection'), body.length]).toEqual([true, 'close', 0])
    }
  })
})

describe('the target as a URL', () => {
  const ask = (target: string, host = 'a') =>
    rawRequest(holdfast.port, [`GET ${target} HTTP/1.1`, `Host: ${host}`])

  test.each([
    'http:///api/health',
    'http://x:y:z\\@[/api/health',
    'http://@@h/api/health',
    'http://user@a/api/health',
    'http://a:99999/api/health',
    'http://.a/api/health',
    'http://a..b/api/health',
    'https://?x',
  ])('is refused without a valid host: %s', async (target) => {
    expect((await ask(target)).status).toBe(400)
  })

  test.each(['http://a/api/health', 'HTTP://A:80/api/health', 'https://[::1]:3000/api/health?x=y'])(
    'is taken when it names a host: %s',
    async (target) => {
      expect((await ask(target)).status).toBe(200)
    },
  )

  test('goes before the Host header, and its query counts without a path', async () => {
    const seen: string[] = []
    const transport = listenBare({
      fetch: async ({ url, headers }) => {
        seen.push(new URL(url).pathname + new URL(url).search, headers.get('host') ?? '')
        return new Response()
      },
    })

    await rawRequest(transport.port, ['GET http://b.example?limit=0 HTTP/1.1', 'Host: a'])
    await transport.stop(0)

    expect(seen).toEqual(['/?limit=0', 'b.example'])
  })
})

test('OPTIONS * returns the methods of the whole server', async () => {
  const { status, headers } = await rawRequest(holdfast.port, ['OPTIONS * HTTP/1.1', 'Host: a'])

  expect([status, headers.get('allow')]).toEqual([204, 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'])
})

describe('methods that no route takes', () => {
  test.each(['PROPFIND', 'QUERY', 'REPORT', 'TRACE', 'PATCH', 'OPTIONS'])('%s', async (method) => {
    for (const path of ['/api/health', '/api/files', '/api/folders']) {
      const answer = await rawRequest(holdfast.port, [`${method} ${path} HTTP/1.1`, 'Host: a'])

      expect([path, answer.status]).toEqual([path, 405])
      expect(envelopeMessage(answer)).toStartWith(`${method} is not supported here. Use `)
    }
  })
})

describe('a failure that nothing has foreseen', () => {
  const secret = () => {
    throw new Error('a secret path')
  }
  const failing: [what: string, options: Partial<TransportOptions>][] = [
    ['while it is answered', { fetch: async () => secret() }],
    ['in a body', { fetch: async () => new Response(new ReadableStream({ pull: secret })) }],
    ['on the fast path', { fastPath: { prefix: '/', cached: secret, fresh: () => undefined } }],
  ]
  test.each(failing)('%s says nothing about itself', async (what, options) => {
    const errors: unknown[] = []
    const transport = listenBare({
      fetch: async () => Response.json('long way'),
      refuse: (request, refusal) => problem(refusal, request),
      onError: (error) => errors.push(error),
      ...options,
    })
    try {
      const answer = await answerTo(transport.port, requestText('/api/x'))

      if (what === 'on the fast path') expect(answer.body.toString()).toBe('"long way"')
      else expect([answer.status, envelopeMessage(answer)]).toEqual([500, 'Internal server error'])
      expect(errors.map(String)).toEqual(['Error: a secret path'])
    } finally {
      await transport.stop(0)
    }
  })
})

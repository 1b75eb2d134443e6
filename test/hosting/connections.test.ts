import { beforeAll, describe, expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'
import { type RawAnswer, rawRequest, sendRaw } from '../support/socket.ts'
import {
  ask,
  asking,
  envelopeMessage,
  expectExactLength,
  HOST,
  headersBut,
  pipeline,
  type Question,
  ROUTES,
  type Route,
  requestText,
  splitAnswers,
  storeOld,
} from './wire.ts'

/** Bytes without a repeated stretch. */
const LARGE = Buffer.from(Uint32Array.from({ length: 2 ** 18 }, (_, n) => n).buffer)
const SMALL = '0123456789abcdefghij'

let files: Record<'small' | 'large' | 'gone', FileView>
const holdfast = withHoldfast()
beforeAll(async () => {
  const small = await storeOld(holdfast, holdfast, { name: 'small', content: SMALL })
  const large = await storeOld(holdfast, holdfast, { name: 'large', content: LARGE })
  files = { small, large, gone: { ...small, id: 'gone', url: 'api/hosting/gone' } }
})

const askFor = (route: Route, file: FileView, question?: Question): Promise<RawAnswer> =>
  ask(holdfast.port, ...asking(route, file, holdfast, question))

describe('one connection', () => {
  test('gets the responses to 1,000 requests sent at once in order', async () => {
    const spans = Array.from({ length: 1000 }, (_, n): [number, number] => [
      n * 1000,
      n * 1000 + (n % 7) * 100,
    ])
    const requests = spans.map(([first, last], n) =>
      n % 10 === 9
        ? requestText(`/api/hosting/none/${n}`)
        : requestText(
            ...asking(ROUTES[n % 2] ?? 'hosting', files.large, holdfast, {
              headers: [`Range: bytes=${first}-${last}`],
            }),
          ),
    )

    const answers = await pipeline(holdfast.port, requests)

    expect(answers.map(({ status }) => status)).toEqual(spans.map((_, n) => (n % 10 === 9 ? 404 : 206)))
    const wrong = spans.filter(
      ([first, last], n) => n % 10 !== 9 && !answers[n]?.body.equals(LARGE.subarray(first, last + 1)),
    )
    expect(wrong).toEqual([])
  })

  test('gets responses with and without a body in order', async () => {
    const targets = Array.from({ length: 200 }, (_, n) => (n % 2 ? '/api/health' : `/${files.small.url}`))

    const answers = await pipeline(
      holdfast.port,
      targets.map((target) => requestText(target)),
    )

    expect(answers.map(({ body }) => body.toString())).toEqual(
      targets.map((target) => (target === '/api/health' ? expect.stringContaining('"message"') : SMALL)),
    )
  })

  test('gets responses of all kinds in order, however long each takes', async () => {
    const withKey = [`API-Key: ${holdfast.key}`]
    const body = '{"folder":"in turn"}'
    const create = requestText('/api/folders', {
      method: 'POST',
      headers: [...withKey, `Content-Length: ${body.length}`],
    })
    const large = requestText(...asking('hosting', files.large, holdfast))
    const health = requestText('/api/health')
    const list = requestText('/api/folders?limit=1', { headers: withKey })

    const answers = await pipeline(holdfast.port, [
      `${create}${body}`,
      health,
      large,
      health,
      list,
      large,
      `${create}${body}`,
      list,
      health,
    ])

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 409, 200, 200])
    expect([2, 5].map((index) => answers[index]?.body.equals(LARGE))).toEqual([true, true])
  })

  test('stays in step over whole large files', async () => {
    const request = requestText(...asking('hosting', files.large, holdfast))

    const answers = await pipeline(holdfast.port, Array(20).fill(request))

    expect(answers.map(({ body }) => body.equals(LARGE))).toEqual(Array(20).fill(true))
  })

  const smuggled = requestText('/api/hosting/none')
  test.each<[what: string, request: string, statuses: number[]]>([
    ['a GET with a body', withBody('GET', smuggled), [200]],
    ['a GET with a chunked body', withChunks('GET', smuggled), [200]],
    ['a POST with a body', withBody('POST', smuggled), [405]],
    ['a POST with a chunked body', withChunks('POST', smuggled), [405]],
    ['a POST with 100 KB of body', withBody('POST', smuggled.repeat(2000)), [405]],
    ['a POST with 2 MB of body', withBody('POST', smuggled.repeat(40_000)), [405]],
  ])('stays in step after %s', async (_, request, statuses) => {
    const next = requestText(`/${files.small.url}`, { headers: ['Connection: close'] })

    const answers = splitAnswers(await sendRaw(holdfast.port, `${request}${next}`, 1000))

    expect(answers.map(({ status }) => status)).toEqual([...statuses, 200])
    expect(answers.at(-1)?.body.toString()).toBe(SMALL)
  })

  // The body may come or not, so the start of the next request is ambiguous (RFC 9110 §10.1.1).
  test('closes behind a POST that it refuses before it asks for its body', async () => {
    const request = withBody('POST', smuggled, 'Expect: 100-continue')

    const answers = splitAnswers(await sendRaw(holdfast.port, request + requestText('/api/health'), 1000))

    expect(answers.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([
      [405, 'close'],
    ])
  })
})

function withBody(method: string, body: string, ...headers: string[]): string {
  return `${requestText('/api/hosting/small', { method, headers: [`Content-Length: ${body.length}`, ...headers] })}${body}`
}

function withChunks(method: string, body: string): string {
  const head = requestText('/api/hosting/small', { method, headers: ['Transfer-Encoding: chunked'] })
  return `${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
}

describe('a request with two hosts', () => {
  test.each<[what: string, file: keyof typeof files]>([
    ['a large file', 'large'],
    ['a small file', 'small'],
    ['a missing file', 'gone'],
  ])('for %s is refused on every route that sends bytes', async (_, file) => {
    await askFor('hosting', files[file])
    for (const route of ROUTES) {
      const answer = await askFor(route, files[file], { headers: ['Host: elsewhere'] })

      expect([route, answer.status]).toEqual([route, 400])
      expect(answer.body.toString()).not.toContain(SMALL)
      expectExactLength(answer)
    }
  })

  test('is refused in the envelope, with the headers of its kind', async () => {
    const answer = await askFor('hosting', files.large, { headers: ['Host: elsewhere'] })

    expect(headersBut(answer)).toMatchObject({
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    })
    expect(envelopeMessage(answer)).not.toBe('')
  })

  test('or none is refused', async () => {
    expect((await rawRequest(holdfast.port, [`GET /${files.small.url} HTTP/1.1`])).status).toBe(400)
  })
})

describe('a hosted file', () => {
  test.each(['TRACE', 'CONNECT', 'PUT', 'DELETE', 'POST', 'PATCH'])('takes no %s', async (method) => {
    const answer = await askFor('hosting', files.small, { method, headers: ['X-Secret: reflected'] })

    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect(envelopeMessage(answer)).toBe(`${method} is not allowed here`)
    expectExactLength(answer)
    expect(answer.body.toString()).not.toContain('reflected')
  })

  test.each(['get', 'Get', 'BREW', 'GETT', 'PROPFIND'])('takes no %s', async (method) => {
    const answer = await askFor('hosting', files.small, { method })

    expect([400, 404, 405, 501]).toContain(answer.status)
    expect(answer.body.toString()).not.toContain(SMALL)
  })

  test.each(['small', 'gone'] as const)('allows any site to request ranges: %s', async (file) => {
    const headers = [
      'Origin: https://elsewhere.example',
      'Access-Control-Request-Method: GET',
      'Access-Control-Request-Headers: range',
    ]

    const answer = await askFor('hosting', files[file], { method: 'OPTIONS', headers })

    expect([answer.status, answer.body.length]).toEqual([204, 0])
    expect(headersBut(answer)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': expect.stringMatching(/\bRange\b/),
      'access-control-expose-headers': 'Content-Range, Content-Length, ETag, Accept-Ranges',
    })
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
    // RFC 9110 §8.6: none in a 204.
    expect(answer.headers.has('content-length') || answer.headers.has('transfer-encoding')).toBe(false)
  })

  test('is sent to a client of HTTP/1.0', async () => {
    const answer = await rawRequest(holdfast.port, [`GET /${files.large.url} HTTP/1.0`, HOST])

    expect(answer.body.equals(LARGE)).toBe(true)
    expectExactLength(answer)
  })
})

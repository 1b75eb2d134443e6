import { beforeAll, describe, expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'
import { rawRequest, sendRaw } from '../support/socket.ts'
import {
  asking,
  ask as askPort,
  envelopeMessage,
  expectExactLength,
  HOST,
  headersBut,
  onWire,
  pipeline,
  ROUTES,
  requestText,
  splitAnswers,
} from './wire.ts'

/** Bytes without a repeated stretch. */
const LARGE = Buffer.from(Uint32Array.from({ length: 2 ** 18 }, (_, n) => n).buffer)

const SMALL = '0123456789abcdefghij'
let files: Record<'small' | 'large' | 'empty' | 'gone', FileView>
const holdfast = withHoldfast()
const { ask, askFor, storeOld } = onWire(holdfast)

beforeAll(async () => {
  const store = (name: string, content: string | Uint8Array) => storeOld(name, content)
  const small = await store('small', SMALL)
  const [large, empty] = [await store('large', LARGE), await store('empty', '')]
  files = { small, large, empty, gone: { ...small, id: 'gone', url: 'api/hosting/gone' } }
})

const CASES: [what: string, file: keyof typeof files, headers: string[], status: number][] = [
  ['a small file', 'small', [], 200],
  ['a small file again', 'small', [], 200],
  ['a large file', 'large', [], 200],
  ['an empty file', 'empty', [], 200],
  ['a small part of a small file', 'small', ['Range: bytes=1-3'], 206],
  ['a small part of a large file', 'large', ['Range: bytes=1-3'], 206],
  ['a large part of a large file', 'large', ['Range: bytes=1-1000000'], 206],
  ['a part past the end', 'small', ['Range: bytes=20-'], 416],
  ['a failed condition', 'large', ['If-Match: "x"'], 412],
  ['a missing file', 'gone', [], 404],
]

describe.each(ROUTES)('a response by %s', (route) => {
  test.each(CASES)('with %s has exactly the length it promises', async (_, file, headers, status) => {
    const answer = await askFor(route, files[file], { headers })

    expect(answer.status).toBe(status)
    expectExactLength(answer)
  })

  test.each(CASES)('with %s is promised by HEAD with the same headers', async (_, file, headers, status) => {
    const answer = await askFor(route, files[file], { headers })
    const head = await askFor(route, files[file], { method: 'HEAD', headers })
    // `Range` is defined for GET alone.
    const expected = status === 206 || status === 416 ? await askFor(route, files[file]) : answer

    expect([head.status, headersBut(head)]).toEqual([expected.status, headersBut(expected)])
    expect(head.headers.get('date')).toEndWith(' GMT')
    expect(head.body.length).toBe(0)
  })

  test.each<[status: number, file: keyof typeof files, headers: string[]]>([
    [200, 'small', []],
    [206, 'small', ['Range: bytes=1-3']],
    [304, 'small', ['If-None-Match: *']],
    [404, 'gone', []],
    [412, 'small', ['If-Match: "x"']],
    [416, 'small', ['Range: bytes=20-']],
  ])('of status %d announces ranges', async (status, file, headers) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await askFor(route, files[file], { method, headers })

      if (method === 'GET') expect(answer.status).toBe(status)
      expect(answer.headers.get('accept-ranges')).toBe('bytes')
    }
  })

  test('is never compressed', async () => {
    const [file, plain] = [files.large, await askFor(route, files.large)]

    const answer = await askFor(route, file, { headers: ['Accept-Encoding: gzip, br, zstd', 'TE: trailers'] })

    expect(headersBut(answer)).toEqual(headersBut(plain))
    expect(answer.body.equals(LARGE)).toBe(true)
  })

  test('without credentials where they are needed has a length too', async () => {
    const answer = await ask(`/api/files/download/${files.small.id}`)

    expect([answer.status, envelopeMessage(answer)]).toEqual([401, 'Unauthorized'])
    expectExactLength(answer)
  })
})

describe('a response to another spelling of the path', () => {
  test.each<[string, (target: string) => string]>([
    ['dots before it', (target) => `/x/..${target}`],
    ['encoded dots before it', (target) => `/x/%2e%2e${target}`],
    ['a dot in it', (target) => target.replace('/api/', '/api/./')],
    ['dots in it', (target) => target.replace('/api/', '/api/x/../')],
    ['an encoded letter', (target) => target.replace('/api/', '/%61pi/')],
    ['the absolute form', (target) => `http://localhost${target}`],
  ])('%s has exactly the length it promises, or is 404', async (what, spell) => {
    for (const route of ROUTES) {
      const [target, question] = asking(route, files.large, holdfast)
      const answer = await ask(spell(target), question)

      expect({ what, route, chunked: answer.headers.has('transfer-encoding') }).toEqual({
        what,
        route,
        chunked: false,
      })
      if (answer.status !== 404) expect(answer.body.equals(LARGE)).toBe(true)
      expectExactLength(answer)
    }
  })

  // RFC 9112 §3.2.2: a server must accept the absolute form.
  test.each(ROUTES)('by %s in the absolute form is the file', async (route) => {
    const [target, question] = asking(route, files.small, holdfast)

    const answer = await ask(`http://localhost${target}`, question)

    expect([answer.status, answer.body.toString()]).toEqual([200, SMALL])
  })
})

test('Bun still drops Content-Length from a streamed body, which is why we have our own transport', async () => {
  using plain = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response(new Blob([LARGE]).stream().pipeThrough(new TransformStream()), {
        headers: { 'Content-Length': String(LARGE.length) },
      }),
  })

  const answer = await askPort(plain.port ?? 0, '/')

  expect(answer.status).toBe(200)
  expect(answer.headers.has('content-length')).toBe(false)
  expect(answer.headers.get('transfer-encoding')).toBe('chunked')
})

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

    const answers = splitAnswers(await sendRaw(holdfast.port, `${request}${next}`))

    expect(answers.map(({ status }) => status)).toEqual([...statuses, 200])
    expect(answers.at(-1)?.body.toString()).toBe(SMALL)
  })

  // The body may come or not, so the start of the next request is ambiguous (RFC 9110 §10.1.1).
  test('closes behind a POST that it refuses before it asks for its body', async () => {
    const request = withBody('POST', smuggled, 'Expect: 100-continue')

    const answers = splitAnswers(await sendRaw(holdfast.port, request + requestText('/api/health')))

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

describe('a hosted file', () => {
  test.each(['TRACE', 'CONNECT', 'PUT', 'DELETE', 'POST', 'PATCH'])('takes no %s', async (method) => {
    const answer = await askFor('hosting', files.small, { method, headers: ['X-Secret: reflected'] })

    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect(envelopeMessage(answer)).toStartWith(`${method} is not supported here. Use `)
    expectExactLength(answer)
    expect(answer.body.toString()).not.toContain('reflected')
  })

  test.each([
    ['get', 501],
    ['Get', 501],
    ['GETT', 501],
    ['PURGE', 501],
    ['M-SEARCH', 501],
    ['PROPFIND', 405],
  ])('takes no %s: %i', async (method, status) => {
    const answer = await askFor('hosting', files.small, { method })

    expect(answer.status).toBe(status)
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
      'access-control-expose-headers': 'Content-Range, Content-Length, ETag, Accept-Ranges, Error-Code',
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

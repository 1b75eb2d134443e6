import { beforeAll, describe, expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'
import type { RawAnswer } from '../support/socket.ts'
import {
  ask,
  asking,
  envelopeMessage,
  expectExactLength,
  headersBut,
  type Question,
  ROUTES,
  type Route,
  storeOld,
} from './wire.ts'

/** Bytes without a repeated stretch. */
const LARGE = Buffer.from(Uint32Array.from({ length: 2 ** 18 }, (_, n) => n).buffer)
const SMALL = '0123456789abcdefghij'

let files: Record<'small' | 'large' | 'empty' | 'gone', FileView>
const holdfast = withHoldfast()
beforeAll(async () => {
  const store = (name: string, content: string | Uint8Array) =>
    storeOld(holdfast, holdfast, { name, content })
  const small = await store('small', SMALL)
  const [large, empty] = [await store('large', LARGE), await store('empty', '')]
  files = { small, large, empty, gone: { ...small, id: 'gone', url: 'api/hosting/gone' } }
})

const askFor = (route: Route, file: FileView, question?: Question): Promise<RawAnswer> =>
  ask(holdfast.port, ...asking(route, file, holdfast, question))

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
    const answer = await ask(holdfast.port, `/api/files/download/${files.small.id}`)

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
      const answer = await ask(holdfast.port, spell(target), question)

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

    const answer = await ask(holdfast.port, `http://localhost${target}`, question)

    expect([answer.status, answer.body.toString()]).toEqual([200, SMALL])
  })
})

test('Bun still drops Content-Length from a streamed body, which is why we have our own transport', async () => {
  const plain = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response(new Blob([LARGE]).stream().pipeThrough(new TransformStream()), {
        headers: { 'Content-Length': String(LARGE.length) },
      }),
  })
  try {
    const answer = await ask(plain.port ?? 0, '/')

    expect(answer.status).toBe(200)
    expect(answer.headers.has('content-length')).toBe(false)
    expect(answer.headers.get('transfer-encoding')).toBe('chunked')
  } finally {
    await plain.stop(true)
  }
})

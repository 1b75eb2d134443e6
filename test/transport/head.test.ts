import { describe, expect, test } from 'bun:test'
import { type BadHead, HeadReader, type RequestHead, readHead } from '../../src/transport/head.ts'

const head = (...lines: string[]) => Buffer.from([...lines, '', ''].join('\r\n'), 'latin1')

function read(...lines: string[]): RequestHead {
  const found = readHead(head(...lines))?.head
  if (!found || 'refusal' in found) throw new Error('A good head was refused')
  return found
}

function refused(bytes: Buffer): BadHead {
  const found = readHead(bytes)?.head
  if (!found || !('refusal' in found)) throw new Error('A bad head was taken')
  return found
}

const GET = 'GET /a?b HTTP/1.1'
const HOST = 'Host: a'

describe('readHead()', () => {
  test('reads method, target and fields by their lower-case names', () => {
    expect(read(GET, HOST, 'X-One:  1 \t', 'x-ONE: 2', 'Empty:', 'Cookie: a=1', 'cookie: b=2')).toMatchObject(
      {
        method: 'GET',
        target: '/a?b',
        headers: { host: 'a', 'x-one': '1, 2', empty: '', cookie: 'a=1; b=2' },
        bodyLength: 0,
        knowsChunks: true,
        keepsAlive: true,
        expectsContinue: false,
      },
    )
  })

  test('keeps a field called like a part of every object apart from that', () => {
    const { headers } = read(GET, HOST, '__proto__: x')

    expect(Object.getPrototypeOf(headers)).toBeNull()
    expect(Object.entries(headers)).toContainEqual(['__proto__', 'x'])
    expect(headers['constructor']).toBeUndefined()
  })

  test('waits for the end, wherever the head is cut', () => {
    const whole = head(GET, HOST, 'Content-Length: 3')
    for (let length = 0; length < whole.length; length += 1) {
      expect([length, readHead(whole.subarray(0, length))]).toEqual([length, undefined])
    }
    expect(readHead(Buffer.concat([whole, Buffer.from('abc')]))?.length).toBe(whole.length)
  })

  test('passes over empty lines in front of it', () => {
    const bytes = Buffer.concat([Buffer.from('\r\n\r\n'), head(GET, HOST)])

    expect(readHead(bytes)).toMatchObject({ head: { method: 'GET' }, length: bytes.length })
  })

  test.each<[string, string[], RequestHead['bodyLength']]>([
    ['a length', ['Content-Length: 12'], 12],
    ['the same length twice', ['Content-Length: 12', 'Content-Length: 12'], 12],
    ['chunks', ['Transfer-Encoding: chunked'], 'chunked'],
    ['chunks behind a tab', ['Transfer-Encoding:\tChunked'], 'chunked'],
    ['neither', [], 0],
  ])('knows the end of the body by %s', (_, lines, bodyLength) => {
    expect(read('POST / HTTP/1.1', HOST, ...lines).bodyLength).toBe(bodyLength)
  })

  test('closes behind HTTP/1.0 and where the client says so', () => {
    expect(read(GET, HOST, 'Connection: keep-alive, Close').keepsAlive).toBe(false)
    const old = read('GET / HTTP/1.0', HOST, 'Connection: keep-alive')
    expect(old).toMatchObject({ knowsChunks: false, keepsAlive: false })
    expect(read(GET, HOST, 'Connection: closed').keepsAlive).toBe(true)
  })

  test.each<[string, string[], boolean]>([
    ['that has a body', ['Expect: 100-Continue', 'Content-Length: 1'], true],
    ['that has none', ['Expect: 100-continue'], false],
    ['that expects something else', ['Expect: 200-ok', 'Content-Length: 1'], false],
  ])('detects a request that waits for a 100 Continue: one %s', (_, lines, expected) => {
    expect(read('POST / HTTP/1.1', HOST, ...lines).expectsContinue).toBe(expected)
  })

  test.each<[string, string[]]>([
    ['a space before the colon', [GET, HOST, 'A : b']],
    ['a folded line', [GET, HOST, 'A: b', ' c']],
    ['no colon', [GET, HOST, 'A']],
    ['no name', [GET, HOST, ': b']],
    ['a name that is no token', [GET, HOST, 'A(b): c']],
    ['a NUL', [GET, HOST, 'A: b\0c']],
    ['a carriage return', [GET, HOST, 'A: b\rc']],
    ['a carriage return before the last line end', [GET, HOST, 'A: b\r']],
    ['a line feed', [GET, HOST, 'A: b\nc: d']],
    ['a delete character', [GET, HOST, 'A: \x7f']],
    ['two spaces', ['GET  / HTTP/1.1', HOST]],
    ['a third part', ['GET / x HTTP/1.1', HOST]],
    ['no version', ['GET /', HOST]],
    ['HTTP/1.10', ['GET / HTTP/1.10', HOST]],
    ['http/1.1', ['GET / http/1.1', HOST]],
    ['no length', [GET, HOST, 'Content-Length:']],
    ['a length with a sign', [GET, HOST, 'Content-Length: +3']],
    ['a length in hex', [GET, HOST, 'Content-Length: 0x3']],
    ['a list of lengths', [GET, HOST, 'Content-Length: 3, 3']],
    ['a length of 23 digits', [GET, HOST, `Content-Length: ${'1'.repeat(23)}`]],
    ['two different lengths', [GET, HOST, 'Content-Length: 3', 'Content-Length: 4']],
    ['the same length written differently', [GET, HOST, 'Content-Length: 3', 'Content-Length: 03']],
    ['a length beside chunks', [GET, HOST, 'Content-Length: 3', 'Transfer-Encoding: chunked']],
    ['two codings', [GET, HOST, 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked']],
    ['an unknown coding', [GET, HOST, 'Transfer-Encoding: xchunked']],
    ['a coding without a name', [GET, HOST, 'Transfer-Encoding:']],
    ['chunks in HTTP/1.0', ['GET / HTTP/1.0', HOST, 'Transfer-Encoding: chunked']],
    ['no host', [GET]],
    ['two hosts', [GET, HOST, HOST]],
  ])('refuses %s', (_, lines) => {
    expect(refused(head(...lines)).refusal.reason).toBe('invalid')
  })

  test('refuses HTTP/2', () => {
    expect(refused(head('GET / HTTP/2.0', HOST)).refusal.reason).toBe('version-not-supported')
  })

  test.each([
    ['FOO', 'not-implemented'],
    ['get', 'not-implemented'],
    ['', 'invalid'],
    [' GET', 'invalid'],
    ['G(T', 'invalid'],
    ['Ä', 'invalid'],
  ])('refuses the method "%s"', (method, reason) => {
    expect(String(refused(head(`${method} / HTTP/1.1`, HOST)).refusal.reason)).toBe(reason)
  })

  test('refuses lines that end with a line feed alone, without waiting for another end', () => {
    expect(refused(Buffer.from('GET / HTTP/1.1\nHost: a\n\n')).refusal.reason).toBe('invalid')
  })

  test('refuses a head of more than 16 KiB or 128 lines', () => {
    const long = head(GET, HOST, `X: ${'x'.repeat(16 * 1024)}`)
    const many = head(GET, HOST, ...Array.from({ length: 200 }, (_, n) => `X-${n}: x`))

    expect(refused(long).refusal.reason).toBe('header-too-large')
    expect(refused(long.subarray(0, 16 * 1024)).refusal.reason).toBe('header-too-large')
    expect(refused(many).refusal.reason).toBe('header-too-large')
  })

  test('says of a refused request where it went, as far as that could be read', () => {
    const target = '/api/hosting/x'
    expect(refused(head(`HEAD ${target} HTTP/1.1`))).toMatchObject({ method: 'HEAD', target })
  })
})

describe('readHead() with names', () => {
  test('reads them in lower case however they were sent before', () => {
    const sent = ['X-Case', 'x-case', 'X-CASE', 'X-Case']
    for (const name of sent) expect(read(GET, HOST, `${name}: 1`).headers['x-case']).toBe('1')
  })

  test('distinguishes more names of one length than it caches', () => {
    const names = Array.from({ length: 30 }, (_, n) => `x-${String(n).padStart(2, '0')}`)
    for (let round = 0; round < 2; round += 1) {
      const { headers } = read(GET, HOST, ...names.map((name) => `${name}: ${name}`))
      expect(names.map((name) => headers[name])).toEqual(names)
    }
  })

  test('takes one of any length', () => {
    const name = 'x'.repeat(500)
    expect(read(GET, HOST, `${name}: 1`).headers[name]).toBe('1')
  })

  test('takes 127 fields and refuses one more', () => {
    const fields = (count: number) => [HOST, ...Array.from({ length: count - 1 }, (_, n) => `x${n}: 1`)]

    expect(Object.keys(read(GET, ...fields(127)).headers)).toHaveLength(127)
    expect(refused(head(GET, ...fields(128))).refusal.reason).toBe('header-too-large')
  })

  test.each(['GET', 'GET ', 'GET HTTP/1.1', 'GET / HTTP/1.1 ', 'GET  / HTTP/1.1', ' GET / HTTP/1.1'])(
    'refuses the request line %p, also behind an empty line',
    (line) => {
      const sent = head(line, HOST)

      expect(refused(sent)).toEqual(refused(Buffer.concat([Buffer.from('\r\n'), sent])))
    },
  )
})

describe('HeadReader', () => {
  const alone = (...lines: string[]) => Buffer.from(new Uint8Array(head(...lines)).buffer)

  test('reads the head that came last only once', () => {
    const reader = new HeadReader()

    const first = reader.read(alone(GET, HOST))

    expect(first?.head).toMatchObject({ method: 'GET', target: '/a?b' })
    expect(reader.read(alone(GET, HOST))).toBe(first)
  })

  test('parses every other head again', () => {
    const reader = new HeadReader()
    const targetOf = (bytes: Buffer) => {
      const found = reader.read(bytes)?.head
      return found && 'target' in found ? found.target : undefined
    }

    expect(targetOf(alone(GET, HOST))).toBe('/a?b')
    expect(targetOf(alone('GET /a?c HTTP/1.1', HOST))).toBe('/a?c')
    expect(targetOf(alone(GET, HOST))).toBe('/a?b')
    expect(reader.read(alone(GET, HOST).subarray(0, 20))).toBeUndefined()
    const once = head(GET, HOST)
    expect(reader.read(Buffer.concat([once, once]))?.length).toBe(once.length)
  })

  test.each([
    ['that shares its memory', () => Buffer.concat([alone(GET, HOST), Buffer.from('x')]).subarray(0, -1)],
    ['that is long', () => alone(GET, HOST, `x: ${'x'.repeat(1024)}`)],
    ['with a body', () => alone('POST / HTTP/1.1', HOST, 'Content-Length: 5')],
    ['that is refused', () => alone(GET)],
  ])('remembers no head %s', (_, make) => {
    const reader = new HeadReader()

    const first = reader.read(make())

    expect(first).toBeDefined()
    expect(reader.read(make())).not.toBe(first)
  })
})

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ChunkedBody, MalformedBody } from '../../src/transport/chunked.ts'
import { CountedBody, IncomingBody } from '../../src/transport/incoming-body.ts'
import { forAll } from '../support/for-all.ts'

/** Feeds `text` in pieces that end at `cuts`. Returns the decoded body and the bytes after it. */
function decode(text: string, cuts: readonly number[] = []) {
  const body = new ChunkedBody()
  const data: Buffer[] = []
  let from = 0
  for (const to of [...cuts, text.length]) {
    const input = Buffer.from(text.slice(from, to), 'latin1')
    const decoded = body.decode(input)
    data.push(decoded.data)
    if (decoded.rest) {
      const rest = decoded.rest.toString('latin1') + text.slice(to)
      return { data: Buffer.concat(data).toString('latin1'), rest }
    }
    from = to
  }
  return { data: Buffer.concat(data).toString('latin1'), rest: undefined }
}

const BODY = '3\r\nabc\r\nA;x="y"\r\n0123456789\r\n000\r\nTrailer: t\r\n\r\n'

describe('a body in chunks', () => {
  test('is found, with the bytes after it', () => {
    expect(decode(`${BODY}GET /`)).toEqual({ data: 'abc0123456789', rest: 'GET /' })
    expect(decode('0\r\n\r\n')).toEqual({ data: '', rest: '' })
  })

  test('is the same wherever it is cut', () => {
    for (let cut = 0; cut <= BODY.length; cut += 1)
      expect([cut, decode(BODY, [cut])]).toEqual([cut, { data: 'abc0123456789', rest: '' }])
    const everywhere = Array.from(BODY, (_, index) => index)
    expect(decode(BODY, everywhere)).toEqual({ data: 'abc0123456789', rest: '' })
  })

  test('has no end before its last byte', () => {
    for (let length = 0; length < BODY.length; length += 1)
      expect(decode(BODY.slice(0, length)).rest).toBeUndefined()
  })

  test('comes out as it went in, whatever its bytes, its chunks and its cuts', async () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 8 })
    await forAll(fc.tuple(chunks, fc.array(fc.nat(400), { maxLength: 10 })), {}, ([pieces, places]) => {
      const texts = pieces.map((piece) => Buffer.from(piece).toString('latin1'))
      const framed = `${texts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('')}0\r\n\r\n`
      const cuts = places.filter((place) => place < framed.length).sort((a, b) => a - b)
      expect(decode(`${framed}next`, cuts)).toEqual({ data: texts.join(''), rest: 'next' })
    })
  })

  test.each([
    ['a size that is none', 'x\r\n'],
    ['no size', '\r\n'],
    ['a size in C', '0x3\r\n'],
    ['a negative size', '-1\r\n'],
    ['a size of 18 digits', `${'1'.repeat(18)}\r\n`],
    ['a space in front of the size', ' 3\r\n'],
    ['a space behind the size', '3 \r\n'],
    ['a line feed alone', '3\nabc\r\n'],
    ['a line feed alone behind the data', '3\r\nabc\n'],
    ['more data than was said', '3\r\nabcXX\r\n'],
    ['a NUL in an extension', '3;\0\r\n'],
    ['an endless extension', `3;${'x'.repeat(5000)}`],
    ['an extension without a name', '3;\r\n'],
    ['an extension without a name but with a value', '3;=b\r\n'],
    ['an extension without its value', '3;a=\r\n'],
    ['two words in an extension', '3;a b\r\n'],
    ['a quoted value without an end', '3;a="\r\n'],
    ['a quoted value that ends in an escape', '3;a="\\"\r\n'],
    ['something behind a quoted value', '3;a="b"c\r\n'],
    ['a bracket in an extension', '3;bad[=x\r\n'],
    ['blanks behind an extension', '3;a \r\n'],
    ['something behind the last chunk', '0\r\nXX\r\n'],
    ['a trailer without a name', '0\r\n: x\r\n'],
    ['a folded trailer', '0\r\nA: b\r\n c\r\n'],
    ['endless trailers', `0\r\n${'A: b\r\n'.repeat(100)}`],
  ])('is refused for %s', (_, text) => {
    expect(() => decode(text)).toThrow(MalformedBody)
    const everywhere = Array.from(text, (_, index) => index)
    expect(() => decode(text, everywhere)).toThrow(MalformedBody)
  })
})

test.each([';a', ' ; a', ';a;b=c', '\t;\ta\t=\tb', ';a="b"', ';a=""', ';a="\\"; \t\\\\"; b=c', ';a="\xe9"'])(
  'an extension is taken as RFC 9112 §7.1.1 has it: %j',
  (extension) => {
    expect(decode(`3${extension}\r\nabc\r\n0${extension}\r\n\r\n`)).toEqual({ data: 'abc', rest: '' })
  },
)

describe('the framing of a body in chunks', () => {
  const KiB = 1024
  const chunk = (bytes: number, extension = '') =>
    `${bytes.toString(16)}${extension}\r\n${'x'.repeat(bytes)}\r\n`

  test.each([
    ['sizes of chunks of one byte', chunk(1).repeat(20 * KiB)],
    ['extensions', chunk(1, `;${'x'.repeat(4000)}`).repeat(20)],
    ['extensions beside data', chunk(1000, `;${'x'.repeat(4000)}`).repeat(40)],
    ['trailers', `${chunk(10)}0\r\n${`A: ${'x'.repeat(2000)}\r\n`.repeat(40)}`],
  ])('may not be more than the data and 64 KiB: %s', (_, text) => {
    expect(() => decode(text)).toThrow(MalformedBody)
    expect(() => decode(text, [10_000, 20_000, 30_000])).toThrow(MalformedBody)
  })

  test('may be as much as the data, however long', () => {
    const text = chunk(5).repeat(200 * KiB)

    expect(decode(`${text}0\r\n\r\n`).data).toHaveLength(1000 * KiB)
  })
})

test.each([
  ['in chunks', 'chunked' as const, `4\r\nabcd\r\n400;${'x'.repeat(2000)}\r\n`],
  ['of a known length', 4, `abcd${'x'.repeat(2000)}`],
])('a piece of a body %s does not retain the rest of its receive buffer', async (_, length, text) => {
  const input = Buffer.alloc(512 * 1024, text, 'latin1').subarray(0, text.length)

  const body = new IncomingBody(length, () => {})
  body.feed(input)
  const data = await body.read()

  expect(data?.toString()).toBe('abcd')
  expect(data?.buffer.byteLength).toBe(4)
})

test('a body of a known length ends after its last byte', () => {
  const body = new CountedBody(5)

  expect(body.decode(Buffer.from('abc'))).toEqual({ data: Buffer.from('abc'), rest: undefined })
  expect(body.decode(Buffer.from('defg'))).toEqual({ data: Buffer.from('de'), rest: Buffer.from('fg') })
})

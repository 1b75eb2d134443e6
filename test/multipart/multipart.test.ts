import { describe, expect, spyOn, test } from 'bun:test'
import fc from 'fast-check'
import { MultipartError, TooManyPartsError } from '../../src/multipart/error.ts'
import { multipartBoundary } from '../../src/multipart/header.ts'
import { readMultipart } from '../../src/multipart/multipart.ts'
import { forAll } from '../support/for-all.ts'
import {
  bytes,
  LIMITS,
  nextPart,
  part,
  readAll,
  readOutcome,
  readText,
  SAMPLES,
  split,
  stream,
} from './samples.ts'

const FILE = part('form-data; name="files"; filename="a"', 'content')
const HEADER = '--bound\r\nContent-Disposition: form-data; name=a'
const FILE_READ = { name: 'files', filename: 'a', body: 'content' }

/** Bodies with the boundary `bound`, a word of the error, and how many parts are complete before it. */
const MALFORMED: [string, string, string, number][] = [
  ['an empty body', '', 'before the closing boundary', 0],
  ['only a preamble', 'some text\r\n', 'before the closing boundary', 0],
  ['another boundary', FILE.replaceAll('bound', 'other'), 'before the closing boundary', 0],
  ['a boundary that does not begin a line', 'x--bound--\r\n', 'before the closing boundary', 0],
  ['only an opening boundary', '--bound', 'before the closing boundary', 0],
  ['an end inside a header', HEADER, 'before the closing boundary', 0],
  ['an end right after a header', `${HEADER}\r\n\r\n`, 'before the closing boundary', 0],
  ['an end inside a body', FILE.slice(0, -5), 'before the closing boundary', 0],
  ['an end inside the line end of a body', FILE.slice(0, -1), 'before the closing boundary', 0],
  ['no closing boundary', FILE, 'before the closing boundary', 0],
  ['an end after a boundary', `${FILE}--bound\r\n`, 'before the closing boundary', 1],
  ['an end inside the closing boundary', `${FILE}--bound-`, 'before the closing boundary', 1],
  ['no header', `${FILE}--bound\r\n\r\ncontent\r\n--bound--`, 'no Content-Disposition', 1],
  ['no header and no body', '--bound\r\n\r\n--bound--', 'no Content-Disposition', 0],
  ['nothing between boundaries', `${FILE}--bound\r\n--bound--`, 'no blank line', 1],
  ['no disposition', '--bound\r\nContent-Type: text/plain\r\n\r\n\r\n--bound--', 'no Content-Disposition', 0],
  ['another disposition', part('attachment; name=a', ''), 'not form-data', 0],
  ['no name', part('form-data; filename=a', ''), 'no name', 0],
  ['a header without a blank line', `${HEADER}\r\n--bound--`, 'no blank line', 0],
  ['a header line without a colon', part('form-data; name=a\r\nnothing', ''), 'name and a colon', 0],
  [
    'a line without a colon at the start',
    `--bound\r\nnothing\r\n${part('form-data', '').slice(9)}`,
    'colon',
    0,
  ],
  ['a bare LF in a header', part('form-data; name=a\nX: y', ''), 'bare', 0],
  ['a bare CR in a header', part('form-data; name=a\rX: y', ''), 'bare', 0],
  ['a bare LF in a header that is not read', part('form-data; name=a\r\nX: y\nz', ''), 'bare', 0],
  ['a bare LF in a quoted name', part('form-data; name="a\nb"', ''), 'bare', 0],
  ['a file name that is not UTF-8', part('form-data; name=a; filename="\xff"', ''), 'not UTF-8', 0],
  ['LF-only lines', `${FILE}--bound--\r\n`.replaceAll('\r\n', '\n'), 'before the closing boundary', 0],
  ['long LF-only lines', FILE.replaceAll('\r\n', '\n') + 'x'.repeat(2000), 'longer than 1024 bytes', 0],
  ['LF after a boundary', FILE.replace('\r\n', '\n'), 'boundary line', 0],
  ['text after a boundary', FILE.replace('bound', 'boundary'), 'boundary line', 0],
  ['one dash after a boundary', FILE.replace('bound', 'bound-'), 'boundary line', 0],
  ['one dash after a boundary and no header', '--bound-\r\n--bound--', 'no blank line', 0],
  ['an endless header', `${FILE}--bound\r\nX: ${'y'.repeat(1_000_000)}`, 'longer than 1024 bytes', 1],
]

describe('readMultipart()', () => {
  test.each(SAMPLES)('reads a body from $client', async ({ body, boundary, parts }) => {
    expect(await readAll([bytes(body)], boundary)).toEqual(parts)
  })

  test.each(SAMPLES)(
    'reads a body from $client cut in two at every byte',
    async ({ body, boundary, parts }) => {
      for (let position = 0; position <= body.length; position += 1) {
        expect(await readAll(split(body, [position]), boundary)).toEqual(parts)
      }
    },
  )

  test.each(SAMPLES)('reads a body from $client one byte at a time', async ({ body, boundary, parts }) => {
    expect(await readAll(split(body, [...body].keys().toArray()), boundary)).toEqual(parts)
  })

  test('reads any sample however it is cut', async () => {
    const cut = fc
      .constantFrom(...SAMPLES)
      .chain((sample) =>
        fc.tuple(fc.constant(sample), fc.array(fc.nat(sample.body.length), { maxLength: 20 })),
      )
    await forAll(cut, { numRuns: 500 }, async ([{ body, boundary, parts }, positions]) => {
      expect(await readAll(split(body, positions), boundary)).toEqual(parts)
    })
  })

  test('reads any parts back, also when their bytes look like boundaries', async () => {
    const ALMOST = ['\r', '\n', '-', '\r\n', '\r\n-', '\r\n--', '\r\n--boun', 'b', '--bound', '\0', '\xff']
    const text = fc
      .array(fc.constantFrom(...ALMOST))
      .map((pieces) => pieces.join(''))
      .filter((body) => !`\r\n${body}`.includes('\r\n--bound'))
    const name = fc.string({ unit: fc.constantFrom('a', ' ', ';', '=', "'") })
    const filename = fc.option(name, { nil: undefined })
    const parts = fc.array(fc.record({ name, filename, body: text }), { maxLength: 5 })

    await forAll(fc.tuple(parts, fc.array(fc.nat(400))), { numRuns: 1000 }, async ([expected, cuts]) => {
      const written = expected.map(({ name, filename, body }) =>
        part(`form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}`, body),
      )
      const whole = `${written.join('')}--bound--\r\n`
      const positions = cuts.filter((position) => position < whole.length)
      expect(await readAll(split(whole, positions), 'bound')).toEqual(expected)
    })
  })

  test('reads what FormData sends', async () => {
    const form = new FormData()
    form.append('folder', 'docs')
    const filename = 'été "😀" C:\\x %2522.bin'
    form.append('files', new File(['\r\n--', new Uint8Array(300_000)], filename))
    const response = new Response(form)
    const boundary = multipartBoundary(response.headers.get('content-type'))
    const sent = await response.bytes()
    const chunks = [sent.subarray(0, 200_000), sent.subarray(200_000)]
    const [folder, file, ...rest] = await readAll(chunks, boundary)
    expect(folder).toEqual({ name: 'folder', filename: undefined, body: 'docs' })
    expect(file).toEqual({ name: 'files', filename, body: `\r\n--${'\0'.repeat(300_000)}` })
    expect(rest).toEqual([])
  })

  test.each(MALFORMED)('refuses %s', async (_, body, reason, complete) => {
    const { parts, error } = await readOutcome([bytes(body)])
    expect(parts).toEqual(Array.from({ length: complete }, () => FILE_READ))
    expect(error).toBeInstanceOf(MultipartError)
    expect(String(error)).toMatch(/^MultipartError: Cannot read multipart body: .*[^.]$/)
    expect(String(error)).toContain(reason)
  })

  test.each(MALFORMED.filter(([, body]) => body.length < 3000))(
    'refuses %s alike however it is cut',
    async (_, body) => {
      const whole = await readOutcome([bytes(body)])
      for (let position = 0; position <= body.length; position += 1) {
        expect(await readOutcome(split(body, [position]))).toEqual(whole)
      }
      expect(await readOutcome(split(body, [...body].keys().toArray()))).toEqual(whole)
    },
  )

  test('refuses every beginning of a well-formed body', async () => {
    const whole = `${FILE}${FILE}--bound--`
    for (let length = 0; length < whole.length; length += 1) {
      const { parts, error } = await readOutcome([bytes(whole.slice(0, length))])
      expect(error).toBeInstanceOf(MultipartError)
      expect(parts.every(({ body }) => body === 'content')).toBe(true)
    }
  })

  test('throws from the body of a part that is cut short', async () => {
    const parts = readMultipart(stream([bytes(FILE.slice(0, -4))]), 'bound', LIMITS)
    const { body } = await nextPart(parts)
    await expect(readText(body)).rejects.toBeInstanceOf(MultipartError)
    await expect(parts.next()).rejects.toBeInstanceOf(MultipartError)
  })

  test('allows exactly as many parts as the limit', async () => {
    const limits = { ...LIMITS, maxParts: 2 }
    expect(await readAll([bytes(`${FILE}${FILE}--bound--`)], 'bound', limits)).toHaveLength(2)
    const { parts, error } = await readOutcome([bytes(`${FILE}${FILE}${FILE}--bound--`)], limits)
    expect(parts).toHaveLength(2)
    const message = 'Cannot read multipart body: it has more than the 2 parts allowed'
    expect(error).toEqual(new TooManyPartsError(message))
    expect(error).toBeInstanceOf(TooManyPartsError)
  })

  test('allows a header block of exactly the limit, wherever it is cut', async () => {
    const body = `${FILE}--bound--`
    const headerBytes = body.indexOf('content') - '--bound'.length
    for (let position = 0; position <= body.length; position += 1) {
      const chunks = split(body, [position])
      const allowed = await readOutcome(chunks, { maxParts: 1, maxHeaderBytes: headerBytes })
      expect(allowed).toEqual({ parts: [FILE_READ], error: undefined })
      const refused = await readOutcome(chunks, { maxParts: 1, maxHeaderBytes: headerBytes - 1 })
      expect(refused.error).toBeInstanceOf(MultipartError)
      expect(refused.parts).toEqual([])
    }
  })

  test('measures each header block on its own', async () => {
    const limits = { maxParts: 100, maxHeaderBytes: 80 }
    expect(await readAll([bytes(`${FILE.repeat(100)}--bound--`)], 'bound', limits)).toHaveLength(100)
  })

  test('stops parsing a chunk at the first part too many', async () => {
    const flood = bytes(FILE.repeat(5000))
    const indexOf = spyOn(Buffer.prototype, 'indexOf')
    try {
      const { parts, error } = await readOutcome([flood], { maxParts: 100, maxHeaderBytes: 100 })

      expect(error).toBeInstanceOf(TooManyPartsError)
      expect(parts).toHaveLength(100)
      expect(indexOf.mock.calls).toHaveLength(100)
    } finally {
      indexOf.mockRestore()
    }
  })

  test('yields a copy of bytes at the end of a chunk that look like a delimiter', async () => {
    const almost = '\r\n--boun'
    const [head, tail] = [FILE.slice(0, -'content\r\n'.length), 'x\r\n--bound--']
    const chunks = [bytes(`${head}${almost}`), bytes(`${almost}`), bytes(tail)]
    let read = ''
    for await (const { body } of readMultipart(stream(chunks), 'bound', LIMITS)) {
      for await (const slice of body) {
        read += Buffer.from(slice).toString('latin1')
        slice.fill(0)
      }
    }
    expect(read).toBe(`${almost}${almost}x`)
  })

  test('yields a nested multipart body unparsed', async () => {
    const inner = '--inner\r\nContent-Disposition: form-data; name=x\r\n\r\n1\r\n--inner--\r\n'
    const body = `${part('form-data; name=a\r\nContent-Type: multipart/mixed; boundary=inner', inner)}--bound--`
    expect(await readAll([bytes(body)], 'bound')).toEqual([{ name: 'a', filename: undefined, body: inner }])
  })
})

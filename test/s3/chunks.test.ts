import { describe, expect, test } from 'bun:test'
import { createHash, createHmac } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { ChunkError, decodeChunks } from '../../src/modules/s3/chunks.ts'
import { Durability } from '../../src/volume/disk.ts'
import { passOn, SequentialWriter } from '../../src/volume/writer.ts'
import { forAll } from '../support/for-all.ts'
import { temporaryFolder } from '../support/temporary.ts'

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')

/** Credentials of AWS's documented examples. */
const KEY = ['20130524', 'us-east-1', 's3', 'aws4_request'].reduce<Buffer>(
  hmac,
  Buffer.from('AWS4wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'),
)
const SIGNED = { key: KEY, time: '20130524T000000Z', scope: '20130524/us-east-1/s3/aws4_request' }
const FORMS = {
  signed: {
    signature: { ...SIGNED, seed: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9' },
  },
  'signed with trailers': {
    signature: { ...SIGNED, seed: '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e' },
    trailers: ['x-amz-checksum-crc32c'],
  },
  'unsigned with trailers': { trailers: ['x-amz-checksum-crc32c'] },
}
type Form = keyof typeof FORMS
const NAMES: Form[] = ['signed', 'signed with trailers', 'unsigned with trailers']

const LARGE = 'a'.repeat(65_536)
const SMALL = 'a'.repeat(1024)
/** Example of the Amazon S3 API reference, page "sigv4-streaming". */
const DOCUMENTED = [
  `10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n${LARGE}\r\n`,
  `400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n${SMALL}\r\n`,
  '0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n',
]
/** Example of the page "sigv4-streaming-trailers". */
const DOCUMENTED_TRAILERS = [
  `10000;chunk-signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2\r\n${LARGE}\r\n`,
  `400;chunk-signature=1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7\r\n${SMALL}\r\n`,
  '0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n',
  'x-amz-checksum-crc32c:sOO8/Q==\r\n',
  'x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n',
]

/** Writes a body as a client does. */
function encode(
  form: Form,
  chunks: readonly string[],
  trailers = 'x-amz-checksum-crc32c:sOO8/Q==',
): string[] {
  const { signature, ...options }: { signature?: typeof SIGNED & { seed: string }; trailers?: string[] } =
    FORMS[form]
  let previous = signature?.seed ?? ''
  const sign = (kind: string, ...hashes: string[]) => {
    previous = hmac(
      KEY,
      [`AWS4-HMAC-SHA256-${kind}`, SIGNED.time, SIGNED.scope, previous, ...hashes].join('\n'),
    ).toString('hex')
    return previous
  }
  const parts = [...chunks, ''].map((data) => {
    const signed = signature ? `;chunk-signature=${sign('PAYLOAD', sha256(''), sha256(data))}` : ''
    return `${data.length.toString(16)}${signed}\r\n${data === '' ? '' : `${data}\r\n`}`
  })
  if (!options.trailers) return [...parts, '\r\n']
  const end = signature ? `x-amz-trailer-signature:${sign('TRAILER', sha256(`${trailers}\n`))}\r\n` : ''
  return [...parts, `${trailers}\r\n${end}\r\n`]
}

async function* arriving(pieces: readonly (string | Uint8Array)[]) {
  for (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece
}

async function decode(form: Form, pieces: readonly (string | Uint8Array)[], length: number) {
  const found: { trailers?: Record<string, string> } = {}
  const decoded = await Array.fromAsync(
    decodeChunks(arriving(pieces), {
      ...FORMS[form],
      length,
      onTrailers: (trailers) => Object.assign(found, { trailers: Object.fromEntries(trailers) }),
    }),
  )
  return { content: Buffer.concat(decoded).toString('latin1'), ...found }
}

/** Returns the code of the error that a body ends with. */
const faultOf = (form: Form, pieces: readonly string[], length: number) =>
  decode(form, pieces, length).then(
    () => 'none',
    (error) => (error instanceof ChunkError ? error.code : String(error)),
  )

describe('documented examples', () => {
  test('signed chunks are decoded', async () => {
    expect(await decode('signed', DOCUMENTED, 66_560)).toEqual({ content: LARGE + SMALL, trailers: {} })
  })

  test('signed chunks with signed trailers are decoded', async () => {
    const { content, trailers } = await decode('signed with trailers', DOCUMENTED_TRAILERS, 66_560)

    expect(content).toBe(LARGE + SMALL)
    expect(trailers).toEqual({ 'x-amz-checksum-crc32c': 'sOO8/Q==' })
  })
})

describe.each(NAMES)('a body that is %s', (form) => {
  test('is decoded from any pieces', async () => {
    const bodies = fc.record({
      chunks: fc.array(fc.string({ minLength: 1, maxLength: 40, unit: 'binary-ascii' }), { maxLength: 5 }),
      cuts: fc.array(fc.nat(), { maxLength: 20 }),
    })
    await forAll(bodies, { numRuns: 200 }, async ({ chunks, cuts }) => {
      const body = encode(form, chunks).join('')
      const places = [0, ...cuts.map((cut) => cut % (body.length + 1)), body.length].sort((a, b) => a - b)
      const pieces = places.slice(1).map((end, index) => body.slice(places[index], end))
      const content = chunks.join('')

      expect((await decode(form, pieces, content.length)).content).toBe(content)
    })
  })

  test('may be empty', async () => {
    expect((await decode(form, encode(form, []), 0)).content).toBe('')
  })

  test('counts only when it is complete', async () => {
    const body = encode(form, ['some', 'more']).join('')
    // Without its last empty line, a body with nothing behind its last chunk is complete.
    const ends = Array.from({ length: body.length - 4 }, (_, end) => body.slice(0, end))

    const faults = await Promise.all(ends.map((cut) => faultOf(form, [cut], 8)))
    expect(new Set(faults)).toEqual(new Set(['IncompleteBody']))
  })

  test('is refused with any byte changed that its form protects', async () => {
    const body = encode(form, ['some', 'more']).join('')
    // Without signatures only the checksum in the trailers protects data and trailers.
    const positions = [...Buffer.from(body).keys()].filter(
      (index) => 'signature' in FORMS[form] || index < 3 || '\n:'.includes(body.charAt(index)),
    )
    const faults = await Promise.all(
      positions.map((index) => {
        const changed = body[index] === '7' ? '8' : '7'
        return faultOf(form, [body.slice(0, index) + changed + body.slice(index + 1)], 8)
      }),
    )

    expect(positions.filter((_, index) => faults[index] === 'none')).toEqual([])
  })

  const good = encode(form, ['some', 'more'])
  const [first = '', second = '', ...rest] = good
  const sizes = (size: string) => [first.replace(/^4/, size), second, ...rest]
  test.each([
    ['a huge size', sizes('fffffffffffff'), 'IncompleteBody'],
    ['a size of too many digits', sizes('10000000000000004'), 'InvalidRequest'],
    ['a negative size', sizes('-4'), 'InvalidRequest'],
    ['a size with a sign', sizes('+4'), 'InvalidRequest'],
    ['a size with a prefix', sizes('0x4'), 'InvalidRequest'],
    ['a missing size', sizes(''), 'InvalidRequest'],
    ['data without CRLF', [first.replace('some\r\n', 'some'), second, ...rest], 'InvalidRequest'],
    ['a size ending with LF', [first.replace('\r\nsome', '\nsome'), second, ...rest], 'InvalidRequest'],
    ['bytes after its end', [...good, '0'], 'InvalidRequest'],
    ['a line without end', [first, 'a'.repeat(5000)], 'InvalidRequest'],
  ])('is refused with %s', async (_, pieces, fault) => {
    expect(await faultOf(form, pieces, 8)).toBe(fault)
  })

  test.each([0, 7, 9])('is refused when another length is announced: %i', async (length) => {
    expect(await faultOf(form, good, length)).toBe('IncompleteBody')
  })

  test('is refused with more framing than data', async () => {
    const tiny = encode(
      form,
      Array.from({ length: 20_000 }, () => 'a'),
    )

    expect(await faultOf(form, tiny, 20_000)).toBe('InvalidRequest')
  })
})

describe('signatures', () => {
  test.each(['signed', 'signed with trailers'] as const)(
    'chunks that are %s keep their order',
    async (form) => {
      const [first = '', second = '', ...rest] = encode(form, ['some', 'more'])

      expect(await faultOf(form, [second, first, ...rest], 8)).toBe('SignatureDoesNotMatch')
      expect(await faultOf(form, [first, first, ...rest], 8)).toBe('SignatureDoesNotMatch')
      expect(await faultOf(form, [first, ...rest], 8)).toBe('SignatureDoesNotMatch')
    },
  )

  test('chunks without signature are refused where they are required, and the other way round', async () => {
    const unsigned = encode('unsigned with trailers', ['some'])
    const signed = encode('signed with trailers', ['some'])

    expect(await faultOf('signed with trailers', unsigned, 4)).toBe('InvalidRequest')
    expect(await faultOf('unsigned with trailers', signed, 4)).toBe('InvalidRequest')
  })

  test('a changed trailer is refused', async () => {
    const changed = encode('signed with trailers', ['some']).map((part) => part.replace('sOO8', 'sOO9'))

    expect(await faultOf('signed with trailers', changed, 4)).toBe('SignatureDoesNotMatch')
  })
})

describe('trailers', () => {
  const form = 'unsigned with trailers'
  const sum = 'x-amz-checksum-crc32c:sOO8/Q=='
  test.each([
    ['none', ''],
    ['another name', 'x-amz-checksum-crc32:sOO8/Q=='],
    ['one that is not announced', `${sum}\r\nx-amz-meta-a:b`],
    ['one twice', `${sum}\r\n${sum}`],
    ['a line without a name', `${sum}\r\n:b`],
    ['a line without a colon', `${sum}\r\nb`],
  ])('%s is refused', async (_, trailers) => {
    const body = encode(form, ['some'], trailers)
      .join('')
      .replace(/\r\n\r\n\r\n$/, '\r\n\r\n')

    expect(await faultOf(form, [body], 4)).toBe('MalformedTrailerError')
  })

  test.each([
    ['an upper-case name', 'X-Amz-Checksum-CRC32C:sOO8/Q=='],
    ['blanks around the value', 'x-amz-checksum-crc32c: sOO8/Q== '],
  ])('%s is read', async (_, line) => {
    const { trailers } = await decode(form, encode(form, ['some'], line), 4)

    expect(trailers).toEqual({ 'x-amz-checksum-crc32c': 'sOO8/Q==' })
  })

  test('lines end as they are signed, with LF, in bodies of some clients', async () => {
    const pieces = encode('signed with trailers', ['some']).map((part) =>
      part.replace('sOO8/Q==\r\n', 'sOO8/Q==\n\r\n'),
    )
    const { trailers } = await decode('signed with trailers', pieces, 4)

    expect(trailers).toEqual({ 'x-amz-checksum-crc32c': 'sOO8/Q==' })
  })
})

test('the memory of a body is detached once its content is written', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'written')
  await using file = await open(path, 'wx')
  const writer = new SequentialWriter(file, new Durability())
  const body = passOn(new TextEncoder().encode(encode('signed', ['some', 'thing']).join('')).slice())
  const content = decodeChunks(arriving([body]), { ...FORMS.signed, length: 9 })
  for await (const piece of content) await writer.append(piece)
  await writer.end()

  expect(await Bun.file(path).text()).toBe('something')
  expect(body.length).toBe(0)
})

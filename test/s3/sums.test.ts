import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import {
  CHECKSUM_ALGORITHMS,
  type ChecksumAlgorithm,
  checksumAlgorithm,
  checksumHeader,
  compositeChecksum,
  etagOfParts,
  isChecksum,
  parseMd5,
  SumsWithMd5,
  wholeChecksum,
} from '../../src/modules/s3/sums.ts'
import { forAll } from '../support/for-all.ts'

const hexOf = (base64: string | undefined) => Buffer.from(base64 ?? '', 'base64').toString('hex')

function sumsOf(...pieces: Uint8Array[]) {
  const sums = new SumsWithMd5(CHECKSUM_ALGORITHMS)
  for (const piece of pieces) sums.update(piece)
  return { md5: sums.endMd5(), checksums: sums.end() }
}

function checksumOf(algorithm: ChecksumAlgorithm, bytes: Uint8Array): string {
  const { checksums } = sumsOf(bytes)
  return checksums[algorithm] ?? ''
}

/** Computes a CRC by its definition, one bit at a time. */
function slowCrc(bytes: Uint8Array, bits: number, polynomial: bigint): string {
  const ones = (1n << BigInt(bits)) - 1n
  let crc = ones
  for (const byte of bytes) {
    crc ^= BigInt(byte)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ polynomial : crc >> 1n
  }
  return (crc ^ ones).toString(16).padStart(bits / 4, '0')
}

describe('known answers', () => {
  // Check values of the catalogue of parametrised CRC algorithms, RFC 3720 B.4, and NVM Express 1.0, 5.2.1.3.4.
  test.each([
    ['CRC32', '123456789', 'cbf43926'],
    ['CRC32C', '123456789', 'e3069283'],
    ['CRC32C', '\0'.repeat(32), '8a9136aa'],
    ['CRC32C', '\xff'.repeat(32), '62a8ab43'],
    ['CRC64NVME', '123456789', 'ae8b14860a799888'],
    ['CRC64NVME', '\0'.repeat(4096), '6482d367eb22b64e'],
    ['CRC64NVME', '\xff'.repeat(4096), 'c0ddba7302eca3ac'],
    ['SHA1', 'abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['SHA256', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['CRC32', '', '00000000'],
    ['CRC32C', '', '00000000'],
    ['CRC64NVME', '', '0000000000000000'],
  ] as const)('%s of %j', (algorithm, text, hex) => {
    expect(hexOf(checksumOf(algorithm, Buffer.from(text, 'latin1')))).toBe(hex)
  })

  test('MD5', () => {
    expect(sumsOf(Buffer.from('abc')).md5).toBe('900150983cd24fb0d6963f7d28e17f72')
  })

  test('a checksum of a documented request', () => {
    // Amazon S3 API reference, page "sigv4-streaming-trailers".
    expect(checksumOf('CRC32C', Buffer.alloc(66_560, 'a'))).toBe('sOO8/Q==')
  })
})

const pieces = fc.array(fc.uint8Array({ maxLength: 70 }), { maxLength: 6 })

test('sums are the same in any pieces', async () => {
  await forAll(pieces, { numRuns: 200 }, (arrays) => {
    const whole = Buffer.concat(arrays)
    const { md5, checksums } = sumsOf(...arrays)

    expect(md5).toBe(createHash('md5').update(whole).digest('hex'))
    expect(hexOf(checksums.CRC32)).toBe(slowCrc(whole, 32, 0xedb88320n))
    expect(hexOf(checksums.CRC32C)).toBe(slowCrc(whole, 32, 0x82f63b78n))
    expect(hexOf(checksums.CRC64NVME)).toBe(slowCrc(whole, 64, 0x9a6c9329ac4bc9b5n))
    expect(hexOf(checksums.SHA1)).toBe(createHash('sha1').update(whole).digest('hex'))
  })
})

test('bytes are passed on as they are', async () => {
  const sums = new SumsWithMd5(['CRC32'])
  async function* bytes() {
    yield Buffer.from('12345')
    yield Buffer.from('6789')
  }
  const passed = await Array.fromAsync(sums.through(bytes()))

  expect(Buffer.concat(passed).toString()).toBe('123456789')
  expect(hexOf(sums.end().CRC32)).toBe('cbf43926')
})

describe('sums of parts', () => {
  test.each(['CRC32', 'CRC32C', 'CRC64NVME'] as const)(
    '%s of the whole follows from its parts',
    async (algorithm) => {
      await forAll(pieces, { numRuns: 200 }, (arrays) => {
        const parts = arrays.map((bytes) => ({ checksum: checksumOf(algorithm, bytes), size: bytes.length }))

        expect(wholeChecksum(algorithm, parts)).toBe(checksumOf(algorithm, Buffer.concat(arrays)))
      })
    },
  )

  test.each(['SHA1', 'SHA256'] as const)('%s of the whole does not follow from its parts', (algorithm) => {
    expect(wholeChecksum(algorithm, [{ checksum: checksumOf(algorithm, Buffer.from('a')), size: 1 }])).toBe(
      undefined,
    )
  })

  test('a composite checksum is that of the checksums of its parts', () => {
    const parts = ['abc', 'def'].map((text) => ({
      checksum: checksumOf('SHA256', Buffer.from(text)),
      size: text.length,
    }))
    const sums = Buffer.concat(parts.map(({ checksum }) => Buffer.from(checksum, 'base64')))

    expect(compositeChecksum('SHA256', parts)).toBe(`${createHash('sha256').update(sums).digest('base64')}-2`)
  })

  test('an entity tag is the MD5 of the MD5s of its parts', () => {
    const md5s = ['abc', 'def'].map((text) => createHash('md5').update(text).digest())
    const whole = createHash('md5').update(Buffer.concat(md5s)).digest('hex')

    expect(etagOfParts(md5s.map((md5) => md5.toString('hex')))).toBe(`${whole}-2`)
  })
})

describe('values that clients send', () => {
  test('names of algorithms are known in any case', () => {
    expect(checksumAlgorithm('crc64nvme')).toBe('CRC64NVME')
    expect(checksumAlgorithm('MD5')).toBe(undefined)
    expect(CHECKSUM_ALGORITHMS.map(checksumHeader)).toContain('x-amz-checksum-crc32c')
  })

  test.each([
    ['sOO8/Q==', true],
    ['sOO8/Q', false],
    ['sOO8/Q==-2', false],
    ['sOO8/QAA', false],
    ['', false],
  ])('%j is a CRC32C: %j', (text, isOne) => {
    expect(isChecksum('CRC32C', text)).toBe(isOne)
  })

  test('a Content-MD5 is 16 bytes in Base64', () => {
    expect(parseMd5('kAFQmDzST7DWlj99KOF/cg==')?.toString('hex')).toBe('900150983cd24fb0d6963f7d28e17f72')
    expect(parseMd5('900150983cd24fb0d6963f7d28e17f72')).toBe(undefined)
    expect(parseMd5('')).toBe(undefined)
  })
})

import { beginCrc, type Crc, combineCrcs } from './crc.ts'

/** Lengths of checksums in bytes, by the names that S3 gives their algorithms. */
const LENGTHS = { CRC32: 4, CRC32C: 4, CRC64NVME: 8, SHA1: 20, SHA256: 32 }

export type ChecksumAlgorithm = keyof typeof LENGTHS
/** Checksums in Base64. */
export type Checksums = Partial<Record<ChecksumAlgorithm, string>>

export const CHECKSUM_ALGORITHMS = [
  'CRC32',
  'CRC32C',
  'CRC64NVME',
  'SHA1',
  'SHA256',
] as const satisfies ChecksumAlgorithm[]

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Returns the algorithm of a name in any case; `undefined` for any other text. */
export const checksumAlgorithm = (name: string): ChecksumAlgorithm | undefined =>
  CHECKSUM_ALGORITHMS.find((known) => known === name.toUpperCase())

/** Returns the name of the header with a checksum. */
export const checksumHeader = (algorithm: ChecksumAlgorithm) => `x-amz-checksum-${algorithm.toLowerCase()}`

/** Returns true for a checksum of the algorithm's length in Base64. */
export const isChecksum = (algorithm: ChecksumAlgorithm, text: string): boolean =>
  BASE64.test(text) && Buffer.from(text, 'base64').length === LENGTHS[algorithm]

/** Parses a `Content-MD5` header (RFC 1864); `undefined` for any other text. */
export function parseMd5(text: string): Buffer | undefined {
  const bytes = BASE64.test(text) ? Buffer.from(text, 'base64') : undefined
  return bytes?.length === 16 ? bytes : undefined
}

/** Checksums of bytes that arrive one after the other. */
export class Sums {
  readonly #sums: ReadonlyMap<ChecksumAlgorithm, Crc | Bun.CryptoHasher>

  constructor(algorithms: Iterable<ChecksumAlgorithm>) {
    this.#sums = new Map([...algorithms].map((algorithm) => [algorithm, begin(algorithm)]))
  }

  update(bytes: Uint8Array): void {
    for (const sum of this.#sums.values()) sum.update(bytes)
  }

  /** Passes bytes on and adds them. */
  async *through(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      this.update(chunk)
      yield chunk
    }
  }

  /** Returns the checksums of all bytes. Nothing may be added afterwards. */
  end(): Checksums {
    return Object.fromEntries(
      this.#sums.entries().map(([algorithm, sum]) => [algorithm, sum.digest().toString('base64')]),
    )
  }
}

/** MD5 and checksums of bytes that arrive one after the other. */
export class SumsWithMd5 extends Sums {
  readonly #md5 = new Bun.CryptoHasher('md5')

  override update(bytes: Uint8Array): void {
    this.#md5.update(bytes)
    super.update(bytes)
  }

  /** Returns the MD5 of all bytes in hex. Nothing may be added afterwards. */
  endMd5(): string {
    return this.#md5.digest('hex')
  }
}

function begin(algorithm: ChecksumAlgorithm): Crc | Bun.CryptoHasher {
  switch (algorithm) {
    case 'SHA1':
      return new Bun.CryptoHasher('sha1')
    case 'SHA256':
      return new Bun.CryptoHasher('sha256')
    default:
      return beginCrc(algorithm)
  }
}

/** Returns the entity tag of an object in parts, from the MD5s of these in hex. */
export function etagOfParts(md5s: readonly string[]): string {
  const hash = new Bun.CryptoHasher('md5')
  for (const md5 of md5s) hash.update(Buffer.from(md5, 'hex'))
  return `${hash.digest('hex')}-${md5s.length}`
}

/** Sum of one part in Base64, and the part's size. */
interface PartSum {
  checksum: string
  size: number
}

/** Returns the checksum of the parts' checksums, with their number. */
export function compositeChecksum(algorithm: ChecksumAlgorithm, parts: readonly PartSum[]): string {
  const sum = begin(algorithm)
  for (const { checksum } of parts) sum.update(Buffer.from(checksum, 'base64'))
  return `${sum.digest().toString('base64')}-${parts.length}`
}

/** Returns the checksum of the whole bytes from those of the parts; `undefined` for an algorithm that cannot tell it. */
export function wholeChecksum(algorithm: ChecksumAlgorithm, parts: readonly PartSum[]): string | undefined {
  if (algorithm === 'SHA1' || algorithm === 'SHA256') return undefined
  const digests = parts.map(({ checksum, size }) => ({ digest: Buffer.from(checksum, 'base64'), size }))
  return combineCrcs(algorithm, digests).toString('base64')
}

import { crc32 } from 'node:zlib'

/** CRC over bytes that arrive one after the other. */
export interface Crc {
  update: (bytes: Uint8Array) => void
  /** Returns the CRC of all bytes so far, the highest byte first. */
  digest: () => Buffer
}

/** Polynomials, with the coefficient of x^0 in the highest bit. */
const POLYNOMIALS = {
  CRC32: { bits: 32, polynomial: 0xedb88320n },
  CRC32C: { bits: 32, polynomial: 0x82f63b78n },
  CRC64NVME: { bits: 64, polynomial: 0x9a6c9329ac4bc9b5n },
}
export type CrcAlgorithm = keyof typeof POLYNOMIALS

/** Tables for 8 bytes at a time: `8 * 256` entries, in halves of 32 bits. They take 1 ms to make. */
interface Tables {
  low: Int32Array
  high: Int32Array
}

const made = new Map<CrcAlgorithm, Tables>()

function tablesOf(algorithm: CrcAlgorithm): Tables {
  const known = made.get(algorithm)
  if (known) return known
  const { polynomial } = POLYNOMIALS[algorithm]
  const table = new BigUint64Array(8 * 256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = BigInt(byte)
    for (let bit = 0; bit < 8; bit++) crc = timesX(crc, polynomial)
    table[byte] = crc
  }
  for (let index = 256; index < table.length; index++) {
    const before = table[index - 256] ?? 0n
    table[index] = (before >> 8n) ^ (table[Number(before & 255n)] ?? 0n)
  }
  const half = (shift: bigint) => Int32Array.from(table, (entry) => Number(BigInt.asIntN(32, entry >> shift)))
  const tables = { low: half(0n), high: half(32n) }
  made.set(algorithm, tables)
  return tables
}

const timesX = (factor: bigint, polynomial: bigint) =>
  factor & 1n ? (factor >> 1n) ^ polynomial : factor >> 1n

/** Begins the CRC that S3 calls so: CRC32 of ISO-HDLC, CRC32C of iSCSI, CRC64NVME of NVM Express. */
export function beginCrc(algorithm: CrcAlgorithm): Crc {
  if (algorithm === 'CRC32') return new Crc32()
  return algorithm === 'CRC32C' ? new Crc32c() : new Crc64()
}

class Crc32 implements Crc {
  #crc = 0

  update(bytes: Uint8Array): void {
    this.#crc = crc32(bytes, this.#crc)
  }

  digest(): Buffer {
    const digest = Buffer.alloc(4)
    digest.writeUInt32BE(this.#crc)
    return digest
  }
}

const at = (array: Int32Array | Uint8Array, index: number): number => array[index] ?? 0

class Crc32c implements Crc {
  readonly #table = tablesOf('CRC32C').low
  #crc = -1

  update(bytes: Uint8Array): void {
    const table = this.#table
    let crc = this.#crc
    let index = 0
    for (const end = bytes.length - 7; index < end; index += 8) {
      crc ^= word(bytes, index)
      crc =
        at(table, 1792 + (crc & 255)) ^
        at(table, 1536 + ((crc >>> 8) & 255)) ^
        at(table, 1280 + ((crc >>> 16) & 255)) ^
        at(table, 1024 + (crc >>> 24)) ^
        at(table, 768 + at(bytes, index + 4)) ^
        at(table, 512 + at(bytes, index + 5)) ^
        at(table, 256 + at(bytes, index + 6)) ^
        at(table, at(bytes, index + 7))
    }
    for (; index < bytes.length; index++) crc = (crc >>> 8) ^ at(table, (crc ^ at(bytes, index)) & 255)
    this.#crc = crc
  }

  digest(): Buffer {
    const digest = Buffer.alloc(4)
    digest.writeInt32BE(~this.#crc)
    return digest
  }
}

class Crc64 implements Crc {
  readonly #tables = tablesOf('CRC64NVME')
  #low = -1
  #high = -1

  update(bytes: Uint8Array): void {
    const { low, high } = this.#tables
    let below = this.#low
    let above = this.#high
    let index = 0
    for (const end = bytes.length - 7; index < end; index += 8) {
      below ^= word(bytes, index)
      above ^= word(bytes, index + 4)
      const a = 1792 + (below & 255)
      const b = 1536 + ((below >>> 8) & 255)
      const c = 1280 + ((below >>> 16) & 255)
      const d = 1024 + (below >>> 24)
      const e = 768 + (above & 255)
      const f = 512 + ((above >>> 8) & 255)
      const g = 256 + ((above >>> 16) & 255)
      const h = above >>> 24
      below =
        at(low, a) ^ at(low, b) ^ at(low, c) ^ at(low, d) ^ at(low, e) ^ at(low, f) ^ at(low, g) ^ at(low, h)
      above =
        at(high, a) ^
        at(high, b) ^
        at(high, c) ^
        at(high, d) ^
        at(high, e) ^
        at(high, f) ^
        at(high, g) ^
        at(high, h)
    }
    for (; index < bytes.length; index++) {
      const entry = (below ^ at(bytes, index)) & 255
      below = ((below >>> 8) | (above << 24)) ^ at(low, entry)
      above = (above >>> 8) ^ at(high, entry)
    }
    this.#low = below
    this.#high = above
  }

  digest(): Buffer {
    const digest = Buffer.alloc(8)
    digest.writeInt32BE(~this.#high)
    digest.writeInt32BE(~this.#low, 4)
    return digest
  }
}

const word = (bytes: Uint8Array, index: number) =>
  at(bytes, index) | (at(bytes, index + 1) << 8) | (at(bytes, index + 2) << 16) | (at(bytes, index + 3) << 24)

/**
 * Returns the CRC of bytes that came in parts, from the CRCs and sizes of these. A CRC is the remainder of a polynomial:
 * the CRC before a part is multiplied by x for each of the part's bits.
 */
export function combineCrcs(
  algorithm: CrcAlgorithm,
  parts: Iterable<{ digest: Uint8Array; size: number }>,
): Buffer {
  const { bits, polynomial } = POLYNOMIALS[algorithm]
  // Most parts have the same size.
  const shifts = new Map<number, bigint>()
  let crc = 0n
  for (const { digest, size } of parts) {
    const shift = shifts.get(size) ?? powerOfX(size, { bits, polynomial })
    shifts.set(size, shift)
    crc = multiply(crc, shift, { bits, polynomial }) ^ BigInt(`0x0${Buffer.from(digest).toString('hex')}`)
  }
  return Buffer.from(crc.toString(16).padStart(bits / 4, '0'), 'hex')
}

interface Field {
  bits: number
  polynomial: bigint
}

/** Returns x to the power of the bits in `bytes`. */
function powerOfX(bytes: number, field: Field): bigint {
  let result = 1n << BigInt(field.bits - 1)
  let factor = result >> 8n
  for (let rest = bytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = multiply(result, factor, field)
    factor = multiply(factor, factor, field)
  }
  return result
}

function multiply(one: bigint, other: bigint, { bits, polynomial }: Field): bigint {
  let product = 0n
  let factor = other
  for (let bit = 1n << BigInt(bits - 1); bit > 0n; bit >>= 1n) {
    if (one & bit) product ^= factor
    factor = timesX(factor, polynomial)
  }
  return product
}

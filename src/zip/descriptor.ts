import { crc32 } from 'node:zlib'

/** Checksum and lengths of the bytes of an entry, as measured. */
export interface Measured {
  crc32: number
  compressed: number
  size: number
}

// A data descriptor (§4.3.9) is an optional signature, then CRC-32, compressed and uncompressed size. Sizes have 8
// bytes or 4, and no field distinguishes the two.
const SIGNATURE = Buffer.from([0x50, 0x4b, 0x07, 0x08])
export const MAX_DESCRIPTOR_LENGTH = 24

/** Returns the length of the data descriptor at the beginning of `bytes`, if one agrees with `measured`. */
export function descriptorLength(bytes: Buffer, measured: Measured): number | undefined {
  // The longer form first: with sizes of 0 it begins like the shorter one.
  return descriptorForms(measured).find((form) => bytes.subarray(0, form.length).equals(form))?.length
}

function descriptorForms({ crc32, compressed, size }: Measured): Buffer[] {
  const wide = Buffer.alloc(20)
  wide.writeUInt32LE(crc32)
  wide.writeBigUInt64LE(BigInt(compressed), 4)
  wide.writeBigUInt64LE(BigInt(size), 12)
  const narrow = Buffer.concat([wide.subarray(0, 8), wide.subarray(12, 16)])
  return [Buffer.concat([SIGNATURE, wide]), Buffer.concat([SIGNATURE, narrow]), wide, narrow]
}

/**
 * Returns the position in `bytes` of the data descriptor that ends stored bytes, `measured` as far as `bytes`;
 * `undefined` while it has not arrived whole. Stored bytes do not mark their own end and may hold whole archives.
 * Therefore a descriptor counts only if it agrees with all bytes before it.
 */
export function findDescriptor(bytes: Buffer, measured: Measured): number | undefined {
  let [from, sum] = [0, measured.crc32]
  for (let at = bytes.indexOf(SIGNATURE); isWhole(bytes, at); at = bytes.indexOf(SIGNATURE, at + 1)) {
    sum = crc32(bytes.subarray(from, at), sum)
    from = at
    const size = measured.size + at
    if (bytes.readUInt32LE(at + 4) !== sum) continue
    if (descriptorLength(bytes.subarray(at), { crc32: sum, compressed: size, size }) !== undefined) return at
  }
  return undefined
}

const isWhole = (bytes: Buffer, at: number) => at !== -1 && at + MAX_DESCRIPTOR_LENGTH <= bytes.length

import { malformedArchive, malformedEntry } from './error.ts'
import type { ZipInput } from './input.ts'
import {
  CENTRAL_HEADER_LENGTH,
  EXTRA_HEADER_LENGTH,
  LOCAL_HEADER_LENGTH,
  METHOD_STORED,
  UINT32_MAX,
  ZIP64_EXTRA_ID,
  ZIP64_VALUE_LENGTH,
} from './records.ts'

export const METHOD_DEFLATED = 8

/** Flags of entries that cannot be read: encrypted (bits 0, 6, 13) or a patch to another file (bit 5, §4.4.4). */
const UNREADABLE = (1 << 0) | (1 << 5) | (1 << 6) | (1 << 13)
/** Flag of an entry whose sizes and CRC-32 stand behind the bytes (bit 3). */
const HAS_DESCRIPTOR = 1 << 3

/** Fields of both headers of an entry. */
interface EntryHeader {
  path: string
  method: number
  crc32: number
  /** Bytes in the archive. */
  compressed: number
  /** Bytes when unpacked. */
  size: number
}

/** Header before the bytes of an entry. */
export interface LocalHeader extends EntryHeader {
  /** Position in the archive. */
  offset: number
  /** True when sizes and CRC-32 stand behind the bytes; then they may be 0 here. */
  hasDescriptor: boolean
}

/** Header of an entry in the central directory. */
export interface CentralHeader extends EntryHeader {
  /** Position of the local header. */
  offset: number
  /** Upper half of the external attributes: by the convention of Unix the file's kind and mode. */
  mode: number
}

/** Reads a local file header (§4.3.7). @throws {ZipError} when the entry is not one that can be unpacked. */
export async function readLocalHeader(input: ZipInput): Promise<LocalHeader> {
  const offset = input.position
  const record = await input.take(LOCAL_HEADER_LENGTH)
  const common = readCommonFields(record.subarray(6))
  const path = decodePath(await input.take(common.pathBytes))
  const extra = await input.take(common.extraBytes)
  const [size = 0, compressed = 0] = widen(extra, path, [common.size, common.compressed])
  const { flags, method, crc32 } = common
  if (flags & UNREADABLE) throw malformedEntry(path, 'is encrypted or a patch')
  if (method !== METHOD_STORED && method !== METHOD_DEFLATED) {
    throw malformedEntry(path, `is compressed by method ${method}; only deflate and none can be read`)
  }
  const hasDescriptor = (flags & HAS_DESCRIPTOR) !== 0
  return { path, method, crc32, size, compressed, offset, hasDescriptor }
}

/** Reads a header of the central directory (§4.3.12). */
export async function readCentralHeader(input: ZipInput): Promise<CentralHeader> {
  const record = await input.take(CENTRAL_HEADER_LENGTH)
  const { pathBytes, extraBytes, method, crc32, ...common } = readCommonFields(record.subarray(8))
  const path = decodePath(await input.take(pathBytes))
  const extra = await input.take(extraBytes)
  await input.take(record.readUInt16LE(32)) // comment
  const [size = 0, compressed = 0, offset = 0] = widen(extra, path, [
    common.size,
    common.compressed,
    record.readUInt32LE(42),
  ])
  return { path, method, crc32, size, compressed, offset, mode: record.readUInt16LE(40) }
}

/** Reads the fields that both headers share, from the flags to the length of the extra fields. */
const readCommonFields = (record: Buffer) => ({
  flags: record.readUInt16LE(0),
  method: record.readUInt16LE(2),
  crc32: record.readUInt32LE(8),
  compressed: record.readUInt32LE(12),
  size: record.readUInt32LE(16),
  pathBytes: record.readUInt16LE(20),
  extraBytes: record.readUInt16LE(22),
})

/**
 * Decodes a path as UTF-8, with or without bit 11: the other encodings of old programs cannot be distinguished.
 */
function decodePath(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw malformedArchive(`the name of the entry "${Buffer.from(bytes).toString('latin1')}" is not UTF-8`)
  }
}

/** Replaces values that do not fit 32 bits by those of the ZIP64 extra field, which has them in this order. */
function widen(extra: Buffer, path: string, values: number[]): number[] {
  if (!values.includes(UINT32_MAX)) return values
  let zip64 = findExtra(extra, ZIP64_EXTRA_ID)
  return values.map((value) => {
    if (value !== UINT32_MAX) return value
    if (zip64.length < ZIP64_VALUE_LENGTH) throw malformedEntry(path, 'has no ZIP64 sizes')
    const wide = Number(zip64.readBigUInt64LE())
    zip64 = zip64.subarray(ZIP64_VALUE_LENGTH)
    return wide
  })
}

/** Returns the data of the extra field with this id (§4.5.1), empty when there is none. */
function findExtra(extra: Buffer, id: number): Buffer {
  let rest = extra
  while (rest.length >= EXTRA_HEADER_LENGTH) {
    const end = EXTRA_HEADER_LENGTH + rest.readUInt16LE(2)
    if (rest.readUInt16LE() === id) return rest.subarray(EXTRA_HEADER_LENGTH, end)
    rest = rest.subarray(end)
  }
  return rest.subarray(rest.length)
}

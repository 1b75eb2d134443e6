import { crc32, deflateRawSync } from 'node:zlib'
import { Fields } from '../../src/zip/fields.ts'

/** Fields of an entry's two headers. Each may be wrong. */
interface HeaderFields {
  path: string | Uint8Array
  flags: number
  method: number
  crc32: number
  compressed: number
  size: number
  extra: Uint8Array
}

/** Entry to write by hand: valid, except for the fields in `local` and `central`. */
export interface BuiltEntry {
  path: string | Uint8Array
  content?: string | Uint8Array
  deflated?: boolean
  /** Data descriptor, in one of the forms that programs write. */
  descriptor?: keyof typeof DESCRIPTORS
  /** Bytes in the archive, instead of the content's. */
  raw?: Uint8Array
  /** Upper half of the external attributes. */
  mode?: number
  offset?: number
  local?: Partial<HeaderFields>
  central?: Partial<HeaderFields>
}

export interface ArchiveOptions {
  before?: string
  behind?: string
  comment?: string
  zip64?: boolean
  /** Differing fields of the last record. */
  end?: Partial<{ disk: number; entries: number; length: number; offset: number }>
  /** Entries that the central directory lists, in its order; by default all, unchanged. */
  listed?: number[]
}

const DESCRIPTORS = {
  signed: { signature: true, wide: false },
  unsigned: { signature: false, wide: false },
  'signed ZIP64': { signature: true, wide: true },
  'unsigned ZIP64': { signature: false, wide: true },
}

const NOTHING = new Uint8Array()
const encode = (text: string | Uint8Array) =>
  typeof text === 'string' ? new TextEncoder().encode(text) : text

export function buildArchive(
  entries: readonly BuiltEntry[],
  options: ArchiveOptions = {},
): Buffer<ArrayBuffer> {
  const pieces: Uint8Array[] = []
  let position = 0
  const append = (...more: Uint8Array[]) => {
    for (const { length } of more) position += length
    pieces.push(...more)
  }
  append(encode(options.before ?? ''))
  const central = entries.map((entry) => {
    const offset = position
    const bytes = contentOf(entry)
    append(localHeader(entry, bytes), bytes.raw, descriptor(entry, bytes))
    return centralHeader(entry, bytes, offset)
  })
  const offset = position
  append(...(options.listed ?? central.keys().toArray()).map((index) => central[index] ?? NOTHING))
  const directory = { entries: entries.length, offset, length: position - offset }
  if (options.zip64) append(zip64End({ ...directory, ...options.end }, position))
  append(end({ ...directory, ...options.end }, options), encode(options.behind ?? ''))
  return Buffer.concat(pieces)
}

type Content = ReturnType<typeof contentOf>

function contentOf({ content = '', deflated, raw }: BuiltEntry) {
  const bytes = encode(content)
  return { raw: raw ?? (deflated ? deflateRawSync(bytes) : bytes), size: bytes.length, crc32: crc32(bytes) }
}

function headerFields(entry: BuiltEntry, content: Content, lies: Partial<HeaderFields> = {}): HeaderFields {
  const { path, deflated, descriptor } = entry
  const flags = descriptor ? 1 << 3 : 0
  const { crc32, size, raw } = content
  return {
    ...{ path, flags, method: deflated ? 8 : 0, crc32, size, compressed: raw.length, extra: NOTHING },
    ...lies,
  }
}

const appendCommon = (fields: Fields, { flags, method, crc32, compressed, size }: HeaderFields) =>
  fields.uint16(20).uint16(flags).uint16(method).uint32(0).uint32(crc32).uint32(compressed).uint32(size)

function localHeader(entry: BuiltEntry, content: Content): Uint8Array {
  const untold = entry.descriptor ? { crc32: 0, compressed: 0, size: 0 } : {}
  const header = headerFields(entry, content, { ...untold, ...entry.local })
  const path = encode(header.path)
  const fields = new Fields(30 + path.length + header.extra.length).uint32(0x04034b50)
  appendCommon(fields, header).uint16(path.length).uint16(header.extra.length)
  return fields.append(path).append(header.extra).bytes
}

function centralHeader(entry: BuiltEntry, content: Content, offset: number): Uint8Array {
  const header = headerFields(entry, content, entry.central)
  const path = encode(header.path)
  const fields = new Fields(46 + path.length + header.extra.length).uint32(0x02014b50).uint16(0x031e)
  appendCommon(fields, header).uint16(path.length).uint16(header.extra.length)
  fields.uint16(0).uint16(0).uint16(0).uint16(0)
  fields.uint16(entry.mode ?? 0o100644).uint32(entry.offset ?? offset)
  return fields.append(path).append(header.extra).bytes
}

function descriptor({ descriptor: form }: BuiltEntry, { crc32, raw, size }: Content): Uint8Array {
  if (!form) return NOTHING
  const { signature, wide } = DESCRIPTORS[form]
  const fields = new Fields((signature ? 4 : 0) + (wide ? 20 : 12))
  if (signature) fields.uint32(0x08074b50)
  fields.uint32(crc32)
  if (wide) return fields.uint64(raw.length).uint64(size).bytes
  return fields.uint32(raw.length).uint32(size).bytes
}

interface Directory {
  disk?: number
  entries: number
  length: number
  offset: number
}

function zip64End({ disk = 0, entries, length, offset }: Directory, position: number): Uint8Array {
  const fields = new Fields(76).uint32(0x06064b50).uint64(44).uint16(45).uint16(45)
  fields.uint32(disk).uint32(0).uint64(entries).uint64(entries).uint64(length).uint64(offset)
  return fields.uint32(0x07064b50).uint32(0).uint64(position).uint32(1).bytes
}

function end({ disk = 0, entries, length, offset }: Directory, options: ArchiveOptions): Uint8Array {
  const comment = encode(options.comment ?? '')
  const fields = new Fields(22 + comment.length).uint32(0x06054b50)
  if (options.zip64) fields.uint16(0xffff).uint16(0xffff).uint16(0xffff).uint16(0xffff)
  else fields.uint16(disk).uint16(0).uint16(entries).uint16(entries)
  if (options.zip64) fields.uint32(0xffffffff).uint32(0xffffffff)
  else fields.uint32(length).uint32(offset)
  return fields.uint16(comment.length).append(comment).bytes
}

/** Builds a ZIP64 extra field. */
export function zip64Extra(...values: number[]): Uint8Array {
  const fields = new Fields(4 + 8 * values.length).uint16(1).uint16(8 * values.length)
  for (const value of values) fields.uint64(value)
  return fields.bytes
}

/** Pieces of `archive` of `length` bytes each, the last one maybe shorter. */
export function* slices(archive: Uint8Array, length: number): Generator<Uint8Array> {
  for (let at = 0; at < archive.length; at += length) yield archive.subarray(at, at + length)
}

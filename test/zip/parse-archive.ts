/** Random access to an archive's bytes. */
export interface ArchiveBytes {
  length: number
  read(position: number, length: number): Uint8Array
}

export const inMemory = (archive: Uint8Array): ArchiveBytes => ({
  length: archive.length,
  read: (position, length) => archive.subarray(position, position + length),
})

export interface ParsedEntry {
  path: string
  size: number
  crc32: number
  /** Position of the local header. */
  offset: number
  versions: { local: number; central: number }
  /** Number of 64-bit values in the ZIP64 extra field of each header. */
  zip64: { local: number; central: number }
}

export interface ParsedArchive {
  entries: ParsedEntry[]
  /** True if there are a ZIP64 end record and its locator. */
  hasZip64End: boolean
}

const UINT16_MAX = 0xffff
const UINT32_MAX = 0xffffffff

/**
 * Reads an archive by the letter of APPNOTE 6.3.10, more strictly than programs do: every byte must belong
 * to a record or an entry, and what is said twice must agree.
 *
 * @throws If anything is not as it should be.
 */
export function parseArchive(archive: ArchiveBytes): ParsedArchive {
  const end = parseEnd(archive)
  assertEqual('end of the directory', end.offset + end.length, end.position)
  const directory = new Cursor(archive.read(end.offset, end.length))
  let position = 0
  const entries = Array.from({ length: end.entries }, () => {
    const central = parseHeader(directory, 'central')
    assertEqual('offset', central.offset, position)
    const local = parseHeader(new Cursor(archive.read(position, headerReach(archive, position))), 'local')
    for (const field of ['path', 'size', 'crc32', 'flags', 'method', 'time', 'date', 'modified'] as const) {
      assertEqual(field, local[field], central[field])
    }
    position += local.headerLength + central.size
    const { path, size, crc32, offset } = central
    return {
      path,
      size,
      crc32,
      offset,
      versions: { local: local.version, central: central.version },
      zip64: { local: local.zip64, central: central.zip64 },
    }
  })
  assertEqual('start of the directory', position, end.offset)
  assertEqual('bytes of the directory left', directory.left, 0)
  return { entries, hasZip64End: end.isZip64 }
}

const MAX_LOCAL_HEADER = 30 + 2 * UINT16_MAX
const headerReach = ({ length }: ArchiveBytes, position: number) =>
  Math.min(MAX_LOCAL_HEADER, length - position)

function parseEnd(archive: ArchiveBytes) {
  const position = archive.length - 22
  const end = new Cursor(archive.read(position, 22))
  end.expect32('signature of the end', 0x06054b50)
  end.expect32('disks', 0)
  const entries = end.uint16()
  end.expect16('entries', entries)
  const length = end.uint32()
  const offset = end.uint32()
  end.expect16('comment', 0)
  const plain = { entries, length, offset, position, isZip64: false }
  const isZip64 = entries === UINT16_MAX || length === UINT32_MAX || offset === UINT32_MAX
  return isZip64 ? { ...parseZip64End(archive, plain), isZip64 } : plain
}

type Extent = { entries: number; length: number; offset: number; position: number }

function parseZip64End(archive: ArchiveBytes, plain: Extent): Extent {
  const locator = new Cursor(archive.read(plain.position - 20, 20))
  locator.expect32('signature of the locator', 0x07064b50)
  locator.expect32('disk', 0)
  const position = locator.uint64()
  locator.expect32('number of disks', 1)

  assertEqual('position of the ZIP64 end', position, plain.position - 20 - 56)
  const end = new Cursor(archive.read(position, 56))
  end.expect32('signature of the ZIP64 end', 0x06064b50)
  assertEqual('size of the ZIP64 end', end.uint64(), 44)
  end.expect16('version made by', 0x032d)
  end.expect16('version needed', 45)
  assertEqual('disks', end.uint64(), 0)
  const entries = end.uint64()
  assertEqual('entries', end.uint64(), entries)
  const length = end.uint64()
  const offset = end.uint64()
  assertEqual('16-bit entries', plain.entries, Math.min(entries, UINT16_MAX))
  assertEqual('32-bit length', plain.length, Math.min(length, UINT32_MAX))
  assertEqual('32-bit offset', plain.offset, Math.min(offset, UINT32_MAX))
  return { entries, length, offset, position }
}

function parseHeader(cursor: Cursor, kind: 'local' | 'central') {
  const start = cursor.left
  cursor.expect32('signature of a header', kind === 'local' ? 0x04034b50 : 0x02014b50)
  if (kind === 'central') cursor.expect16('version made by', 0x032d)
  const [version, flags, method] = [cursor.uint16(), cursor.uint16(), cursor.uint16()]
  const [time, date] = [cursor.uint16(), cursor.uint16()]
  const [crc32, compressed, uncompressed] = [cursor.uint32(), cursor.uint32(), cursor.uint32()]
  assertEqual('sizes', compressed, uncompressed)
  const [pathLength, extraLength] = [cursor.uint16(), cursor.uint16()]
  const offset = kind === 'central' ? parseCentralFields(cursor) : 0
  const path = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(cursor.take(pathLength))
  const { zip64, modified } = parseExtra(new Cursor(cursor.take(extraLength)))
  const headerLength = start - cursor.left

  const values = [...zip64]
  const widen = (value: number) => (value === UINT32_MAX ? takeFirst(values) : value)
  const size = widen(uncompressed)
  assertEqual('64-bit sizes', widen(compressed), size)
  const wideOffset = widen(offset)
  assertEqual('ZIP64 values left', values.length, 0)
  const common = { path, size, crc32, flags, method, time, date, modified, version }
  return { ...common, offset: wideOffset, headerLength, zip64: zip64.length }
}

function parseCentralFields(cursor: Cursor): number {
  cursor.expect16('comment', 0)
  cursor.expect16('disk', 0)
  cursor.expect16('internal attributes', 0)
  cursor.uint32()
  return cursor.uint32()
}

function parseExtra(cursor: Cursor): { zip64: number[]; modified: number } {
  const zip64: number[] = []
  let id = cursor.uint16()
  if (id === 0x0001) {
    const length = cursor.uint16()
    for (let taken = 0; taken < length; taken += 8) zip64.push(cursor.uint64())
    id = cursor.uint16()
  }
  assertEqual('id of the timestamp', id, 0x5455)
  cursor.expect16('length of the timestamp', 5)
  assertEqual('flags of the timestamp', cursor.take(1)[0], 1)
  const modified = cursor.uint32()
  assertEqual('bytes of extra fields left', cursor.left, 0)
  return { zip64, modified }
}

function takeFirst(values: number[]): number {
  const first = values.shift()
  if (first === undefined) throw new Error('A ZIP64 value is missing')
  return first
}

function assertEqual<Value>(what: string, actual: Value, expected: Value): void {
  if (actual !== expected) throw new Error(`Wrong ${what}: ${actual} instead of ${expected}`)
}

class Cursor {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #position = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get left(): number {
    return this.#bytes.length - this.#position
  }

  uint16(): number {
    return this.#view.getUint16(this.#advance(2), true)
  }

  uint32(): number {
    return this.#view.getUint32(this.#advance(4), true)
  }

  uint64(): number {
    return Number(this.#view.getBigUint64(this.#advance(8), true))
  }

  take(length: number): Uint8Array {
    const from = this.#advance(length)
    return this.#bytes.subarray(from, from + length)
  }

  expect16(what: string, expected: number): void {
    assertEqual(what, this.uint16(), expected)
  }

  expect32(what: string, expected: number): void {
    assertEqual(what, this.uint32(), expected)
  }

  #advance(length: number): number {
    if (length > this.left) throw new RangeError('The record is cut short')
    const from = this.#position
    this.#position += length
    return from
  }
}

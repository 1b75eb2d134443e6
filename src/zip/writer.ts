import { crc32 } from 'node:zlib'
import { ByteList, gather, type Overflow } from './chunks.ts'
import { checkExtent, isDirectory, type ZipEntry } from './entry.ts'
import { centralHeader, type EntryRecord, endRecords, localHeader } from './records.ts'

/**
 * Writes an archive of uncompressed entries, in the order given. It uses ZIP64 where 32 bits, or 16 for the number of
 * entries, do not suffice. The same entries give the same bytes.
 *
 * Sizes and checksums stand before the bytes of each entry. Therefore it needs no data descriptors, and `ZipLength`
 * knows its length beforehand. Paths are marked as UTF-8. They are not compared with each other.
 *
 * A chunk is valid until the next is requested. Entries are taken, opened and read only as fast as the archive is read.
 * `overflow`, or else memory, holds the central directory, about 55 bytes and the path for each entry. If the reader stops early, the
 * `return()` of the iterators of `entries` and of the open content is called.
 *
 * @throws {RangeError} If an entry cannot be archived: see `checkExtent()`.
 * @throws {ContentMismatch} If the bytes of an entry do not match its size and CRC-32. No byte past that size is yielded.
 */
export function writeZip(
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>,
  overflow?: Overflow,
): AsyncGenerator<Uint8Array> {
  return gather(archive(entries, overflow))
}

async function* archive(
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>,
  overflow: Overflow | undefined,
): AsyncGenerator<Uint8Array, void> {
  const directory = new ByteList(overflow)
  try {
    let count = 0
    let offset = 0
    for await (const entry of entries) {
      const record = entryRecord(entry)
      const header = localHeader(record)
      const full = directory.append(centralHeader(record, offset))
      if (full) await full
      count += 1
      offset += header.length + entry.size
      yield header
      const content = entry.open?.() ?? NOTHING
      const opened = content instanceof Promise ? await content : content
      if (opened instanceof Uint8Array) yield checked(opened, entry)
      else yield* checkedStream(opened, entry)
    }
    const { length } = directory
    yield* directory.drain()
    yield endRecords({ entries: count, offset, length })
  } finally {
    directory.free()
  }
}

function entryRecord(entry: ZipEntry): EntryRecord {
  checkExtent(entry)
  return {
    path: Buffer.from(entry.path),
    isDirectory: isDirectory(entry),
    size: entry.size,
    crc32: entry.crc32,
    modifiedAt: entry.modifiedAt,
  }
}

const NOTHING = new Uint8Array()

function checked(bytes: Uint8Array, entry: ZipEntry): Uint8Array {
  const check = new ContentCheck(entry)
  check.add(bytes)
  check.end()
  return bytes
}

async function* checkedStream(
  chunks: AsyncIterable<Uint8Array>,
  entry: ZipEntry,
): AsyncGenerator<Uint8Array, void> {
  const check = new ContentCheck(entry)
  for await (const chunk of chunks) {
    check.add(chunk)
    yield chunk
  }
  check.end()
}

/** Error of an entry whose bytes do not match its size and CRC-32. */
export class ContentMismatch extends Error {
  override readonly name = 'ContentMismatch'
}

/** Comparison of the bytes of an entry with its headers. */
class ContentCheck {
  readonly #entry: ZipEntry
  #size = 0
  #crc32 = 0

  constructor(entry: ZipEntry) {
    this.#entry = entry
  }

  /** @throws {ContentMismatch} If there are more bytes than the size of the entry. */
  add(chunk: Uint8Array): void {
    this.#size += chunk.length
    this.#crc32 = crc32(chunk, this.#crc32)
    if (this.#size > this.#entry.size) throw this.#changed(`it has more than ${this.#entry.size} bytes`)
  }

  /** @throws {ContentMismatch} If there are fewer bytes than the size of the entry, or bytes with another CRC-32. */
  end(): void {
    if (this.#size < this.#entry.size) {
      throw this.#changed(`it has ${this.#size} bytes instead of ${this.#entry.size}`)
    }
    if (this.#crc32 !== this.#entry.crc32) throw this.#changed('its bytes are not those of its CRC-32')
  }

  #changed(state: string): ContentMismatch {
    return new ContentMismatch(`Cannot archive ${JSON.stringify(this.#entry.path)}: ${state}`)
  }
}

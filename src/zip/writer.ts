import { crc32 } from 'node:zlib'
import { ByteList, gather } from './chunks.ts'
import { checkExtent, isDirectory, type ZipEntry } from './entry.ts'
import { centralHeader, type EntryRecord, endRecords, localHeader } from './records.ts'

/**
 * Writes an archive of uncompressed entries, in the order given. ZIP64 is used where 32 bits, or 16 for the
 * number of entries, do not suffice. The same entries give the same bytes.
 *
 * Sizes and checksums stand before each entry's bytes, so there are no data descriptors and the length is
 * known beforehand: see `ZipLength`. Paths are marked as UTF-8. They are not compared with each other.
 *
 * A chunk is good until the next is asked for. An entry is taken, opened and read only as fast as the archive
 * is. Of the archive only the central directory is kept, about 55 bytes and the path for each entry. When the
 * reader stops early, the content being read and `entries` are told so through their iterators' `return()`.
 *
 * @throws {RangeError} If an entry cannot be archived: see `checkExtent()`.
 * @throws {Error} If an entry's bytes are not those that its size and CRC-32 promise. No byte past the
 * promised size is yielded.
 */
export function writeZip(entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  return gather(archive(entries))
}

async function* archive(
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>,
): AsyncGenerator<Uint8Array, void> {
  const directory = new ByteList()
  try {
    let count = 0
    let offset = 0
    for await (const entry of entries) {
      const record = entryRecord(entry)
      const header = localHeader(record)
      directory.append(centralHeader(record, offset))
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

/** Compares the bytes of an entry with what its headers say of them. */
class ContentCheck {
  readonly #entry: ZipEntry
  #size = 0
  #crc32 = 0

  constructor(entry: ZipEntry) {
    this.#entry = entry
  }

  /** @throws If there are more bytes than the entry's size. */
  add(chunk: Uint8Array): void {
    this.#size += chunk.length
    this.#crc32 = crc32(chunk, this.#crc32)
    if (this.#size > this.#entry.size) throw this.#changed(`it has more than ${this.#entry.size} bytes`)
  }

  /** @throws If there are fewer bytes than the entry's size, or others than those of its CRC-32. */
  end(): void {
    if (this.#size < this.#entry.size) {
      throw this.#changed(`it has ${this.#size} bytes instead of ${this.#entry.size}`)
    }
    if (this.#crc32 !== this.#entry.crc32) throw this.#changed('its bytes are not those of its CRC-32')
  }

  #changed(state: string): Error {
    return new Error(`Cannot archive ${JSON.stringify(this.#entry.path)}: ${state}`)
  }
}

import { checkExtent, type ZipExtent } from './entry.ts'
import { centralHeaderLength, endRecordsLength, localHeaderLength } from './records.ts'

/**
 * Predicts how many bytes `writeZip()` yields, from paths and sizes alone. Entries are added one by one, in
 * the archive's order, and not kept.
 */
export class ZipLength {
  #entries = 0
  /** Bytes of the entries so far, and so where the next one begins. */
  #offset = 0
  #directoryLength = 0

  /** @throws {RangeError} As `writeZip()` does for an entry that cannot be archived. */
  add(entry: ZipExtent): void {
    const pathBytes = checkExtent(entry)
    this.#entries += 1
    this.#directoryLength += centralHeaderLength(pathBytes, entry.size, this.#offset)
    this.#offset += localHeaderLength(pathBytes, entry.size) + entry.size
  }

  /** The exact length in bytes of an archive of the entries added so far. */
  total(): number {
    const directory = { entries: this.#entries, offset: this.#offset, length: this.#directoryLength }
    return directory.offset + directory.length + endRecordsLength(directory)
  }
}

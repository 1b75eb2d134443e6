import { checkExtent, type ZipExtent } from './entry.ts'
import { centralHeaderLength, endRecordsLength, localHeaderLength } from './records.ts'

/**
 * Length of the output of `writeZip()`, predicted from paths and sizes alone. Entries are added one by one, in the
 * order of the archive, and not retained.
 */
export class ZipLength {
  #entries = 0
  /** Length of the entries so far, which is the position of the next one. */
  #offset = 0
  #directoryLength = 0

  /** @throws {RangeError} When the entry cannot be archived, as `writeZip()` does. */
  add(entry: ZipExtent): void {
    const pathBytes = checkExtent(entry)
    this.#entries += 1
    this.#directoryLength += centralHeaderLength(pathBytes, entry.size, this.#offset)
    this.#offset += localHeaderLength(pathBytes, entry.size) + entry.size
  }

  /** Returns the exact length in bytes of an archive of the entries added so far. */
  total(): number {
    const directory = { entries: this.#entries, offset: this.#offset, length: this.#directoryLength }
    return directory.offset + directory.length + endRecordsLength(directory)
  }
}

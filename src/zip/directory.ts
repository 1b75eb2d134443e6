import { endOfSlice } from '../platform/time.ts'
import type { Measured } from './descriptor.ts'
import { malformedArchive, malformedEntry } from './error.ts'
import { type CentralHeader, type LocalHeader, readCentralHeader } from './headers.ts'
import type { ZipInput } from './input.ts'
import {
  CENTRAL_HEADER_SIGNATURE,
  type DirectoryExtent,
  END_LENGTH,
  END_SIGNATURE,
  UINT16_MAX,
  UINT32_MAX,
  ZIP64_END_LENGTH,
  ZIP64_END_SIGNATURE,
  ZIP64_END_UNCOUNTED,
  ZIP64_LOCATOR_LENGTH,
  ZIP64_LOCATOR_SIGNATURE,
} from './records.ts'

/** Entry as it stood in the archive. */
export type UnpackedEntry = Pick<LocalHeader, 'path' | 'method'> & Measured

/** Mask of the upper bits of a mode, which are the kind of file; 0 is an unknown kind. */
const KIND_MASK = 0o170000
const KINDS = [0, 0o100000, 0o040000]

/**
 * Reads the central directory and the records that end the archive. They must list exactly the entries that were
 * unpacked, so that other readers see the same archive.
 *
 * @param entries Entries by the offsets of their local headers.
 * @throws {ZipError}
 */
export async function checkDirectory(
  input: ZipInput,
  entries: ReadonlyMap<number, UnpackedEntry>,
): Promise<void> {
  const offset = input.position
  const unlisted = new Map(entries)
  for (let index = 0; await input.hasNext(CENTRAL_HEADER_SIGNATURE); index += 1) {
    await endOfSlice(index)
    const header = await readCentralHeader(input)
    checkHeader(header, unlisted.get(header.offset))
    unlisted.delete(header.offset)
  }
  await checkEnd(input, { entries: entries.size, offset, length: input.position - offset })
  for (const { path } of unlisted.values()) throw malformedEntry(path, 'is not in the directory at its end')
  if ((await input.peek(1)).length > 0) throw malformedArchive('there is data after its end')
}

function checkHeader(header: CentralHeader, entry: UnpackedEntry | undefined): void {
  for (const field of ['path', 'method', 'crc32', 'compressed', 'size'] as const) {
    if (header[field] !== entry?.[field])
      throw malformedEntry(header.path, 'is not what the directory at its end says')
  }
  if (!KINDS.includes(header.mode & KIND_MASK)) throw malformedEntry(header.path, 'is a link or a device')
}

async function checkEnd(input: ZipInput, directory: DirectoryExtent): Promise<void> {
  const isZip64 = await input.hasNext(ZIP64_END_SIGNATURE)
  if (isZip64) await checkZip64End(input, directory)
  const record = await input.take(END_LENGTH)
  if (record.readUInt32LE() !== END_SIGNATURE)
    throw malformedArchive(`there is no ZIP record at byte ${input.position - END_LENGTH}`)
  /** Returns true if a field has the value, or refers to the ZIP64 record. */
  const says = (said: number, value: number, max: number) => said === value || (isZip64 && said === max)
  const agrees =
    says(record.readUInt16LE(4), 0, UINT16_MAX) && // this disk
    says(record.readUInt16LE(6), 0, UINT16_MAX) && // disk with the central directory
    says(record.readUInt16LE(8), directory.entries, UINT16_MAX) && // on this disk
    says(record.readUInt16LE(10), directory.entries, UINT16_MAX) &&
    says(record.readUInt32LE(12), directory.length, UINT32_MAX) &&
    says(record.readUInt32LE(16), directory.offset, UINT32_MAX)
  if (!agrees) throw wrongEnd()
  await input.take(record.readUInt16LE(20)) // comment
}

async function checkZip64End(input: ZipInput, directory: DirectoryExtent): Promise<void> {
  const offset = input.position
  const record = await input.take(ZIP64_END_LENGTH)
  const extension = wide(record, 4) - (ZIP64_END_LENGTH - ZIP64_END_UNCOUNTED)
  const locator = await input.take(ZIP64_LOCATOR_LENGTH)
  const agrees =
    extension === 0 &&
    record.readUInt32LE(16) === 0 && // this disk
    record.readUInt32LE(20) === 0 && // disk with the central directory
    wide(record, 24) === directory.entries && // on this disk
    wide(record, 32) === directory.entries &&
    wide(record, 40) === directory.length &&
    wide(record, 48) === directory.offset &&
    locator.readUInt32LE(0) === ZIP64_LOCATOR_SIGNATURE &&
    locator.readUInt32LE(4) === 0 && // disk with the record above
    wide(locator, 8) === offset
  if (!agrees) throw wrongEnd()
}

const wide = (record: Buffer, at: number) => Number(record.readBigUInt64LE(at))

const wrongEnd = () => malformedArchive('its last record does not match the records before it')

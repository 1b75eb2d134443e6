import { Fields } from './fields.ts'

// The records of a ZIP archive. Section numbers are those of PKWARE's APPNOTE.TXT 6.3.10.

export const LOCAL_HEADER_SIGNATURE = 0x04034b50
export const CENTRAL_HEADER_SIGNATURE = 0x02014b50
export const ZIP64_END_SIGNATURE = 0x06064b50
export const ZIP64_LOCATOR_SIGNATURE = 0x07064b50
export const END_SIGNATURE = 0x06054b50

/** Bytes of a local file header (§4.3.7) without path and extra fields. */
export const LOCAL_HEADER_LENGTH = 30
/** Bytes of a central directory header (§4.3.12) without path, extra fields and comment. */
export const CENTRAL_HEADER_LENGTH = 46
/** Bytes of the ZIP64 end of central directory record (§4.3.14) with its signature. */
export const ZIP64_END_LENGTH = 56
/** Bytes of that record before those that its own size field counts: the signature and the field. */
export const ZIP64_END_UNCOUNTED = 12
/** Bytes of the ZIP64 end of central directory locator (§4.3.15). */
export const ZIP64_LOCATOR_LENGTH = 20
/** Bytes of the end of central directory record (§4.3.16) without comment. */
export const END_LENGTH = 22

/** Bytes before the data of an extra field: its id and its length (§4.5.1). */
export const EXTRA_HEADER_LENGTH = 4
export const ZIP64_EXTRA_ID = 0x0001
/** Bytes of a size or an offset in the ZIP64 extra field (§4.5.3). */
export const ZIP64_VALUE_LENGTH = 8
const TIMESTAMP_EXTRA_ID = 0x5455
/** Bytes of the extended timestamp's data: the flags and one time. */
const TIMESTAMP_DATA_LENGTH = 5
const TIMESTAMP_EXTRA_LENGTH = EXTRA_HEADER_LENGTH + TIMESTAMP_DATA_LENGTH
/** Flag of the modification time, one of three possible times. */
const TIMESTAMP_HAS_MODIFIED = 0x01

/** Largest value of a 16-bit field. A field with its largest value refers to ZIP64 (§4.4.1.4). */
export const UINT16_MAX = 0xffff
export const UINT32_MAX = 0xffffffff

/** Versions needed to extract (§4.4.3.2), ten times the number. */
const VERSION_DEFAULT = 10
const VERSION_DIRECTORY = 20
const VERSION_ZIP64 = 45

/** Unix as the system of the external attributes, in the upper byte (§4.4.2). */
const MADE_BY_UNIX = (3 << 8) | VERSION_ZIP64
/** Flag of paths in UTF-8 (bit 11, §4.4.4). Bit 3 is clear: there are no data descriptors. */
const FLAGS = 1 << 11
export const METHOD_STORED = 0

/** `rw-r--r--` of a regular file and `rwxr-xr-x` of a directory, as in `st_mode`. */
const FILE_MODE = 0o100644
const DIRECTORY_MODE = 0o040755
/** Bit of a directory in the external attributes of DOS. */
const DOS_DIRECTORY = 0x10

/** Contents of the headers of an entry. */
export interface EntryRecord {
  /** Path in UTF-8, at most 65,535 bytes. */
  path: Uint8Array
  isDirectory: boolean
  size: number
  crc32: number
  /** Milliseconds since 1970, UTC. */
  modifiedAt: number
}

/** Position and size of the central directory. */
export interface DirectoryExtent {
  /** Number of entries. */
  entries: number
  /** Bytes of the archive before it. */
  offset: number
  /** Length in bytes. */
  length: number
}

const needsZip64 = (value: number) => value >= UINT32_MAX

/** Returns the length of `localHeader()` for an entry whose path has `pathBytes` bytes. */
export const localHeaderLength = (pathBytes: number, size: number): number =>
  LOCAL_HEADER_LENGTH + pathBytes + extraLength(localZip64Values(size))

/** Returns the length of `centralHeader()` for an entry whose path has `pathBytes` bytes. */
export const centralHeaderLength = (pathBytes: number, size: number, offset: number): number =>
  CENTRAL_HEADER_LENGTH + pathBytes + extraLength(centralZip64Values(size, offset))

/** Returns the length of `endRecords()`. */
export const endRecordsLength = (directory: DirectoryExtent): number =>
  isZip64(directory) ? ZIP64_END_LENGTH + ZIP64_LOCATOR_LENGTH + END_LENGTH : END_LENGTH

/** Returns the header before the bytes of an entry. */
export function localHeader(entry: EntryRecord): Uint8Array {
  const zip64 = localZip64Values(entry.size)
  const fields = new Fields(localHeaderLength(entry.path.length, entry.size))
    .uint32(LOCAL_HEADER_SIGNATURE)
    .uint16(versionNeeded(entry, zip64))
  appendCommonFields(fields, entry, zip64)
  fields.append(entry.path)
  appendExtraFields(fields, entry, zip64)
  return fields.bytes
}

/** Returns the header in the central directory, for a local header that begins at byte `offset`, 0-based. */
export function centralHeader(entry: EntryRecord, offset: number): Uint8Array {
  const zip64 = centralZip64Values(entry.size, offset)
  const fields = new Fields(centralHeaderLength(entry.path.length, entry.size, offset))
    .uint32(CENTRAL_HEADER_SIGNATURE)
    .uint16(MADE_BY_UNIX, versionNeeded(entry, zip64))
  appendCommonFields(fields, entry, zip64)
  fields
    .uint16(
      0, // length of the comment
      0, // disk
      0, // internal attributes
    )
    .uint32(externalAttributes(entry), Math.min(offset, UINT32_MAX))
    .append(entry.path)
  appendExtraFields(fields, entry, zip64)
  return fields.bytes
}

/** Returns the records behind the central directory, which end the archive. */
export function endRecords(directory: DirectoryExtent): Uint8Array {
  const fields = new Fields(endRecordsLength(directory))
  if (isZip64(directory)) appendZip64End(fields, directory)
  return fields
    .uint32(END_SIGNATURE)
    .uint16(
      0, // this disk
      0, // disk with the central directory
      Math.min(directory.entries, UINT16_MAX), // on this disk
      Math.min(directory.entries, UINT16_MAX),
    )
    .uint32(Math.min(directory.length, UINT32_MAX), Math.min(directory.offset, UINT32_MAX))
    .uint16(0).bytes // length of the comment
}

const isZip64 = ({ entries, offset, length }: DirectoryExtent) =>
  entries >= UINT16_MAX || needsZip64(offset) || needsZip64(length)

function appendZip64End(fields: Fields, directory: DirectoryExtent): void {
  fields
    .uint32(ZIP64_END_SIGNATURE)
    .uint64(ZIP64_END_LENGTH - ZIP64_END_UNCOUNTED)
    .uint16(MADE_BY_UNIX)
    .uint16(VERSION_ZIP64)
    .uint32(0) // this disk
    .uint32(0) // disk with the central directory
    .uint64(directory.entries) // on this disk
    .uint64(directory.entries)
    .uint64(directory.length)
    .uint64(directory.offset)
    .uint32(ZIP64_LOCATOR_SIGNATURE)
    .uint32(0) // disk with the record above
    .uint64(directory.offset + directory.length) // where that record begins
    .uint32(1) // number of disks
}

/** Appends the fields that both headers share, from the flags to the length of the extra fields. */
function appendCommonFields(fields: Fields, entry: EntryRecord, zip64: number[]): void {
  const { date, time } = dosTime(entry.modifiedAt)
  const size = Math.min(entry.size, UINT32_MAX)
  fields
    .uint16(FLAGS, METHOD_STORED, time, date)
    .uint32(
      entry.crc32,
      size, // compressed
      size, // uncompressed
    )
    .uint16(entry.path.length, extraLength(zip64))
}

// §4.5.3: the field of the local header must hold both sizes. That of the central header holds only the values that
// do not fit its own fields: both sizes, then the offset.
const localZip64Values = (size: number) => (needsZip64(size) ? [size, size] : [])
const centralZip64Values = (size: number, offset: number) =>
  needsZip64(offset) ? [...localZip64Values(size), offset] : localZip64Values(size)

const extraLength = (zip64: number[]) => zip64ExtraLength(zip64) + TIMESTAMP_EXTRA_LENGTH

const zip64ExtraLength = ({ length }: number[]) =>
  length === 0 ? 0 : EXTRA_HEADER_LENGTH + length * ZIP64_VALUE_LENGTH

function appendExtraFields(fields: Fields, { modifiedAt }: EntryRecord, zip64: number[]): void {
  if (zip64.length > 0) {
    fields.uint16(ZIP64_EXTRA_ID, zip64.length * ZIP64_VALUE_LENGTH).uint64(...zip64)
  }
  // Readers take the DOS time for a local one. The extended timestamp, a de-facto standard of Info-ZIP, is UTC. Every
  // entry has it, so that lengths do not depend on the time.
  fields
    .uint16(TIMESTAMP_EXTRA_ID, TIMESTAMP_DATA_LENGTH)
    .uint8(TIMESTAMP_HAS_MODIFIED)
    .uint32(unixTime(modifiedAt))
}

function versionNeeded({ isDirectory }: EntryRecord, zip64: number[]): number {
  if (zip64.length > 0) return VERSION_ZIP64
  return isDirectory ? VERSION_DIRECTORY : VERSION_DEFAULT
}

// §4.4.15: the mode is in the upper half by the convention of Unix.
const externalAttributes = ({ isDirectory }: EntryRecord) =>
  isDirectory ? DIRECTORY_MODE * 0x10000 + DOS_DIRECTORY : FILE_MODE * 0x10000

/** Returns whole seconds since 1970, clamped to 32 bits without a sign: February 2106. */
const unixTime = (milliseconds: number) => clamp(Math.floor(milliseconds / 1000), 0, UINT32_MAX)

const DOS_FIRST = Date.UTC(1980, 0, 1)
const DOS_LAST = Date.UTC(2107, 11, 31, 23, 59, 58)
const DOS_EPOCH_YEAR = 1980

/** Returns date and time in MS-DOS format (§4.4.6), UTC, in steps of two seconds, clamped to 1980 to 2107. */
function dosTime(milliseconds: number): { date: number; time: number } {
  const moment = new Date(clamp(milliseconds, DOS_FIRST, DOS_LAST))
  const year = moment.getUTCFullYear() - DOS_EPOCH_YEAR
  return {
    date: (year << 9) | ((moment.getUTCMonth() + 1) << 5) | moment.getUTCDate(),
    time: (moment.getUTCHours() << 11) | (moment.getUTCMinutes() << 5) | (moment.getUTCSeconds() >> 1),
  }
}

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most)

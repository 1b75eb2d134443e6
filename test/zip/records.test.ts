import { describe, expect, test } from 'bun:test'
import {
  centralHeader,
  centralHeaderLength,
  type EntryRecord,
  endRecords,
  endRecordsLength,
  localHeader,
  localHeaderLength,
} from '../../src/zip/records.ts'
import { writeZip } from '../../src/zip/writer.ts'
import { bytes, collect, directory, file, MODIFIED_AT } from './samples.ts'

const hex = (...fields: string[]) => fields.join('').replaceAll(' ', '')
const toHex = (record: Uint8Array) => Buffer.from(record).toString('hex')

const record = (overrides: Partial<EntryRecord> = {}): EntryRecord => ({
  path: bytes('a'),
  isDirectory: false,
  size: 5,
  crc32: 0x3610a686,
  modifiedAt: MODIFIED_AT,
  ...overrides,
})

// 2026-03-01 is 46 << 9 | 3 << 5 | 1; 12:34:56 is 12 << 11 | 34 << 5 | 28; together 0x69a43270 s since 1970.
const DOS_TIME_AND_DATE = '5c64 615c'
const TIMESTAMP = '5554 0500 01 7032a469'
const CRC32_OF_HELLO = '86a61036'

describe('writeZip() byte for byte', () => {
  test('an empty archive is its end record', async () => {
    const end = hex('504b0506', '0000 0000 0000 0000', '00000000 00000000', '0000')
    expect(toHex(await collect(writeZip([])))).toBe(end)
  })

  test('a directory and a file in it', async () => {
    const archive = await collect(writeZip([directory('d/'), file('d/hi', 'hello')]))

    const common = `0008 0000 ${DOS_TIME_AND_DATE}`
    const sizes = { directory: '00000000 00000000', file: '05000000 05000000' }
    expect(toHex(archive)).toBe(
      hex(
        `504b0304 1400 ${common} 00000000 ${sizes.directory} 0200 0900 642f ${TIMESTAMP}`,
        `504b0304 0a00 ${common} ${CRC32_OF_HELLO} ${sizes.file} 0400 0900 642f6869 ${TIMESTAMP}`,
        '68656c6c6f',
        `504b0102 2d03 1400 ${common} 00000000 ${sizes.directory} 0200 0900`,
        `0000 0000 0000 1000ed41 00000000 642f ${TIMESTAMP}`,
        `504b0102 2d03 0a00 ${common} ${CRC32_OF_HELLO} ${sizes.file} 0400 0900`,
        `0000 0000 0000 0000a481 29000000 642f6869 ${TIMESTAMP}`,
        '504b0506 0000 0000 0200 0200 74000000 59000000 0000',
      ),
    )
  })
})

describe('localHeader()', () => {
  test('moves both sizes to the ZIP64 extra field when 32 bits do not suffice', () => {
    expect(toHex(localHeader(record({ size: 0x123456789 })))).toBe(
      hex(
        `504b0304 2d00 0008 0000 ${DOS_TIME_AND_DATE} ${CRC32_OF_HELLO} ffffffff ffffffff 0100 1d00 61`,
        `0100 1000 8967452301000000 8967452301000000 ${TIMESTAMP}`,
      ),
    )
  })

  test.each([
    [0xfffffffe, 40],
    [0xffffffff, 60],
    [0x100000000, 60],
  ])('for a size of %d has %i bytes', (size, length) => {
    expect(localHeader(record({ size }))).toHaveLength(length)
    expect(localHeaderLength(1, size)).toBe(length)
  })

  test.each([
    ['before DOS dates begin', Date.UTC(1979, 11, 31, 23, 59, 59), '0000 2100', 'ffa5ce12'],
    ['at the first DOS date', Date.UTC(1980, 0, 1), '0000 2100', '00a6ce12'],
    ['before 1970', -1, '0000 2100', '00000000'],
    ['in an odd second with a fraction', MODIFIED_AT + 1999.5, DOS_TIME_AND_DATE, '7132a469'],
    ['on a leap day', Date.UTC(2028, 1, 29, 0, 0, 2), '0100 5d60', '82e8656d'],
    ['past the 32 bits of the timestamp', Date.UTC(2107, 11, 31, 23, 59, 59), '7dbf 9fff', 'ffffffff'],
    ['past the last DOS date', Date.UTC(2200, 5, 1), '7dbf 9fff', 'ffffffff'],
  ])('encodes a time %s in UTC', (_, modifiedAt, dos, unix) => {
    const header = toHex(localHeader(record({ modifiedAt })))

    expect(header.slice(20, 28)).toBe(hex(dos))
    expect(header.slice(-8)).toBe(unix)
  })

  test.each([-1, 2 ** 32])('refuses %d for a CRC-32', (crc32) => {
    expect(() => localHeader(record({ crc32 }))).toThrow(RangeError)
  })
})

describe('centralHeader()', () => {
  const start = `504b0102 2d03 2d00 0008 0000 ${DOS_TIME_AND_DATE} ${CRC32_OF_HELLO}`
  const attributes = '0000 0000 0000 0000a481'

  test.each([
    [
      'only the sizes',
      { size: 0x123456789, offset: 7 },
      `ffffffff ffffffff 0100 1d00 ${attributes} 07000000 61 0100 1000 8967452301000000 8967452301000000`,
    ],
    [
      'only the offset',
      { size: 5, offset: 0x200000003 },
      `05000000 05000000 0100 1500 ${attributes} ffffffff 61 0100 0800 0300000002000000`,
    ],
    [
      'sizes and offset',
      { size: 0x123456789, offset: 0x200000003 },
      `ffffffff ffffffff 0100 2500 ${attributes} ffffffff 61
       0100 1800 8967452301000000 8967452301000000 0300000002000000`.replaceAll('\n', ''),
    ],
  ])('moves %s to the ZIP64 extra field', (_, { size, offset }, rest) => {
    expect(toHex(centralHeader(record({ size }), offset))).toBe(hex(start, rest, TIMESTAMP))
  })

  test.each([
    [0xfffffffe, 0xfffffffe, 56],
    [0xffffffff, 0xfffffffe, 76],
    [0xfffffffe, 0xffffffff, 68],
    [0xffffffff, 0xffffffff, 84],
  ])('for a size of %d at offset %d has %i bytes', (size, offset, length) => {
    expect(centralHeader(record({ size }), offset)).toHaveLength(length)
    expect(centralHeaderLength(1, size, offset)).toBe(length)
  })
})

describe('endRecords()', () => {
  test('writes ZIP64 records for values beyond the end record', () => {
    const extent = { entries: 0x10002, offset: 0x123456789, length: 0x345678 }

    expect(toHex(endRecords(extent))).toBe(
      hex(
        '504b0606 2c00000000000000 2d03 2d00 00000000 00000000',
        '0200010000000000 0200010000000000 7856340000000000 8967452301000000',
        '504b0607 00000000 01be792301000000 01000000',
        '504b0506 0000 0000 ffff ffff 78563400 ffffffff 0000',
      ),
    )
  })

  test.each([
    [{ entries: 0xfffe, offset: 0xfffffffe, length: 0xfffffffe }, 22],
    [{ entries: 0xffff, offset: 0, length: 0 }, 98],
    [{ entries: 0, offset: 0xffffffff, length: 0 }, 98],
    [{ entries: 0, offset: 0, length: 0xffffffff }, 98],
  ])('for %j has %i bytes', (extent, length) => {
    expect(endRecords(extent)).toHaveLength(length)
    expect(endRecordsLength(extent)).toBe(length)
  })
})

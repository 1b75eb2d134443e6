import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ZipEntry } from '../../src/zip/entry.ts'
import { ZipLength } from '../../src/zip/length.ts'
import { writeZip } from '../../src/zip/writer.ts'
import { forAll } from '../support/for-all.ts'
import { inMemory, parseArchive } from './parse-archive.ts'
import { collect, directory, file, GIB, MIB, zeros } from './samples.ts'
import { SparseArchive } from './sparse-archive.ts'

const UINT32_MAX = 0xffffffff
/** Bytes of a local header with a path of one byte and no ZIP64 field. */
const LOCAL_HEADER = 40

function predict(entries: Iterable<ZipEntry>): number {
  const length = new ZipLength()
  for (const { path, size } of entries) length.add({ path, size })
  return length.total()
}

/** Writes the archive and checks that its length is the predicted one. */
async function writeSparse(entries: ZipEntry[]): Promise<SparseArchive> {
  const archive = await SparseArchive.from(writeZip(entries))
  expect(archive.length).toBe(predict(entries))
  return archive
}

const SEGMENT = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((segment) => !/^\.\.?$|[/\\\0]/.test(segment) && segment.isWellFormed())
const PATH = fc.array(SEGMENT, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))

const SIZE = fc.oneof(
  { weight: 60, arbitrary: fc.nat(3000) },
  { weight: 30, arbitrary: fc.nat(3 * MIB) },
  { weight: 1, arbitrary: fc.integer({ min: UINT32_MAX - 200, max: UINT32_MAX + 2 }) },
)
const FILE = fc.tuple(PATH, SIZE).map(([path, size]) => zeros(path, size))
const DIRECTORY = PATH.map((path) => directory(`${path}/`))
const ENTRY = fc.oneof({ weight: 9, arbitrary: FILE }, { weight: 1, arbitrary: DIRECTORY })
const ENTRIES = fc.array(ENTRY, { maxLength: 20 })

describe('ZipLength', () => {
  test('predicts the length of any archive, and the archive lists its entries', async () => {
    await forAll(ENTRIES, { numRuns: 200 }, async (entries) => {
      const parsed = parseArchive(await writeSparse(entries)).entries

      const listed = parsed.map(({ path, size, crc32 }) => ({ path, size, crc32 }))
      expect(listed).toEqual(entries.map(({ path, size, crc32 }) => ({ path, size, crc32 })))
    })
  })

  test('returns the length so far while entries are still added', async () => {
    const length = new ZipLength()
    const empty = length.total()
    length.add({ path: 'a', size: 5 })

    expect(empty).toBe(22)
    expect(length.total()).toBe((await collect(writeZip([file('a', 'hello')]))).length)
  })

  test('refuses the same entries as the writer', () => {
    expect(() => new ZipLength().add({ path: '../a', size: 5 })).toThrow(RangeError)
  })
})

describe('an archive past the limits of 32 and 16 bits', () => {
  test.each([
    [UINT32_MAX - 1, 0, [10, 10]],
    [UINT32_MAX, 2, [45, 45]],
    [5 * GIB, 2, [45, 45]],
  ])('a file of %d bytes has %i ZIP64 values in each header', async (size, values, [local, central]) => {
    const parsed = parseArchive(await writeSparse([zeros('a', size)]))

    expect(parsed.entries).toMatchObject([
      { path: 'a', size, zip64: { local: values, central: values }, versions: { local, central } },
    ])
    expect(parsed.hasZip64End).toBe(true)
  })

  test.each([
    [UINT32_MAX - 1, 0, 10],
    [UINT32_MAX, 1, 45],
  ])('a file at byte %d has %i ZIP64 values in its central header', async (offset, values, version) => {
    const parsed = parseArchive(await writeSparse([zeros('a', offset - LOCAL_HEADER), file('b', 'hello')]))

    expect(parsed.entries).toMatchObject([
      { path: 'a', size: offset - LOCAL_HEADER, zip64: { local: 0, central: 0 } },
      { path: 'b', offset, zip64: { local: 0, central: values }, versions: { local: 10, central: version } },
    ])
  })

  test.each([
    [UINT32_MAX - 1, false],
    [UINT32_MAX, true],
  ])('a central directory at byte %d has ZIP64 records: %p', async (offset, hasZip64End) => {
    const parsed = parseArchive(await writeSparse([zeros('a', offset - LOCAL_HEADER)]))

    expect(parsed.hasZip64End).toBe(hasZip64End)
  })

  test.each([
    [65_534, false],
    [65_535, true],
    [65_536, true],
  ])('%d entries have ZIP64 records: %p', async (count, hasZip64End) => {
    const entries = Array.from({ length: count }, (_, index) => file(`f${index}`, ''))
    expect(predict(entries)).toBe((await collect(writeZip(entries))).length)
    const parsed = parseArchive(inMemory(await collect(writeZip(entries))))

    expect(parsed.entries).toHaveLength(count)
    expect(parsed.entries.at(-1)).toMatchObject({ path: `f${count - 1}`, size: 0 })
    expect(parsed.hasZip64End).toBe(hasZip64End)
  })

  test('many small files make more than 4 GiB', async () => {
    const entries = Array.from({ length: 5 * 1024 }, (_, index) => zeros(`f${index}`, MIB))
    const parsed = parseArchive(await writeSparse(entries))

    const wide = parsed.entries.filter(({ zip64 }) => zip64.central > 0)
    expect(wide.map(({ zip64 }) => zip64)).toEqual(wide.map(() => ({ local: 0, central: 1 })))
    expect(wide[0]?.offset).toBeGreaterThanOrEqual(UINT32_MAX)
    expect(wide).toHaveLength(parsed.entries.filter(({ offset }) => offset >= UINT32_MAX).length)
    expect(parsed.entries).toHaveLength(entries.length)
  })
})

import { describe, expect, test } from 'bun:test'
import { deflateRawSync } from 'node:zlib'
import { Unzip, UnzipInflate } from 'fflate'
import { ZipError, ZipTooLargeError } from '../../src/zip/error.ts'
import { readZip } from '../../src/zip/reader.ts'
import { writeZip } from '../../src/zip/writer.ts'
import { rounds } from '../support/eventually.ts'
import { type ArchiveOptions, type BuiltEntry, buildArchive, slices, zip64Extra } from './build-archive.ts'
import { collect, directory, file, GIB, MIB, zeros } from './samples.ts'

const LIMITS = { maxRatio: 200 }

async function* stream(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks
}

/** Returns the paths and contents of an archive; null for a directory. */
async function contentsOf(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<[string, string | null][]> {
  const contents: [string, string | null][] = []
  for await (const { path, isDirectory, body } of readZip(stream(chunks), LIMITS)) {
    contents.push([path, isDirectory ? null : Buffer.from(await collect(body)).toString()])
  }
  return contents
}

const failureOf = (chunks: Parameters<typeof contentsOf>[0]) =>
  contentsOf(chunks).catch((error: unknown) => error)

const TEXT = 'hello, hello, hello, hello'
/** An entry with the text. */
const a: BuiltEntry = { path: 'a', content: TEXT }
const NESTED = buildArchive([{ path: 'inside', content: TEXT, descriptor: 'signed' }])
/** Bytes in blocks that deflate stores, as it does with compressed data. */
const UNCOMPRESSED = deflateRawSync(NESTED, { level: 0 })

const x = (path: string): BuiltEntry => ({ path, content: 'x' })

const KINDS: [string, BuiltEntry[], ArchiveOptions?][] = [
  ['nothing', []],
  ['stored and deflated files', [a, { ...a, path: 'b/c', deflated: true }]],
  ['directories', [{ path: 'd/' }, { path: 'd/e/', deflated: true, mode: 0o040755 }]],
  ['empty files', [{ path: 'a' }, { path: 'b', deflated: true }, { path: 'c', descriptor: 'signed' }]],
  ['names in UTF-8', [{ ...a, path: 'ä 日本 🙂', local: { flags: 1 << 11 } }, x('\ufeffé')]],
  ['names that lead anywhere', [x('/../x\\y'), x(''), { path: '', content: 'y' }]],
  ['a comment', [a], { comment: 'PK\x05\x06 and more' }],
  ['a directory in another order', [x('a'), { path: 'b', content: 'y' }], { listed: [1, 0] }],
  ['ZIP64 records', [a], { zip64: true }],
  [
    'ZIP64 sizes',
    [
      {
        ...a,
        local: { size: 0xffffffff, compressed: 0xffffffff, extra: zip64Extra(TEXT.length, TEXT.length) },
        central: { size: 0xffffffff, extra: zip64Extra(TEXT.length) },
      },
    ],
  ],
  [
    'other extra fields, also broken ones',
    [
      {
        ...a,
        local: { extra: new Uint8Array([0xca, 0xfe, 1, 0, 7, 0, 0]) },
        central: { extra: new Uint8Array([0xca, 0xfe, 0xff, 0xff]) },
      },
    ],
  ],
  ...(['signed', 'unsigned', 'signed ZIP64', 'unsigned ZIP64'] as const).map(
    (descriptor): [string, BuiltEntry[]] => [
      `${descriptor} data descriptors`,
      [
        { ...a, deflated: true, descriptor },
        { path: 'empty', deflated: true, descriptor },
        { path: 'b', content: NESTED, raw: UNCOMPRESSED, deflated: true, descriptor },
        { path: 'known', content: TEXT, descriptor, local: { compressed: TEXT.length } },
      ],
    ],
  ),
  ...(['signed', 'signed ZIP64'] as const).map((descriptor): [string, BuiltEntry[]] => [
    `stored files with ${descriptor} data descriptors`,
    [
      { ...a, descriptor },
      { path: 'archive.zip', content: NESTED, descriptor },
      { path: 'signatures', content: 'PK\x07\x08'.repeat(20), descriptor },
    ],
  ]),
]

const FORMS = KINDS.map(([name, entries, options = {}]) => [name, entries, options] as const)

const decode = (bytes: string | Uint8Array) => Buffer.from(bytes).toString()

describe('readZip()', () => {
  test.each(FORMS)('reads %s, wherever the archive is cut into chunks', async (_, entries, options) => {
    const archive = buildArchive(entries, options)
    const expected = entries.map(({ path, content = '' }): [string, string | null] => [
      decode(path),
      decode(path).endsWith('/') ? null : decode(content),
    ])

    expect(await contentsOf([archive])).toEqual(expected)
    expect(await contentsOf(slices(archive, 1))).toEqual(expected)
    for (let at = 1; at < archive.length; at += 1) {
      expect(await contentsOf([archive.subarray(0, at), archive.subarray(at)])).toEqual(expected)
    }
  })

  test.each(FORMS)('refuses %s cut short anywhere', async (_, entries, options) => {
    const archive = buildArchive(entries, options)

    for (let length = 0; length < archive.length; length += 1) {
      expect(await failureOf([archive.subarray(0, length)])).toBeInstanceOf(ZipError)
    }
  })

  test('reads what our own writer writes', async () => {
    const contents = Object.entries({ 'files/': null, 'files/ä': 'one', 'files/d/': null, 'files/d/b': '' })
    const entries = contents.map(([path, text]) => (text === null ? directory(path) : file(path, text)))

    expect(await contentsOf([await collect(writeZip(entries))])).toEqual(contents)
  })

  test('reads an entry over 4 GiB and one behind it, without holding them', async () => {
    const archive = writeZip([zeros('large', 4 * GIB + 1), file('behind', 'hello')])
    const sizes: [string, number][] = []

    for await (const { path, body } of readZip(archive, LIMITS)) {
      let size = 0
      for await (const { length } of body) size += length
      sizes.push([path, size])
    }

    expect(sizes).toEqual([
      ['large', 4 * GIB + 1],
      ['behind', 5],
    ])
  })
})

const one = (entry: Partial<BuiltEntry>, options?: ArchiveOptions) =>
  buildArchive([{ path: 'a', content: TEXT, ...entry }], options)

function changed(archive: Buffer<ArrayBuffer>, at: number): Buffer<ArrayBuffer> {
  const copy = Buffer.from(archive)
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
  return copy
}

const [UNLIKE_DIRECTORY, UNLIKE_END] = ['is not what the directory', 'its last record does not match']
const UNPACKABLE = 'cannot be unpacked'
const ALL = 0xffffffff
const deflated = (raw: Uint8Array, entry?: Partial<BuiltEntry>) => one({ ...entry, deflated: true, raw })

const HOSTILE: [string, Uint8Array, string][] = [
  ['an empty body', new Uint8Array(), 'it ends too early'],
  ['a page of HTML', Buffer.from('<!doctype html><title>Not found</title>'), 'no ZIP record at byte 0'],
  ['something before the first entry', one({}, { before: 'MZ self-extracting' }), 'no ZIP record at byte 0'],
  [
    'something between entries and directory',
    Buffer.concat([one({}).subarray(0, 57), Buffer.from('junk'), one({}).subarray(57)]),
    'no ZIP record at byte 57',
  ],
  ['something behind the end', one({}, { behind: 'x' }), 'there is data after its end'],
  ['two archives in a row', Buffer.concat([one({}), one({})]), 'there is data after its end'],
  ['an encrypted entry', one({ local: { flags: 1 } }), 'the entry "a" is encrypted'],
  ['a strongly encrypted entry', one({ local: { flags: 1 | (1 << 6) } }), 'encrypted'],
  ['an entry with masked headers', one({ local: { flags: 1 << 13 } }), 'encrypted'],
  ['a patch', one({ local: { flags: 1 << 5 } }), 'a patch'],
  ['bzip2', one({ local: { method: 12 }, central: { method: 12 } }), '"a" is compressed by method 12'],
  ['a name that is not UTF-8', one({ path: Buffer.from('gr\xfcn', 'latin1') }), '"grün" is not UTF-8'],
  ['a changed byte', changed(one({}), 31), '"a" is damaged: it does not match its checksum'],
  [
    'a changed byte before a descriptor',
    changed(deflated(deflateRawSync(TEXT, { level: 0 }), { descriptor: 'signed' }), 40),
    '"a" is damaged',
  ],
  ['bytes that deflate cannot make', deflated(Buffer.alloc(20, 0xff)), `"a" is damaged: it ${UNPACKABLE}`],
  ['deflated bytes without their end', deflated(deflateRawSync(TEXT).subarray(0, -3)), UNPACKABLE],
  ['bytes behind deflated ones', deflated(Buffer.of(...deflateRawSync(TEXT), 1, 2, 3)), UNPACKABLE],
  ['no deflated bytes at all', deflated(new Uint8Array()), UNPACKABLE],
  ['a size that is not the content’s', one({ local: { size: 5 }, central: { size: 5 } }), 'does not match'],
  [
    'a size in front that its descriptor denies',
    one({ deflated: true, descriptor: 'signed', local: { size: 5 } }),
    'does not match',
  ],
  ['a missing ZIP64 field', one({ local: { size: ALL } }), '"a" has no ZIP64 sizes'],
  [
    'a ZIP64 size past all numbers',
    one({ local: { compressed: ALL, extra: Buffer.of(1, 0, 8, 0, ...Buffer.alloc(8, 0xff)) } }),
    'it ends too early',
  ],
  ['a folder with bytes', one({ path: 'a/' }), '"a/" is a folder with bytes'],
  ['a link', one({ mode: 0o120777 }), '"a" is a link or a device'],
  ['a device', one({ mode: 0o060644 }), 'a link or a device'],
  ['a pipe', one({ mode: 0o010644 }), 'a link or a device'],
  ['another name in the directory', one({ central: { path: 'b' } }), '"b" is not what the directory'],
  ['another size in the directory', one({ central: { size: 5 } }), UNLIKE_DIRECTORY],
  ['another compressed size in the directory', one({ central: { compressed: 5 } }), UNLIKE_DIRECTORY],
  ['another checksum in the directory', one({ central: { crc32: 5 } }), UNLIKE_DIRECTORY],
  ['another method in the directory', one({ central: { method: 8 } }), UNLIKE_DIRECTORY],
  ['another place in the directory', one({ offset: 1 }), UNLIKE_DIRECTORY],
  ['an entry that the directory does not list', one({}, { listed: [] }), '"a" is not in the directory'],
  ['an entry that the directory lists twice', one({}, { listed: [0, 0] }), UNLIKE_DIRECTORY],
  ['another count at the end', one({}, { end: { entries: 2 } }), UNLIKE_END],
  ['another directory length at the end', one({}, { end: { length: 2 } }), UNLIKE_END],
  ['another directory offset at the end', one({}, { end: { offset: 2 } }), UNLIKE_END],
  ['one of several disks', one({}, { end: { disk: 1 } }), UNLIKE_END],
  ['another ZIP64 count at the end', one({}, { zip64: true, end: { entries: 2 } }), UNLIKE_END],
  ['another ZIP64 offset at the end', one({}, { zip64: true, end: { offset: 2 } }), UNLIKE_END],
  ['an end that asks for ZIP64 and has none', one({}, { end: { entries: 0xffff } }), 'its last record'],
]

describe('readZip() refuses', () => {
  test.each(HOSTILE)('%s', async (_, archive, message) => {
    for (const length of [archive.length, 7, 1]) {
      const failure = await failureOf(slices(archive, Math.max(length, 1)))

      expect(failure).toBeInstanceOf(ZipError)
      expect(String(failure)).toContain(message)
    }
  })

  test.each([1, 4096, MIB])(
    'what unpacks to over 200 times its size, in chunks of %d bytes',
    async (length) => {
      const bomb = one({ content: new Uint8Array(20 * MIB), deflated: true })

      expect(await failureOf(slices(bomb, length))).toBeInstanceOf(ZipTooLargeError)
    },
  )

  test('many small bombs like a large one', async () => {
    const content = new Uint8Array(MIB)
    const bombs = Array.from({ length: 20 }, (_, n) => ({ path: `${n}`, content, deflated: true }))

    expect(await failureOf([buildArchive(bombs)])).toBeInstanceOf(ZipTooLargeError)
  })

  test('no archive that unpacks to at most 1 MiB', async () => {
    expect(await contentsOf([one({ content: new Uint8Array(MIB), deflated: true })])).toHaveLength(1)
  })
})

/** Chunks that record how many were read and whether the reader ended them. */
function watched(chunks: Iterable<Uint8Array>, failure?: Error) {
  const seen = { taken: 0, ended: false }
  async function* source() {
    try {
      for (const chunk of chunks) {
        seen.taken += 1
        yield chunk
      }
      if (failure) throw failure
    } finally {
      seen.ended = true
    }
  }
  return { seen, source: source() }
}

describe('readZip() as a stream', () => {
  test('reads a chunk only when the one before is consumed', async () => {
    const archive = buildArchive([{ path: 'a', content: crypto.getRandomValues(new Uint8Array(60_000)) }])
    const { seen, source } = watched(slices(archive, 1000))

    for await (const { body } of readZip(source, LIMITS)) {
      let read = 0
      for await (const { length } of body) {
        read += length
        await Bun.sleep(0)
        expect(seen.taken).toBeLessThanOrEqual(Math.ceil(read / 1000) + 1)
      }
    }
    expect(seen).toEqual({ taken: 61, ended: true })
  })

  test('unpacks no further than it is read', async () => {
    const { seen, source } = watched(slices(one({ content: Buffer.alloc(MIB, 'ab'), deflated: true }), 100))

    for await (const { body } of readZip(source, LIMITS)) {
      const bytes = body[Symbol.asyncIterator]()
      await bytes.next()
      await rounds()
      expect(seen.taken).toBeLessThan(5)
      break
    }
    expect(seen.ended).toBe(true)
  })

  test('throws the errors of its source, in an entry and behind the last', async () => {
    const abort = new DOMException('The client left', 'AbortError')
    for (const deflated of [true, false]) {
      const archive = one({ content: crypto.getRandomValues(new Uint8Array(1000)), deflated })

      const cut = failureOf(watched([archive.subarray(0, 500)], abort).source)
      const behind = failureOf(watched([archive], abort).source)

      expect(await cut).toBe(abort)
      expect(await behind).toBe(abort)
    }
  })

  test('reads an archive of many empty folders that arrives at once in slices', async () => {
    const folders = Array.from({ length: 4500 }, (_, n) => ({ path: `${n}/`, content: '' }))
    const archive = buildArchive(folders)
    let isRead = false
    let turns = 0
    const countTurn = () => {
      turns += 1
      if (!isRead) setImmediate(countTurn)
    }
    setImmediate(countTurn)

    let read = 0
    for await (const _ of readZip(stream([archive]), { maxRatio: 1 })) read += 1
    isRead = true

    expect(read).toBe(folders.length)
    // Four slices of a thousand headers before the bytes of entries, and four of the directory.
    expect(turns).toBeGreaterThanOrEqual(8)
  })

  test('refuses to pass over an entry', async () => {
    const entries = readZip(stream([one({})]), LIMITS)
    await entries.next()

    expect(entries.next()).rejects.toThrow('read to its end')
  })
})

// Guard: if this fails, fflate can replace our own parsing of headers.
test('fflate still finds files of a nested archive in a streamed one', () => {
  const archive = buildArchive([{ path: 'archive.zip', content: NESTED, descriptor: 'signed' }])
  const found: string[] = []
  const unzip = new Unzip((entry) => {
    found.push(entry.name)
    entry.ondata = () => {}
    entry.start()
  })
  unzip.register(UnzipInflate)

  unzip.push(archive, true)

  expect(found).toEqual(['archive.zip', 'inside'])
})

import { describe, expect, spyOn, test } from 'bun:test'
import { type Unzipped, unzipSync } from 'fflate'
import type { ZipContent, ZipEntry } from '../../src/zip/entry.ts'
import { writeZip } from '../../src/zip/writer.ts'
import { rounds } from '../support/eventually.ts'
import { bytes, collect, directory, file, MIB, zeros } from './samples.ts'

const HELLO = file('a', 'hello')

/** Returns the entry `hello`, whose content `open` opens. */
const opening = (open: () => ZipContent | Promise<ZipContent>): ZipEntry => ({ ...HELLO, open })

async function* stream(...chunks: string[]): AsyncGenerator<Uint8Array, void> {
  for (const chunk of chunks) yield bytes(chunk)
}

/** Reads an archive with another library. */
const readBack = async (entries: Iterable<ZipEntry>): Promise<Unzipped> =>
  unzipSync(await collect(writeZip(entries)))

describe('writeZip()', () => {
  test('writes files and directories that can be read back', async () => {
    const large = new Uint8Array(3 * MIB + 1).map((_, index) => index % 251)

    const name = 'd/ä 日本 🙂.txt'
    const files = [file(name, 'hello'), file('d/empty', ''), file('e', large)]

    const expected = { 'd/': new Uint8Array(), [name]: bytes('hello'), 'd/empty': bytes(''), e: large }
    expect(await readBack([directory('d/'), ...files])).toEqual(expected)
  })

  test.each<[string, () => ZipContent | Promise<ZipContent>]>([
    ['bytes', () => bytes('hello')],
    ['a promise of bytes', async () => bytes('hello')],
    ['a stream', () => stream('he', '', 'llo')],
    ['a promise of a stream', async () => stream('hello')],
    ['a web stream', () => new Blob(['hello']).stream()],
  ])('takes %s as content', async (_, open) => {
    expect(await readBack([opening(open)])).toEqual({ a: bytes('hello') })
  })

  test('accepts entries that arrive over time', async () => {
    async function* entries() {
      yield HELLO
      await rounds(2)
      yield directory('d/')
    }

    expect(await collect(writeZip(entries()))).toEqual(await collect(writeZip([HELLO, directory('d/')])))
  })

  test('writes the same bytes however content is cut', async () => {
    const whole = await collect(writeZip([HELLO, zeros('z', 300_000)]))

    expect(await collect(writeZip([HELLO, zeros('z', 300_000)]))).toEqual(whole)
    const cut = [opening(() => stream('h', 'ello')), zeros('z', 300_000, 77)]
    expect(await collect(writeZip(cut))).toEqual(whole)
  })
})

describe('writeZip() with content that differs from its headers', () => {
  test.each<[string, () => ZipContent, string]>([
    ['bytes too short', () => bytes('hell'), 'it has 4 bytes instead of 5'],
    ['a stream too short', () => stream('he', 'll'), 'it has 4 bytes instead of 5'],
    ['an empty stream', () => stream(), 'it has 0 bytes instead of 5'],
    ['bytes too long', () => bytes('hello!'), 'it has more than 5 bytes'],
    ['a stream too long', () => stream('hello', '!'), 'it has more than 5 bytes'],
    ['other bytes', () => bytes('hallo'), 'its bytes are not those of its CRC-32'],
    ['a stream of other bytes', () => stream('ha', 'llo'), 'its bytes are not those of its CRC-32'],
  ])('breaks off at %s', async (_, open, state) => {
    const archive = collect(writeZip([opening(open), file('b', 'never opened')]))
    await expect(archive).rejects.toThrow(`Cannot archive "a": ${state}`)
  })

  test('breaks off at a file with nothing to open and at a directory with content', async () => {
    const unopened: ZipEntry = { path: 'a', size: 5, crc32: HELLO.crc32, modifiedAt: 0 }

    const filled = { ...directory('d/'), open: () => bytes('x') }

    await expect(collect(writeZip([unopened]))).rejects.toThrow('it has 0 bytes instead of 5')
    await expect(collect(writeZip([filled]))).rejects.toThrow('it has more than 0 bytes')
  })

  test('yields no byte past the promised size, and ends the content that sends more', async () => {
    let ended = false
    async function* tooMuch() {
      try {
        for (let index = 0; index < 9; index += 1) yield new Uint8Array(MIB)
      } finally {
        ended = true
      }
    }
    let content = 0
    const read = async () => {
      const entry = { ...zeros('z', 3 * MIB), open: tooMuch }
      for await (const chunk of writeZip([entry])) if (chunk.length === MIB) content += chunk.length
    }

    await expect(read()).rejects.toThrow('it has more than 3145728 bytes')
    expect(content).toBe(3 * MIB)
    expect(ended).toBe(true)
  })

  test('throws the errors of content and entries', async () => {
    const failing = () => {
      throw new Error('no such file')
    }
    async function* entries() {
      yield HELLO
      throw new Error('no more entries')
    }

    await expect(collect(writeZip([opening(failing)]))).rejects.toThrow('no such file')
    await expect(collect(writeZip(entries()))).rejects.toThrow('no more entries')
  })

  test('refuses an entry that would be extracted elsewhere, without opening it', async () => {
    let opened = false
    const open = () => {
      opened = true
      return bytes('hello')
    }

    await expect(collect(writeZip([{ ...HELLO, path: '../a', open }]))).rejects.toThrow(RangeError)
    expect(opened).toBe(false)
  })
})

/** Files of `chunks` MiB that record how far they were read and whether they were closed. */
class Recorder {
  taken = 0
  readonly opened: string[] = []
  readonly closed: string[] = []
  entriesEnded = false

  async *#read({ path }: ZipEntry, chunks: number): AsyncGenerator<Uint8Array, void> {
    this.opened.push(path)
    try {
      for (let index = 0; index < chunks; index += 1) {
        this.taken += 1
        yield new Uint8Array(MIB)
      }
    } finally {
      this.closed.push(path)
    }
  }

  *entries(count: number, chunks: number): Generator<ZipEntry, void> {
    try {
      for (let index = 0; index < count; index += 1) {
        const entry = zeros(`f${index}`, chunks * MIB)
        yield { ...entry, open: () => this.#read(entry, chunks) }
      }
    } finally {
      this.entriesEnded = true
    }
  }
}

describe('writeZip() as a stream', () => {
  test('does nothing before it is read', async () => {
    const recorder = new Recorder()
    writeZip(recorder.entries(2, 2))
    await rounds()

    expect(recorder.opened).toEqual([])
  })

  test('reads content only as fast as the archive is read, one entry at a time', async () => {
    const recorder = new Recorder()
    let content = 0
    for await (const chunk of writeZip(recorder.entries(3, 4))) {
      await rounds(2)
      if (chunk.length === MIB) content += 1
      expect(recorder.taken).toBeLessThanOrEqual(content + 1)
      expect(recorder.opened.length - recorder.closed.length).toBeLessThanOrEqual(1)
    }

    expect(content).toBe(12)
    expect(recorder.closed).toEqual(['f0', 'f1', 'f2'])
    expect(recorder.entriesEnded).toBe(true)
  })

  test('closes the current content and the entries when its reader stops', async () => {
    const recorder = new Recorder()
    let content = 0
    for await (const chunk of writeZip(recorder.entries(3, 4))) {
      if (chunk.length === MIB) content += 1
      if (content === 6) break
    }

    expect(recorder.opened).toEqual(['f0', 'f1'])
    expect(recorder.closed).toEqual(['f0', 'f1'])
    expect(recorder.entriesEnded).toBe(true)
  })

  test('frees its directory when its reader stops', async () => {
    // Each entry has 55 bytes and its path in the directory, which is held in blocks of 64 KiB.
    const entries = Array.from({ length: 3500 }, (_, n) => file(String(n).padStart(64, 'x'), ''))
    const transfer = spyOn(ArrayBuffer.prototype, 'transfer')
    try {
      const archive = writeZip([...entries, { ...zeros('z', MIB) }])
      for await (const chunk of archive) if (chunk.length === MIB) break

      const freed = transfer.mock.calls.filter(([length]) => length === 0)
      expect(freed).toHaveLength(Math.floor((3500 * (55 + 64)) / (64 * 1024)))
    } finally {
      transfer.mockRestore()
    }
  })

  test('cancels a web stream when its reader stops', async () => {
    let canceled = false
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => controller.enqueue(new Uint8Array(MIB)),
      cancel: () => {
        canceled = true
      },
    })
    const entry = { ...zeros('z', 9 * MIB), open: () => body }
    for await (const chunk of writeZip([entry])) if (chunk.length === MIB) break

    expect(canceled).toBe(true)
  })

  test('passes large chunks on without a copy', async () => {
    const content = new Uint8Array(64 * 1024).fill(7)
    const chunks = await Array.fromAsync(writeZip([file('a', content), file('b', content)]))

    expect(chunks.filter((chunk) => chunk.buffer === content.buffer)).toHaveLength(2)
  })

  test('gathers small files and records in chunks of up to 256 KiB', async () => {
    const entries = Array.from({ length: 5000 }, (_, index) => file(`f${index}`, 'x'.repeat(index % 100)))
    const lengths = await Array.fromAsync(writeZip(entries), ({ length }) => length)
    const total = lengths.reduce((sum, length) => sum + length, 0)

    expect(Math.max(...lengths)).toBeLessThanOrEqual(256 * 1024)
    expect(Math.min(...lengths)).toBeGreaterThan(0)
    expect(lengths.length).toBeLessThanOrEqual(Math.ceil(total / (64 * 1024)))
  })
})

import { readContent } from './content.ts'
import type { Measured } from './descriptor.ts'
import { checkDirectory, type UnpackedEntry } from './directory.ts'
import { malformedEntry, ZipTooLargeError } from './error.ts'
import { type LocalHeader, readLocalHeader } from './headers.ts'
import { ZipInput } from './input.ts'
import { LOCAL_HEADER_SIGNATURE } from './records.ts'

/**
 * A file or a directory as it comes out of an archive. `path` is what the archive says, well-formed Unicode and
 * nothing more: it may be empty, lead anywhere and come twice. A directory's ends with `/`.
 *
 * `body` can be read once, and must be read to its end before the next entry is asked for.
 */
interface ReadEntry {
  path: string
  isDirectory: boolean
  body: AsyncIterable<Uint8Array>
}

interface UnzipLimits {
  /** How many times the bytes that have arrived an archive may unpack to, beside 1 MiB. */
  maxRatio: number
}

/** What an archive may unpack to, in bytes, however few have arrived. */
const FREE_BYTES = 1024 ** 2

/**
 * Unpacks an archive as it arrives. It is complete only when the generator is: then the central directory,
 * which comes last, was seen to list exactly these entries, with these checksums, and nothing else was in the
 * archive, before it or behind it.
 *
 * Headers are read here and not by fflate, which guesses where streamed entries end, and so finds the files of
 * an archive that is inside the archive.
 *
 * Of the archive one chunk is held, and of each entry its path and a few numbers: whoever takes them decides
 * how many there may be. The next chunk is taken from `source` only when the one before has been consumed.
 * When the reader or its caller stops early, `source` is told so through its iterator's `return()`.
 *
 * @throws {ZipError} If the archive is malformed, cut short or cannot be unpacked: then no entry may be
 * believed. If it exceeds a limit it is a `ZipTooLargeError`.
 */
export async function* readZip(
  source: AsyncIterable<Uint8Array>,
  { maxRatio }: UnzipLimits,
): AsyncGenerator<ReadEntry, void> {
  const input = new ZipInput(source)
  const entries = new Map<number, UnpackedEntry>()
  let unpacked = 0
  const count = (bytes: number) => {
    unpacked += bytes
    if (unpacked > maxRatio * input.received + FREE_BYTES)
      throw new ZipTooLargeError(`The archive unpacks to more than ${maxRatio} times its own size`)
  }
  try {
    while (await input.hasNext(LOCAL_HEADER_SIGNATURE)) {
      const header = await readLocalHeader(input)
      const entry = { path: header.path, method: header.method, crc32: 0, compressed: 0, size: 0 }
      const body = readBody(input, header, { measured: entry, count })
      const isDirectory = header.path.endsWith('/')
      if (isDirectory) for await (const _ of body) throw malformedEntry(header.path, 'is a folder with bytes')
      yield { path: header.path, isDirectory, body }
      if (!(await body.next()).done) throw new Error('An entry must be read to its end before the next')
      entries.set(header.offset, entry)
    }
    await checkDirectory(input, entries)
  } finally {
    await input.close()
  }
}

interface Counting {
  measured: Measured
  count: (bytes: number) => void
}

async function* readBody(
  input: ZipInput,
  header: LocalHeader,
  { measured, count }: Counting,
): AsyncGenerator<Uint8Array, void> {
  for await (const bytes of readContent(input, header, measured)) {
    count(bytes.length)
    yield bytes
  }
}

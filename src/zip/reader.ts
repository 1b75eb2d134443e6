import { endOfSlice } from '../platform/time.ts'
import { readContent } from './content.ts'
import type { Measured } from './descriptor.ts'
import { checkDirectory, type UnpackedEntry } from './directory.ts'
import { malformedEntry, ZipTooLargeError } from './error.ts'
import { type LocalHeader, readLocalHeader } from './headers.ts'
import { ZipInput } from './input.ts'
import { LOCAL_HEADER_SIGNATURE } from './records.ts'

/**
 * File or directory from an archive. `path` is well-formed Unicode, but not validated otherwise: it may be empty, lead
 * anywhere and come twice. A directory's ends with `/`.
 *
 * `body` can be read once, and must be read to its end before the next entry is requested.
 */
interface ReadEntry {
  path: string
  isDirectory: boolean
  body: AsyncIterable<Uint8Array>
}

interface UnzipLimits {
  /** Largest ratio of unpacked bytes, beyond 1 MiB, to bytes that have arrived. */
  maxRatio: number
}

/** Bytes that an archive may unpack to regardless of the ratio. */
const FREE_BYTES = 1024 ** 2

/**
 * Unpacks an archive as it arrives. Its entries are valid only when the generator ends. Then the central directory,
 * which comes last, listed exactly these entries with these checksums, and the archive had nothing else.
 *
 * Headers are read here and not by fflate, which guesses the ends of streamed entries. It finds the files of an archive
 * inside the archive.
 *
 * Memory holds one chunk of the archive, and the path and a few numbers of each entry: the caller limits their number.
 * A chunk is consumed before the next is read from `source`. If the reader or its caller stops early, the `return()` of
 * the iterator of `source` is called.
 *
 * @throws {ZipError} If the archive is malformed, cut short or cannot be unpacked: then no entry is valid. If it
 * exceeds a limit it is a `ZipTooLargeError`.
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
    for (let index = 0; await input.hasNext(LOCAL_HEADER_SIGNATURE); index += 1) {
      await endOfSlice(index)
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

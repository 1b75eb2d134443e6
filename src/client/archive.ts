import { deflateSync, Zip, ZipDeflate } from 'fflate'
import { type Reading, read } from './content.ts'
import type { TreeFile } from './types.ts'

/** Limits of an archive without ZIP64, which fflate does not write. */
const MAX_FILES = 65_535
const MAX_BYTES = 2 ** 32 - 1

/** Sample at the beginning of a file, in bytes, that decides about compression. */
const SAMPLE_BYTES = 64 * 1024
/**
 * Maximum share of the sample that may be left for compression to pay. Pictures, films and archives keep nearly
 * all.
 */
const WORTHWHILE = 0.9
const LEVEL = 6

/** Writes files into a ZIP archive, one after the other. Compresses those that become smaller. */
export async function* writeArchive(
  files: readonly TreeFile[],
  reading: Reading,
): AsyncGenerator<Uint8Array> {
  const refuse = (message: string) => {
    const error = new RangeError(message)
    reading.failure = { error }
    throw error
  }
  if (files.length > MAX_FILES) refuse(`An archive holds at most ${MAX_FILES} files`)
  let written: Uint8Array[] = []
  let bytes = 0
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    bytes += chunk.length
    if (bytes > MAX_BYTES) refuse('An archive holds at most 4 GiB')
    written.push(chunk)
  })
  const drain = () => {
    const chunks = written
    written = []
    return chunks
  }
  for (const { path, content } of files) {
    let entry: ZipDeflate | undefined
    for await (const chunk of read(content, reading)) {
      entry ??= open(zip, path, chunk)
      entry.push(chunk)
      yield* drain()
    }
    entry ??= open(zip, path)
    entry.push(new Uint8Array(), true)
    yield* drain()
  }
  zip.end()
  yield* drain()
}

function open(zip: Zip, path: string, first: Uint8Array = new Uint8Array()): ZipDeflate {
  const sample = first.subarray(0, SAMPLE_BYTES)
  const isWorthwhile = deflateSync(sample, { level: 1 }).length < sample.length * WORTHWHILE
  const entry = new ZipDeflate(path, { level: isWorthwhile ? LEVEL : 0 })
  zip.add(entry)
  return entry
}

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Source } from '../client/index.ts'
import { nameProblem } from '../platform/names.ts'
import type { ZipEntry } from '../zip/entry.ts'
import { ZipLength } from '../zip/length.ts'
import { writeZip } from '../zip/writer.ts'
import { Failure } from './failure.ts'

/** A file of a local folder. */
export interface LocalFile {
  /** From the folder on, with slashes. */
  path: string
  /** Where it is on this machine. */
  place: string
  size: number
  modifiedAt: number
}

/** A local file and what is in it. */
export interface MeasuredFile extends LocalFile {
  sha256: string
  crc32: number
}

/**
 * Every file below a local folder, by name. Links and special files are left out, and told to `skipped`.
 *
 * @throws {Failure} when it is no folder, or has a name that a server would refuse.
 */
export function* filesBelow(
  folder: string,
  skipped: (path: string) => void,
  path = '',
): Generator<LocalFile> {
  if (path === '' && !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Failure(`There is no folder "${folder}"`)
  const entries = readdirSync(join(folder, path), { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const below = path === '' ? entry.name : `${path}/${entry.name}`
    const place = join(folder, below)
    const problem = nameProblem(entry.name)
    if (problem !== undefined) throw new Failure(`The name of "${place}" ${problem}`)
    if (entry.isDirectory()) yield* filesBelow(folder, skipped, below)
    else if (entry.isFile()) {
      const { size, mtimeMs } = statSync(place)
      yield { path: below, place, size, modifiedAt: Math.trunc(mtimeMs) }
    } else skipped(place)
  }
}

/** Reads a file once for its checksums. */
export async function measure(file: LocalFile): Promise<MeasuredFile> {
  const sha256 = new Bun.CryptoHasher('sha256')
  let [checksum, size] = [0, 0]
  for await (const chunk of Bun.file(file.place).stream()) {
    sha256.update(chunk)
    checksum = crc32(chunk, checksum)
    size += chunk.length
  }
  return { ...file, size, crc32: checksum, sha256: sha256.digest('hex') }
}

/**
 * An archive of files, made while it is sent. Reading it fails when one of them is not what it was when it
 * was measured.
 */
export function archiveOf(files: readonly MeasuredFile[]): Source & { size: number } {
  const entries = files.map(
    ({ path, place, ...file }): ZipEntry => ({ ...file, path, open: () => Bun.file(place).stream() }),
  )
  const length = new ZipLength()
  for (const entry of entries) length.add(entry)
  return { size: length.total(), stream: () => streamOf(writeZip(entries)) }
}

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { value, done } = await chunks.next().catch((error) => {
          throw new Failure(`A file changed while it was sent, run it again. ${error}`)
        })
        // A chunk is good only until the next is asked for, and the network may still have it then.
        if (done) controller.close()
        else controller.enqueue(value.slice())
      },
      cancel: async () => {
        await chunks.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

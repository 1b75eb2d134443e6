import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { HoldfastClient, ImportOptions, Source, TreeFile } from '../client/index.ts'
import { nameProblem } from '../platform/names.ts'
import type { ZipEntry } from '../zip/entry.ts'
import { ZipLength } from '../zip/length.ts'
import { writeZip } from '../zip/writer.ts'
import { Failure } from './failure.ts'

/** A file of a local folder. */
export interface LocalFile {
  /** Path relative to the folder, with slashes. */
  path: string
  /** Path on this machine. */
  place: string
  size: number
  modifiedAt: number
}

/** A local file with its checksums. */
export interface MeasuredFile extends LocalFile {
  sha256: string
  crc32: number
}

/**
 * Yields every file below a local folder by name. Skips links and special files, and passes them to `skipped`.
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

/** Reads a file and computes its checksums. */
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

/** Limits of an archive that the client makes. */
const MAX_FILES = 65_535
const MAX_BYTES = 4e9
/** Names of files whose format is compressed already. */
const COMPRESSED =
  /\.(7z|avif|br|gif|gz|heic|jpe?g|jxl|m4[av]|mkv|mov|mp[34]|og[gv]|opus|png|rar|web[mp]|woff2?|xz|zip|zst)$/i

/**
 * Stores files together in a folder: all of them, or none. Text is compressed on the way. A tree that is mostly
 * pictures and the like, or too large for the client's archive, travels as it is.
 *
 * @throws {Failure} when a file is no longer what it was when it was measured.
 */
export async function sendFiles(
  client: HoldfastClient,
  files: readonly MeasuredFile[],
  options: ImportOptions,
): Promise<void> {
  const bytes = sizeOf(files)
  const isCompressed = sizeOf(files.filter(({ path }) => COMPRESSED.test(path))) > bytes / 2
  if (isCompressed || files.length > MAX_FILES || bytes > MAX_BYTES)
    await client.folders.import(archiveOf(files), options)
  else await client.folders.upload(files.map(toTreeFile), options)
}

export const sizeOf = (files: readonly LocalFile[]) => files.reduce((sum, { size }) => sum + size, 0)

const toTreeFile = (file: MeasuredFile): TreeFile => ({
  path: file.path,
  content: { size: file.size, stream: () => streamOf(unchanged(file)) },
})

/** Yields a file's bytes. @throws when they differ from those that were measured. */
async function* unchanged({ place, size, crc32: expected }: MeasuredFile): AsyncGenerator<Uint8Array> {
  let [checksum, left] = [0, size]
  for await (const chunk of Bun.file(place).stream()) {
    checksum = crc32(chunk, checksum)
    left -= chunk.length
    if (left < 0) break
    yield chunk
  }
  if (left !== 0 || checksum !== expected) throw new Error(`"${place}" has changed`)
}

/** Returns an archive of uncompressed files, written while it is sent. */
function archiveOf(files: readonly MeasuredFile[]): Source & { size: number } {
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
          throw new Failure(`A file changed while it was sent. Run the command again. ${error}`)
        })
        // The writer reuses a chunk's memory, which the network may still read.
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

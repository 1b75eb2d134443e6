import { statSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import {
  type HoldfastClient,
  type ImportOptions,
  RESUMABLE_BYTES,
  type Source,
  type TreeFile,
} from '../client/index.ts'
import { entriesOf, isAmbiguous } from '../platform/listing.ts'
import type { ZipEntry } from '../zip/entry.ts'
import { ZipLength } from '../zip/length.ts'
import { writeZip } from '../zip/writer.ts'
import { Failure } from './failure.ts'
import type { Terminal } from './terminal.ts'

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

/** Error codes of a file or folder that this user may not read, or that is gone. */
const UNREADABLE = new Set(['EACCES', 'EPERM', 'ENOENT'])

/** Reports the entries of local folders that are not sent, and counts those that should be. */
export class LeftOut {
  refused = 0
  /** Paths of files and folders that could not be read. */
  readonly #unread: string[] = []
  readonly #terminal: Pick<Terminal, 'warn'>
  readonly #mayMiss: boolean

  /** @param options `mayMiss` leaves out what cannot be read; else that ends the command. */
  constructor(terminal: Pick<Terminal, 'warn'>, { mayMiss = false } = {}) {
    this.#terminal = terminal
    this.#mayMiss = mayMiss
  }

  /** Leaves out a file or folder that cannot be read. @throws the error where nothing may be missing. */
  unread({ path, place }: Pick<LocalFile, 'path' | 'place'>, error: unknown): undefined {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!this.#mayMiss || !UNREADABLE.has(code)) throw error
    this.#unread.push(path)
    this.refuse(place, 'cannot be read')
  }

  /** True for a path of something that could not be read, or below it. */
  mayHave(path: string): boolean {
    return this.#unread.some((unread) => unread === '' || path === unread || path.startsWith(`${unread}/`))
  }

  notAFile(place: string): void {
    this.#terminal.warn(`holdfast: ${place}: skipped, because it is not a file`)
  }

  refuse(place: string, problem: string): void {
    this.refused += 1
    this.#terminal.warn(`holdfast: ${place}: left out: ${problem}`)
  }

  /** Returns the number of refused entries to end a summary with; nothing when there is none. */
  summary(): string {
    return this.refused === 0 ? '' : `, ${this.refused} left out`
  }
}

/**
 * Yields every file below a local folder by name. The rest goes to `left`: links, special files, and names that a
 * server would refuse.
 *
 * @throws {Failure} when it is no folder.
 */
export function* filesBelow(folder: string, left: LeftOut, path = ''): Generator<LocalFile> {
  if (path === '' && !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Failure(`There is no folder "${folder}"`)
  if (path === '' && isAmbiguous(folder)) throw new Failure(`The name of "${folder}" is not UTF-8`)
  const here = { path, place: join(folder, path) }
  for (const { name, kind, problem } of unlessUnread(left, here, () => entriesOf(here.place)) ?? []) {
    const below = path === '' ? name : `${path}/${name}`
    const place = join(folder, below)
    if (problem !== undefined) left.refuse(place, problem)
    else if (kind === 'directory') yield* filesBelow(folder, left, below)
    else if (kind === 'file') {
      const stat = unlessUnread(left, { path: below, place }, () => statSync(place))
      if (stat) yield { path: below, place, size: stat.size, modifiedAt: Math.trunc(stat.mtimeMs) }
    } else left.notAFile(place)
  }
}

function unlessUnread<Value>(
  left: LeftOut,
  entry: Pick<LocalFile, 'path' | 'place'>,
  read: () => Value,
): Value | undefined {
  try {
    return read()
  } catch (error) {
    return left.unread(entry, error)
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

/** Limits of one request: a server takes some thousand files at once, and an interrupted sync has done part of its work. */
const MAX_BATCH = { files: 500, bytes: 256 * 1024 ** 2 }

/** Returns true for a file that is sent by itself, so that it can be resumed. */
export const isLarge = ({ size }: LocalFile): boolean => size > RESUMABLE_BYTES

/** Yields files in groups within the limits of one request. A large file is a group of its own. */
export function* batches(files: readonly MeasuredFile[]): Generator<MeasuredFile[]> {
  let [batch, bytes]: [MeasuredFile[], number] = [[], 0]
  for (const file of files) {
    if (isLarge(file)) {
      yield [file]
      continue
    }
    const { size } = file
    if (batch.length === MAX_BATCH.files || (batch.length > 0 && bytes + size > MAX_BATCH.bytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(file)
    bytes += size
  }
  if (batch.length > 0) yield batch
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
 * @returns The folder's id.
 * @throws {Failure} when a file is no longer what it was when it was measured.
 */
export async function sendFiles(
  client: HoldfastClient,
  files: readonly MeasuredFile[],
  options: ImportOptions,
): Promise<string> {
  const bytes = sizeOf(files)
  const isCompressed = sizeOf(files.filter(({ path }) => COMPRESSED.test(path))) > bytes / 2
  const { folder } =
    isCompressed || files.length > MAX_FILES || bytes > MAX_BYTES
      ? await client.folders.import(archiveOf(files), options)
      : await client.folders.upload(files.map(toTreeFile), options)
  return folder.id
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

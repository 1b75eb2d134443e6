import { closeSync, constants, fstatSync, lstatSync, openSync, read, readSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { errorCode, refusalOfMachine } from '../platform/errors.ts'
import { Utf8Check } from '../platform/utf8.ts'
import { Directory, isReally, NoDirectory } from './directory.ts'
import type { FileSums } from './hash-thread.ts'
import { passOn } from './writer.ts'

const readAsync = promisify(read)

/** Chunk size of reads: as fast as `sendfile` on loopback, and all the memory that a stalled reader costs. */
export const CHUNK_BYTES = 256 * 1024

/** Buffers for reuse. Allocating and freeing them costs more than filling them. */
const idle: Uint8Array<ArrayBuffer>[] = []
const MAX_IDLE = 64

/** Returns a buffer of `CHUNK_BYTES` with arbitrary contents. */
export const takeBuffer = (): Uint8Array<ArrayBuffer> => idle.pop() ?? new Uint8Array(CHUNK_BYTES)

/** Returns a buffer to the pool. It must have no readers left. */
export function giveBuffer(buffer: Uint8Array<ArrayBuffer>): void {
  if (idle.length < MAX_IDLE) idle.push(buffer)
}

/** Maximum length of a range that is read in one step: a thread hop costs more than the page cache does. */
export const SMALL_BYTES = 1024 ** 2

const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Error codes for a path without a regular file to open: a missing entry, a link, a pipe, a folder. */
const NOT_A_FILE = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'ENXIO',
  'EISDIR',
  'ENAMETOOLONG',
  'ENODEV',
  'EACCES',
])

/** Error of a file that has fewer bytes than when it was opened. */
export class CutShort extends Error {
  constructor() {
    super('A stored file became shorter while it was read')
  }
}

/** Awaited after each chunk of a background read; an exception ends the read. */
export type Pace = (bytes: number, chunk?: Uint8Array) => Promise<void>

/**
 * Open file of the volume. Its size and time come from the open handle, so they belong to the very bytes that
 * will be sent. Exactly one of `body`, `chunks`, `sha256`, `crc32`, `checksums` and `close` must end it; only
 * `read` and `descriptor` leave it open.
 */
export class StoredFile {
  /** Length in bytes. */
  readonly size: number
  /** Modification time in milliseconds, with fractions. */
  readonly mtimeMs: number
  readonly #fd: number

  private constructor(fd: number, size: number, mtimeMs: number) {
    this.#fd = fd
    this.size = size
    this.mtimeMs = mtimeMs
  }

  /**
   * Opens the regular file at `path`; `undefined` when there is none. Links, pipes and devices are never
   * followed or opened for reading, not even as a folder on the way.
   */
  static open(path: string): StoredFile | undefined {
    return StoredFile.#open(path, (fd) => isReally(fd, path))
  }

  /** Opens the entry of a known directory by the path from `Directory.entry`. */
  static openEntry(path: string): StoredFile | undefined {
    return StoredFile.#open(path, () => true)
  }

  /** Opens a local copy of bytes that have another modification time than the file. */
  static openCopy(path: string, mtimeMs: number): StoredFile | undefined {
    return StoredFile.#open(path, () => true, mtimeMs)
  }

  static #open(path: string, isOurs: (fd: number) => boolean, mtimeMs?: number): StoredFile | undefined {
    const fd = openOrUndefined(path)
    if (fd === undefined) return undefined
    const stat = fstatSync(fd)
    if (stat.isFile() && isOurs(fd)) return new StoredFile(fd, stat.size, mtimeMs ?? stat.mtimeMs)
    closeSync(fd)
    return undefined
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** Descriptor for a child process, valid until this is closed. */
  get descriptor(): number {
    return this.#fd
  }

  /**
   * Returns bytes `first` to `last` (both inclusive): at once when they are few, else as a stream whose chunk
   * is valid only until the next is pulled.
   *
   * @param buffer Target of a small read when it is large enough; else the read allocates its own.
   */
  body(
    first: number,
    last: number,
    buffer?: Uint8Array<ArrayBuffer>,
  ): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> {
    const length = last - first + 1
    if (length > SMALL_BYTES) return this.#stream(first, last + 1)
    const isFitting = buffer !== undefined && buffer.length >= length
    try {
      return this.read(isFitting ? buffer.subarray(0, length) : new Uint8Array(length), first)
    } finally {
      this.close()
    }
  }

  /** Fills `bytes` from position `first` and returns them. */
  read(bytes: Uint8Array<ArrayBuffer>, first: number): Uint8Array<ArrayBuffer> {
    let filled = 0
    while (filled < bytes.length) {
      const count = readSync(this.#fd, bytes, filled, bytes.length - filled, first + filled)
      if (count === 0) throw new CutShort()
      filled += count
    }
    return bytes
  }

  /**
   * Copies the whole file to a new one at `path`, and closes this. Where the file system can, both share their blocks.
   */
  async copyTo(path: string): Promise<void> {
    try {
      const { COPYFILE_EXCL, COPYFILE_FICLONE } = constants
      await copyFile(`/dev/fd/${this.#fd}`, path, COPYFILE_EXCL | COPYFILE_FICLONE)
    } finally {
      this.close()
    }
  }

  /** Returns the SHA-256 of the whole file in hex. */
  async sha256(pace?: Pace): Promise<string> {
    const hasher = new Bun.CryptoHasher('sha256')
    for await (const chunk of this.#whole()) {
      hasher.update(chunk)
      await pace?.(chunk.length, chunk)
    }
    return hasher.digest('hex')
  }

  /** Returns the unsigned CRC-32 of the whole file. */
  async crc32(pace?: Pace): Promise<number> {
    if (this.size > 0 && this.size <= SMALL_BYTES) {
      try {
        return crc32(this.read(new Uint8Array(this.size), 0))
      } finally {
        this.close()
      }
    }
    let sum = 0
    for await (const chunk of this.#whole()) {
      sum = crc32(chunk, sum)
      await pace?.(chunk.length)
    }
    return sum
  }

  /** Returns the facts that are computed from the whole file. */
  async checksums(): Promise<FileSums> {
    const hasher = new Bun.CryptoHasher('sha256')
    const utf8 = new Utf8Check()
    let sum = 0
    for await (const chunk of this.#whole()) {
      hasher.update(chunk)
      utf8.update(chunk)
      sum = crc32(chunk, sum)
    }
    return { crc32: sum, sha256: hasher.digest('hex'), isUtf8: utf8.end() }
  }

  /** Yields the whole file in chunks that are passed on: the caller may retain them, or detach their memory. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#whole()) yield passOn(chunk.slice())
  }

  #whole(): AsyncIterable<Uint8Array> | readonly Uint8Array[] {
    if (this.size > 0) return this.#stream(0, this.size)
    this.close()
    return []
  }

  /**
   * Reads on demand only, into one buffer: a chunk is valid until the next is pulled. A file that ends too
   * early errors the stream instead of ending it.
   */
  #stream(first: number, end: number): ReadableStream<Uint8Array<ArrayBuffer>> {
    const buffer = takeBuffer()
    let position = first
    let open = true
    const finish = () => {
      if (!open) return
      open = false
      this.close()
      giveBuffer(buffer)
    }
    return new ReadableStream(
      {
        pull: async (controller) => {
          try {
            if (position === end) {
              // The last chunk is out of use only now.
              finish()
              return controller.close()
            }
            const { bytesRead } = await readAsync(
              this.#fd,
              buffer,
              0,
              Math.min(CHUNK_BYTES, end - position),
              position,
            )
            if (bytesRead === 0) throw new CutShort()
            position += bytesRead
            controller.enqueue(buffer.subarray(0, bytesRead))
          } catch (error) {
            finish()
            throw error
          }
        },
        cancel: finish,
      },
      { highWaterMark: 0 },
    )
  }
}

function openOrUndefined(path: string): number | undefined {
  try {
    return openSync(path, OPEN_FLAGS)
  } catch (error) {
    const code = errorCode(error) ?? ''
    if (NOT_A_FILE.has(code)) return undefined
    throw refusalOfMachine(error) ?? error
  }
}

/** Length in bytes, and modification time in milliseconds since 1970. */
export type FileState = Pick<StoredFile, 'size' | 'mtimeMs'>

/** Error codes for a path that does not lead to the folder or to one of its entries. */
const NOT_THERE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES'])

/**
 * Folder of the volume with many files to read: the way to it is checked once. It stays the same folder when
 * it is renamed. `close` must end it.
 */
export class StoredFolder {
  readonly #directory: Directory
  readonly #path: string

  private constructor(directory: Directory, path: string) {
    this.#directory = directory
    this.#path = path
  }

  /** Opens the folder at `path`; `undefined` when there is none. */
  static open(path: string): StoredFolder | undefined {
    const directory = unlessMissing(() => Directory.open(path))
    return directory && new StoredFolder(directory, path)
  }

  /** Opens the regular file under `name`; `undefined` when there is none. */
  openFile(name: string): StoredFile | undefined {
    return StoredFile.openEntry(this.#directory.entry(name))
  }

  /**
   * Returns length and time of the regular file under `name`, as far as they show without opening it.
   *
   * A path is twice as fast as the handle. Once the folder was renamed it leads nowhere, and a folder swapped for a
   * link could only falsify these, not bytes.
   */
  stateOf(name: string): FileState | undefined {
    return stateAt(`${this.#path}/${name}`)
  }

  close(): void {
    this.#directory.close()
  }
}

function unlessMissing<Found>(look: () => Found): Found | undefined {
  try {
    return look()
  } catch (error) {
    if (error instanceof NoDirectory || NOT_THERE.has(errorCode(error) ?? '')) return undefined
    throw error
  }
}

const uid = process.getuid?.()

/** Returns the state of our own regular file: any other may turn out to be unreadable. */
function stateAt(path: string): FileState | undefined {
  try {
    const stat = lstatSync(path)
    return stat.isFile() && stat.uid === uid && (stat.mode & constants.S_IRUSR) !== 0 ? stat : undefined
  } catch {
    return undefined
  }
}

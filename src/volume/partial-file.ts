import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Refusal } from '../platform/errors.ts'
import { identityOf, withDirectory } from './directory.ts'
import { FILE_MODE } from './layout.ts'
import { type Arrivals, type Limits, refuseWriteError, type StagedFile, syncAsOf } from './staging.ts'
import { Checksums, passOn, SequentialWriter } from './writer.ts'

export interface PartialLimits extends Omit<Limits, 'maxBytes'> {
  /** Length of the whole file, in bytes. */
  length: number
  /** Discard an interrupted piece instead of keeping its bytes. */
  isAtomic: boolean
  /** Keep the bytes as one part of a file, which is never completed by itself. */
  isPart?: boolean
  /** Called now and then while bytes arrive, with the number that would survive a power cut. */
  onDurable: (bytes: number) => void
}

/** Bytes of one read. */
const READ_BYTES = 256 * 1024

const moreThan = (length: number) =>
  new Refusal('too-large', `The upload is longer than the ${length} bytes that were announced`)

/**
 * File that arrives in several pieces under an unpublished name; another process may continue it. It is
 * hashed while it arrives if one process receives all of it, else once it is complete. One call at a time.
 */
export class PartialFile {
  readonly #path: string
  readonly #arrivals: Arrivals
  #size: number
  /** Checksums of exactly the first `#size` bytes. */
  #sums: Checksums | undefined

  private constructor(path: string, arrivals: Arrivals, size: number) {
    this.#path = path
    this.#arrivals = arrivals
    this.#size = size
    this.#sums = size === 0 ? new Checksums(() => arrivals.hashes.begin(path)) : undefined
  }

  /**
   * Creates an empty file, durably.
   *
   * @throws {Refusal} `no-space` when the volume is full.
   */
  static async create(path: string, arrivals: Arrivals): Promise<PartialFile> {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
    await (await open(path, flags, FILE_MODE).catch(refuseWriteError)).close()
    await withDirectory(dirname(path), (folder) => arrivals.durability.sync(folder))
    return new PartialFile(path, arrivals, 0)
  }

  /** Opens a file to continue after its first `size` bytes; `undefined` when it has fewer. */
  static async open(path: string, arrivals: Arrivals, size: number): Promise<PartialFile | undefined> {
    const stat = await lstat(path).catch(() => undefined)
    return stat?.isFile() && stat.size >= size ? new PartialFile(path, arrivals, size) : undefined
  }

  /** Returns the number of contiguous bytes that have arrived and would survive a power cut. */
  get size(): number {
    return this.#size
  }

  /**
   * Appends bytes. On failure the durable part of what arrived is retained and counted.
   *
   * @throws {Refusal} `too-large` past `length`, `no-space` when the volume is full.
   */
  async receive(bytes: AsyncIterable<Uint8Array>, limits: PartialLimits): Promise<void> {
    const start = this.#size
    const file = await open(this.#path, constants.O_WRONLY | constants.O_NOFOLLOW)
    const onDurable = (size: number) => {
      this.#size = size
      limits.onDurable(size)
    }
    const writer = new SequentialWriter(file, this.#arrivals.durability, {
      position: start,
      ...(limits.isAtomic ? {} : { onDurable }),
    })
    try {
      // The rest was left by an earlier process that did not make it durable, or belongs to a discarded
      // piece.
      if ((await file.stat()).size > start) await file.truncate(start)
      await this.#write(file, writer, bytes, limits)
    } catch (error) {
      if (limits.isAtomic) this.#size = start
      refuseWriteError(error)
    } finally {
      await writer.idle()
      await file.close()
      if (this.#sums?.size !== this.#size) this.#forgetSums()
    }
  }

  /** Yields the bytes that have arrived. */
  async *read(): AsyncGenerator<Uint8Array, void> {
    const file = await open(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      for (let position = 0; position < this.#size; ) {
        const length = Math.min(READ_BYTES, this.#size - position)
        const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, position)
        if (bytesRead === 0) throw new Error('A staged file is shorter than what was written to it')
        position += bytesRead
        yield passOn(bytesRead === length ? buffer : buffer.subarray(0, bytesRead))
      }
    } finally {
      await file.close()
    }
  }

  /** Truncates the file to its first `size` bytes. */
  retreat(size: number): void {
    if (size >= this.#size) return
    this.#size = size
    this.#forgetSums()
  }

  /** Returns the complete file as a staged one. Nothing may be appended afterwards. */
  async complete(): Promise<StagedFile> {
    const [path, size, sums] = [this.#path, this.#size, this.#sums]
    this.#sums = undefined
    const { crc32, sha256, isUtf8 } = await (sums ? sums.end() : this.#arrivals.hashes.checksums(path, size))
    const file = await open(path, constants.O_WRONLY | constants.O_NOFOLLOW)
    try {
      const identity = identityOf(await file.stat())
      if (identity.size !== size) throw new Error('A staged file is not as long as what was written to it')
      identity.mtimeMs = this.#arrivals.times.next(identity.mtimeMs)
      await syncAsOf(file, identity.mtimeMs, this.#arrivals.durability)
      return { path, size, crc32, sha256, isUtf8, identity }
    } finally {
      await file.close()
    }
  }

  /** Closes the file and leaves its bytes. It must not be used afterwards. */
  close(): void {
    this.#forgetSums()
  }

  /** Removes the file. It must not be used afterwards. */
  async remove(): Promise<void> {
    this.close()
    await rm(this.#path, { force: true })
  }

  async #write(
    file: FileHandle,
    writer: SequentialWriter,
    bytes: AsyncIterable<Uint8Array>,
    { length, claim }: PartialLimits,
  ): Promise<void> {
    let arrived = this.#size
    try {
      for await (const chunk of bytes) {
        arrived += chunk.length
        if (arrived > length) throw moreThan(length)
        claim(chunk.length)
        this.#sums?.update(chunk, writer.written)
        await writer.append(chunk)
      }
    } finally {
      await writer.end()
      await this.#arrivals.durability.sync(file)
      this.#size = writer.written
    }
  }

  #forgetSums(): void {
    this.#sums?.abandon()
    this.#sums = undefined
  }
}

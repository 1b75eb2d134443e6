import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Refusal } from '../platform/errors.ts'
import { Checksums } from './checksums.ts'
import { withDirectory } from './directory.ts'
import { FILE_MODE } from './privacy.ts'
import {
  type Arrivals,
  identityOf,
  type Limits,
  refuseWriteError,
  type StagedFile,
  syncAsOf,
} from './staging.ts'
import { SequentialWriter } from './writer.ts'

export interface PartialLimits extends Omit<Limits, 'maxBytes'> {
  /** Length of the whole file, in bytes. */
  length: number
  /** Whether bytes that break off are worth nothing: all of them are kept, or none. */
  isAtomic: boolean
  /** Called now and then while bytes arrive, with how many of the file would survive a power cut. */
  onDurable: (bytes: number) => void
}

const moreThan = (length: number) =>
  new Refusal('too_large', `The upload is longer than the ${length} bytes that were announced`)

/**
 * A file that arrives in several pieces, under a name that nobody can see yet; another process may go on with
 * it. It is hashed while it arrives, as long as one process sees all of it, else when it is complete. One call
 * at a time.
 */
export class PartialFile {
  readonly #path: string
  readonly #arrivals: Arrivals
  #size: number
  /** Of exactly the first `#size` bytes. */
  #sums: Checksums | undefined

  private constructor(path: string, arrivals: Arrivals, size: number) {
    this.#path = path
    this.#arrivals = arrivals
    this.#size = size
    this.#sums = size === 0 ? new Checksums(() => arrivals.hashes.begin(path)) : undefined
  }

  /**
   * Makes an empty one, durably.
   *
   * @throws {Refusal} `no_space` when the volume is full.
   */
  static async create(path: string, arrivals: Arrivals): Promise<PartialFile> {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
    await (await open(path, flags, FILE_MODE).catch(refuseWriteError)).close()
    await withDirectory(dirname(path), (folder) => arrivals.durability.sync(folder))
    return new PartialFile(path, arrivals, 0)
  }

  /** Opens one to go on behind its first `size` bytes; `undefined` when these are not there. */
  static async open(path: string, arrivals: Arrivals, size: number): Promise<PartialFile | undefined> {
    const stat = await lstat(path).catch(() => undefined)
    return stat?.isFile() && stat.size >= size ? new PartialFile(path, arrivals, size) : undefined
  }

  /** Bytes, front to back, that have arrived and would survive a power cut. */
  get size(): number {
    return this.#size
  }

  /**
   * Adds bytes. What had arrived when this fails is kept and counted, as far as it is durable.
   *
   * @throws {Refusal} `too_large` past `length`, `no_space` when the volume is full.
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
      // What an earlier process wrote and did not make durable, or a piece that was not to be kept.
      if ((await file.stat()).size > start) await file.truncate(start)
      await this.#write(file, writer, bytes, limits)
    } catch (error) {
      if (limits.isAtomic) this.#size = start
      refuseWriteError(error)
    } finally {
      await writer.settle()
      await file.close()
      if (this.#sums?.size !== this.#size) this.#forgetSums()
    }
  }

  /** Drops what is behind the first `size` bytes. */
  retreat(size: number): void {
    if (size >= this.#size) return
    this.#size = size
    this.#forgetSums()
  }

  /** What has arrived as a staged file: all of it, for nothing may be added any more. */
  async complete(): Promise<StagedFile> {
    const [path, size, sums] = [this.#path, this.#size, this.#sums]
    this.#sums = undefined
    const { crc32, sha256 } = await (sums ? sums.end() : this.#arrivals.hashes.checksums(path, size))
    const file = await open(path, constants.O_WRONLY | constants.O_NOFOLLOW)
    try {
      const identity = identityOf(await file.stat())
      if (identity.size !== size) throw new Error('A staged file is not as long as what was written to it')
      identity.mtimeMs = this.#arrivals.times.next(identity.mtimeMs)
      await syncAsOf(file, identity.mtimeMs, this.#arrivals.durability)
      return { path, size, crc32, sha256, identity }
    } finally {
      await file.close()
    }
  }

  /** Lets go of everything but the bytes. It must not be used any more. */
  close(): void {
    this.#forgetSums()
  }

  /** Removes the bytes. It must not be used any more. */
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

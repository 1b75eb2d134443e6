import type { FileHandle } from 'node:fs/promises'
import { release } from './buffers.ts'
import type { Durability } from './durability.ts'

const MiB = 1024 ** 2
/** Bytes gathered for one write: small in memory, and enough to make few writes. */
const WRITE_BYTES = MiB / 4
/**
 * Bytes after which the system is asked to write them to disk, so that little is left for the final fsync.
 */
const WRITEBACK_BYTES = 32 * MiB

export interface WriterOptions {
  /** Position of the first byte: the length of the file so far. */
  position?: number
  /** Called now and then with the number of contiguous bytes that would survive a power cut. */
  onDurable?: (bytes: number) => void
}

/**
 * Writes a file from front to back. While one write runs, the bytes of the next are gathered; its failure is
 * thrown by the next call.
 */
export class SequentialWriter {
  readonly #file: FileHandle
  readonly #durability: Durability
  #gathered: Uint8Array[] = []
  #gatheredBytes = 0
  #written: number
  #writtenBack: number
  readonly #onDurable: ((bytes: number) => void) | undefined
  #writing: Promise<void> | undefined
  #writingBack: Promise<void> | undefined
  #failure: { error: unknown } | undefined

  constructor(file: FileHandle, durability: Durability, { position = 0, onDurable }: WriterOptions = {}) {
    this.#file = file
    this.#durability = durability
    this.#written = position
    this.#writtenBack = position
    this.#onDurable = onDurable
  }

  /** Returns the number of contiguous bytes in the file. */
  get written(): number {
    return this.#written
  }

  /** Appends bytes. The caller may not change them afterwards, nor use those that it passed on. */
  async append(bytes: Uint8Array): Promise<void> {
    this.#gathered.push(bytes)
    this.#gatheredBytes += bytes.length
    if (this.#gatheredBytes >= WRITE_BYTES) await this.#writeGathered()
  }

  /** Writes the rest. The file is complete then, but not yet durable. */
  async end(): Promise<void> {
    await this.#writeGathered()
    await this.settle()
    this.#throwFailure()
  }

  /** Waits until nothing uses the file any more, successful or not. */
  async settle(): Promise<void> {
    await this.#writing
    await this.#writingBack
  }

  async #writeGathered(): Promise<void> {
    await this.#writing
    this.#throwFailure()
    const chunks = this.#gathered
    this.#gathered = []
    this.#gatheredBytes = 0
    this.#writing = this.#write(chunks).catch((error) => {
      this.#failure ??= { error }
    })
  }

  async #write(chunks: readonly Uint8Array[]): Promise<void> {
    const length = chunks.reduce((sum, { length }) => sum + length, 0)
    const end = this.#written + length
    const { bytesWritten } = await this.#file.writev(chunks, this.#written)
    this.#written += bytesWritten
    while (this.#written < end) {
      const rest = Buffer.concat(chunks).subarray(length - (end - this.#written))
      this.#written += (await this.#file.write(rest, 0, rest.length, this.#written)).bytesWritten
    }
    chunks.forEach(release)
    if (this.#written - this.#writtenBack >= WRITEBACK_BYTES) this.#writeBack()
  }

  #writeBack(): void {
    if (this.#writingBack) return
    const end = this.#written
    this.#writtenBack = end
    this.#writingBack = this.#durability.sync({ sync: () => this.#file.datasync() }).then(
      () => {
        this.#writingBack = undefined
        this.#onDurable?.(end)
      },
      // Reported only once: a later fsync would succeed although bytes were lost.
      (error) => {
        this.#failure ??= { error }
      },
    )
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error
  }
}

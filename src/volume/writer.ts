import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { Utf8Check } from '../platform/utf8.ts'
import type { Durability } from './disk.ts'
import type { FileSums, GrowingHash } from './hash-thread.ts'

/** Memory that the receiver of bytes may detach, with the bytes whose use is its last. */
const passedOn = new WeakMap<ArrayBufferLike, Uint8Array>()

/** Marks bytes that have their memory to themselves as owned by their receiver, which may detach it with `release`. */
export function passOn(bytes: Uint8Array): Uint8Array {
  if (bytes.length === bytes.buffer.byteLength) passedOn.set(bytes.buffer, bytes)
  return bytes
}

/** Returns parts of bytes, which pass on their memory if the bytes did. One receiver must use all of them, in their order. */
export function passOnParts(bytes: Uint8Array, parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const last = parts.at(-1)
  if (last && passedOn.has(bytes.buffer)) passedOn.set(bytes.buffer, last)
  return parts
}

/**
 * Detaches the memory of used bytes if they were passed on and nothing else uses it. The garbage collector
 * would free it too, but only after a large upload has left 100 MiB of it.
 */
function release({ buffer, byteOffset, length }: Uint8Array): void {
  const last = passedOn.get(buffer)
  if (buffer instanceof ArrayBuffer && last?.byteOffset === byteOffset && last.length === length)
    buffer.transfer(0)
}

const MiB = 1024 ** 2
/** Bytes gathered for one write: small in memory, and enough to make few writes. */
const WRITE_BYTES = MiB / 4
/**
 * Bytes after which the system is asked to write them to disk, so that little is left for the final fsync.
 */
const WRITEBACK_BYTES = 32 * MiB

interface WriterOptions {
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
    await this.idle()
    this.#throwFailure()
  }

  /** Waits until nothing uses the file any more, successful or not. */
  async idle(): Promise<void> {
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

/** True for a SHA-256 in hex. Any other text could lead elsewhere when used as a file name. */
export const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/**
 * Maximum bytes of a file that is hashed on this thread while it arrives. Larger files are hashed on another
 * thread.
 */
const HASHED_HERE_BYTES = 4 * 1024 ** 2

/** Checksums of a file, computed while it is written. */
export class Checksums {
  readonly #beginHash: () => GrowingHash
  readonly #here = new Bun.CryptoHasher('sha256')
  readonly #md5: Bun.CryptoHasher | undefined
  readonly #utf8 = new Utf8Check()
  #elsewhere: GrowingHash | undefined
  #crc32 = 0
  #size = 0

  /** @param beginHash Starts hashing the file on another thread; called once it turns out to be large. */
  constructor(beginHash: () => GrowingHash, withMd5 = false) {
    this.#beginHash = beginHash
    this.#md5 = withMd5 ? new Bun.CryptoHasher('md5') : undefined
  }

  /** Returns the bytes consumed so far. */
  get size(): number {
    return this.#size
  }

  /** Consumes the next bytes of the file, of which `written` are in it by now. */
  update(bytes: Uint8Array, written: number): void {
    this.#crc32 = crc32(bytes, this.#crc32)
    this.#size += bytes.length
    if (this.#size <= HASHED_HERE_BYTES) {
      this.#here.update(bytes)
      this.#md5?.update(bytes)
      this.#utf8.update(bytes)
      return
    }
    this.#elsewhere ??= this.#beginHash()
    this.#elsewhere.wrote(written)
  }

  /** Returns the checksums of the whole file, which must be written completely. */
  async end(): Promise<FileSums> {
    const sums = this.#elsewhere ? await this.#elsewhere.digest(this.#size) : this.#endHere()
    return { ...sums, crc32: this.#crc32 }
  }

  #endHere(): Omit<FileSums, 'crc32'> {
    const md5 = this.#md5 && { md5: this.#md5.digest('hex') }
    return { sha256: this.#here.digest('hex'), isUtf8: this.#utf8.end(), ...md5 }
  }

  /** Ends without a result. */
  abandon(): void {
    this.#elsewhere?.abandon()
  }
}

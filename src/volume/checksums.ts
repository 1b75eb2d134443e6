import { crc32 } from 'node:zlib'
import type { GrowingHash } from './hash-thread.ts'

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
  #elsewhere: GrowingHash | undefined
  #crc32 = 0
  #size = 0

  /** @param beginHash Starts hashing the file on another thread; called once it turns out to be large. */
  constructor(beginHash: () => GrowingHash) {
    this.#beginHash = beginHash
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
      return
    }
    this.#elsewhere ??= this.#beginHash()
    this.#elsewhere.wrote(written)
  }

  /** Returns the checksums of the whole file, which must be written completely. */
  async end(): Promise<{ crc32: number; sha256: string }> {
    const sha256 = this.#elsewhere ? await this.#elsewhere.digest(this.#size) : this.#here.digest('hex')
    return { crc32: this.#crc32, sha256 }
  }

  /** Ends without a result. */
  abandon(): void {
    this.#elsewhere?.abandon()
  }
}

import { crc32 } from 'node:zlib'
import type { GrowingHash } from './hash-thread.ts'

/** Tells SHA-256 in hex from any other text, which as a file name could lead elsewhere. */
export const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** Files up to this size, in bytes, are hashed as they pass; of larger ones another thread hashes the file. */
const HASHED_HERE_BYTES = 4 * 1024 ** 2

/** The checksums of a file, taken while it is written. */
export class Checksums {
  readonly #beginHash: () => GrowingHash
  readonly #here = new Bun.CryptoHasher('sha256')
  #elsewhere: GrowingHash | undefined
  #crc32 = 0
  #size = 0

  /** @param beginHash Has the file itself hashed; called when it turns out to be large. */
  constructor(beginHash: () => GrowingHash) {
    this.#beginHash = beginHash
  }

  /** Bytes taken so far. */
  get size(): number {
    return this.#size
  }

  /** Takes the next bytes of the file, of which `written` are in it by now. */
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

  /** The checksums of the whole file, all of which is written. */
  async end(): Promise<{ crc32: number; sha256: string }> {
    const sha256 = this.#elsewhere ? await this.#elsewhere.digest(this.#size) : this.#here.digest('hex')
    return { crc32: this.#crc32, sha256 }
  }

  /** Ends without a result. */
  abandon(): void {
    this.#elsewhere?.abandon()
  }
}

import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { S3Client } from '../s3/client.ts'
import { refusalOfStore } from '../s3/error.ts'
import { CHUNK_BYTES } from '../volume/buffers.ts'
import { Durability } from '../volume/disk.ts'
import { FILE_MODE } from '../volume/privacy.ts'
import { CutShort, type Pace } from '../volume/stored-file.ts'
import { SequentialWriter } from '../volume/writer.ts'
import { blobTime, type OpenedBlob, type StoredBlob } from './blob.ts'

/**
 * Bytes of one request. They are in memory before the reader gets the first of them, so a slow reader holds no
 * connection to the store, and a request that fails is repeated unnoticed.
 */
const SLICE_BYTES = 1024 ** 2

/** Blob that is read by ranges from the object store. It holds nothing open. */
export class RemoteBlob implements OpenedBlob {
  readonly size: number
  readonly mtimeMs: number
  readonly #client: S3Client
  readonly #key: string

  constructor(client: S3Client, key: string, { id, size }: StoredBlob) {
    this.size = size
    this.mtimeMs = blobTime(id)
    this.#client = client
    this.#key = key
  }

  close(): void {}

  /** Returns bytes `first` to `last` (both inclusive) as a stream. */
  body(first: number, last: number): ReadableStream<Uint8Array<ArrayBuffer>> {
    const leaving = new AbortController()
    const chunks = this.#chunks(first, last, leaving.signal)
    return new ReadableStream(
      {
        async pull(controller) {
          const { done, value } = await chunks.next()
          if (done) controller.close()
          else controller.enqueue(value)
        },
        async cancel() {
          leaving.abort()
          await chunks.return(undefined)
        },
      },
      { highWaterMark: 0 },
    )
  }

  /** Copies the whole blob to a new file at `path`. */
  async copyTo(path: string): Promise<void> {
    const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, FILE_MODE)
    try {
      const writer = new SequentialWriter(file, new Durability())
      for await (const chunk of this.chunks()) await writer.append(chunk)
      await writer.end()
    } finally {
      await file.close()
    }
  }

  /** Returns the SHA-256 of the whole blob in hex. */
  async sha256(pace?: Pace): Promise<string> {
    return (await this.#sums(pace)).sha256
  }

  /** Returns the unsigned CRC-32 of the whole blob. */
  async crc32(pace?: Pace): Promise<number> {
    return (await this.#sums(pace)).crc32
  }

  /** Returns the unsigned CRC-32 and the SHA-256, in hex, of the whole blob. */
  checksums(): Promise<{ crc32: number; sha256: string }> {
    return this.#sums()
  }

  /** Yields the whole blob in chunks that the caller may retain. */
  chunks(): AsyncGenerator<Uint8Array> {
    return this.#chunks(0, this.size - 1)
  }

  async #sums(pace?: Pace): Promise<{ crc32: number; sha256: string }> {
    const hasher = new Bun.CryptoHasher('sha256')
    let sum = 0
    for await (const chunk of this.chunks()) {
      hasher.update(chunk)
      sum = crc32(chunk, sum)
      await pace?.(chunk.length)
    }
    return { crc32: sum, sha256: hasher.digest('hex') }
  }

  /** @throws {Refusal} `unavailable`. @throws {CutShort} when the object is gone. */
  async *#chunks(
    first: number,
    last: number,
    leaving?: AbortSignal,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    let next = this.#read(first, last, leaving)
    for (let position = first; position <= last; position += SLICE_BYTES) {
      const slice = await next
      // Requested before the reader takes this slice, so that it does not wait for each.
      next = this.#read(position + SLICE_BYTES, last, leaving)
      for (let offset = 0; offset < slice.length; offset += CHUNK_BYTES)
        yield slice.subarray(offset, offset + CHUNK_BYTES)
    }
  }

  #read(first: number, last: number, leaving?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const read = this.#readNow(first, last, leaving)
    // Its failure is thrown to the reader that comes to it, if one does.
    read.catch(() => {})
    return read
  }

  async #readNow(first: number, last: number, leaving?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    if (first > last) return new Uint8Array()
    const range = { first, last: Math.min(first + SLICE_BYTES - 1, last) }
    try {
      const bytes = await this.#client.read(this.#key, range, this.size, leaving)
      if (!bytes) throw new CutShort()
      return bytes
    } catch (error) {
      throw refusalOfStore(error) ?? error
    }
  }
}

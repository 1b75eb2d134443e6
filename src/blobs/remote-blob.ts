import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { Utf8Check } from '../platform/utf8.ts'
import type { ByteRange, S3Client } from '../s3/client.ts'
import { refusalOfStore } from '../s3/error.ts'
import { Durability } from '../volume/disk.ts'
import type { FileSums } from '../volume/hash-thread.ts'
import { FILE_MODE } from '../volume/layout.ts'
import { CHUNK_BYTES, CutShort, type Pace } from '../volume/stored-file.ts'
import { SequentialWriter } from '../volume/writer.ts'
import { blobTime, type OpenedBlob, type StoredBlob } from './blob.ts'

/**
 * Bytes of one request. They are in memory before the reader gets the first of them, so a slow reader holds no
 * connection to the store, and a request that fails is repeated unnoticed.
 */
export const SLICE_BYTES = 1024 ** 2

/** Bytes in memory for all readers of large blobs together, beyond a chunk for each. */
const BUDGET_BYTES = 64 * 1024 ** 2

/** Memory that slow readers share. A reader that gets none reads by chunks, each requested when it is needed. */
export class ReadBudget {
  #free = BUDGET_BYTES

  /**
   * Takes memory for `bytes`.
   *
   * @param isAhead True for bytes that the reader does not need yet: those may take half of the budget only.
   * @returns Gives the memory back; `undefined` when there is none.
   */
  take(bytes: number, isAhead: boolean): (() => void) | undefined {
    if (this.#free - bytes < (isAhead ? BUDGET_BYTES / 2 : 0)) return undefined
    this.#free -= bytes
    let isTaken = true
    return () => {
      if (isTaken) this.#free += bytes
      isTaken = false
    }
  }
}

/** Object that has a blob, and what its readers share. */
export interface BlobSource {
  client: S3Client
  key: string
  budget: ReadBudget
}

/** Bytes of one request. */
interface Slice {
  bytes: Promise<Uint8Array<ArrayBuffer>>
  /** Position after its last byte. */
  end: number
  /** Gives its memory back. */
  release: () => void
}

interface SliceOptions {
  isAhead: boolean
  leaving: AbortSignal | undefined
}

/** Blob that is read by ranges from the object store. It holds nothing open. */
export class RemoteBlob implements OpenedBlob {
  readonly size: number
  readonly mtimeMs: number
  readonly #source: BlobSource

  constructor(source: BlobSource, { id, size }: StoredBlob) {
    this.size = size
    this.mtimeMs = blobTime(id)
    this.#source = source
  }

  close(): void {}

  /** Returns bytes `first` to `last` (both inclusive) as a stream. */
  body(first: number, last: number): ReadableStream<Uint8Array<ArrayBuffer>> {
    const leaving = new AbortController()
    return streamOf(this.#chunks(first, last, leaving.signal), () => leaving.abort())
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

  /** Returns the facts that are computed from the whole blob. */
  checksums(): Promise<FileSums> {
    return this.#sums()
  }

  /** Yields the whole blob in chunks that the caller may retain. */
  chunks(): AsyncGenerator<Uint8Array> {
    return this.#chunks(0, this.size - 1)
  }

  async #sums(pace?: Pace): Promise<FileSums> {
    const hasher = new Bun.CryptoHasher('sha256')
    const utf8 = new Utf8Check()
    let sum = 0
    for await (const chunk of this.chunks()) {
      hasher.update(chunk)
      utf8.update(chunk)
      sum = crc32(chunk, sum)
      await pace?.(chunk.length, chunk)
    }
    return { crc32: sum, sha256: hasher.digest('hex'), isUtf8: utf8.end() }
  }

  /** @throws {Refusal} `unavailable`. @throws {CutShort} when the object is gone. */
  async *#chunks(
    first: number,
    last: number,
    leaving?: AbortSignal,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    let slice = this.#request(first, last, { isAhead: false, leaving })
    let ahead: Slice | undefined
    try {
      while (slice) {
        const bytes = await slice.bytes
        // Requested before the reader takes this slice, so that it does not wait for each.
        ahead = this.#request(slice.end, last, { isAhead: true, leaving })
        for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES)
          yield bytes.subarray(offset, offset + CHUNK_BYTES)
        slice.release()
        slice = ahead ?? this.#request(slice.end, last, { isAhead: false, leaving })
        ahead = undefined
      }
    } finally {
      slice?.release()
      ahead?.release()
    }
  }

  /** Requests the bytes from `first` on; `undefined` after the last, and when there is no memory to read ahead. */
  #request(first: number, last: number, { isAhead, leaving }: SliceOptions): Slice | undefined {
    const length = Math.min(SLICE_BYTES, last - first + 1)
    if (length <= 0) return undefined
    const release = this.#source.budget.take(length, isAhead)
    if (!release && isAhead) return undefined
    const end = first + (release ? length : Math.min(length, CHUNK_BYTES))
    const bytes = this.#read({ first, last: end - 1 }, leaving)
    // Its failure is thrown to the reader that comes to it, if one does.
    bytes.catch(() => {})
    return { bytes, end, release: release ?? (() => {}) }
  }

  async #read(range: ByteRange, leaving?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const { client, key } = this.#source
    try {
      const bytes = await client.read(key, range, this.size, leaving)
      if (!bytes) throw new CutShort()
      return bytes
    } catch (error) {
      throw refusalOfStore(error) ?? error
    }
  }
}

/** Streams chunks on demand; a reader that leaves ends them after `onLeaving`. */
export function streamOf(
  chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>,
  onLeaving: () => void = () => {},
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        onLeaving()
        await chunks.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Blob that a long read fetches as a whole, for the cache. A short range is read from the object store alone. */
export class UncachedBlob extends RemoteBlob {
  readonly #openWhole: () => Promise<OpenedBlob | undefined>

  constructor(source: BlobSource, blob: StoredBlob, openWhole: () => Promise<OpenedBlob | undefined>) {
    super(source, blob)
    this.#openWhole = openWhole
  }

  override body(first: number, last: number): ReadableStream<Uint8Array<ArrayBuffer>> {
    return last - first < SLICE_BYTES ? super.body(first, last) : streamOf(this.#fetched(first, last))
  }

  async *#fetched(first: number, last: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const opened = await this.#openWhole()
    if (!opened) throw new CutShort()
    const body = opened.body(first, last)
    if (body instanceof ReadableStream) yield* body
    else yield body
  }
}

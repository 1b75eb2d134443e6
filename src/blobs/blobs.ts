import { rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../platform/clock.ts'
import type { Random } from '../platform/random.ts'
import { Slots } from '../platform/slots.ts'
import type { S3Client } from '../s3/client.ts'
import { refusalOfStore, refusing, S3Error } from '../s3/error.ts'
import { HashThread } from '../volume/hash-thread.ts'
import { FILE_MODE } from '../volume/layout.ts'
import { DistinctTimes, refuseWriteError } from '../volume/staging.ts'
import { StoredFile } from '../volume/stored-file.ts'
import {
  type ArrivingBlob,
  blobTime,
  isBlobId,
  type OnArrival,
  type OpenedBlob,
  type StoredBlob,
} from './blob.ts'
import type { BlobCache } from './cache.ts'
import type { Ownership } from './ownership.ts'
import { type BlobArrivals, createSends } from './parts.ts'
import { BlobReader } from './reader.ts'
import { SLICE_BYTES, UncachedBlob } from './remote-blob.ts'
import { BlobStaging } from './staging.ts'

export {
  type ArrivingBlob,
  blobTime,
  createBlobId,
  isBlobId,
  type OnArrival,
  type OpenedBlob,
  type StagedBlob,
  type StoredBlob,
} from './blob.ts'
export type { BlobStaging } from './staging.ts'

/** Maximum size of a blob that is fetched as a whole when it is read, in bytes. */
const WHOLE_BYTES = 64 * 1024 ** 2

interface BlobsOptions {
  /** Beginning of all keys, such as `files/`; may be empty. */
  prefix: string
  /** Folder of bytes that are on their way. */
  tmp: string
  cache: BlobCache
  /** Record of which server may remove objects; without it, this one may. */
  ownership?: Pick<Ownership, 'isOurs'> | undefined
  clock: Clock
  random: Random
}

/** Bytes of all blobs, each an object that is written once and never changed. */
export class Blobs {
  readonly #client: S3Client
  readonly #options: BlobsOptions
  readonly #arrivals: BlobArrivals
  /** Reads objects without local copies. */
  readonly reader: BlobReader
  /** Paths of blobs that are being fetched, or were until their copy is in the cache. */
  readonly #fetching = new Map<string, Promise<string | undefined>>()
  readonly #fetches = new Slots({
    count: 16,
    maxWaiting: 1024,
    maxWaitMs: 10_000,
    busy: 'The store of file contents is too slow, try again soon',
  })
  #fetchCount = 0
  /** Bytes of the blobs that are being fetched, which the disk needs room for. */
  #bytesFetching = 0

  constructor(client: S3Client, options: BlobsOptions) {
    const { clock, random } = options
    this.#client = client
    this.#options = options
    this.reader = new BlobReader(client, options.prefix)
    this.#arrivals = {
      ...{ client, clock, random },
      addToCache: (blob, content) => options.cache.add(blob, content),
      times: new DistinctTimes(),
      hashes: new HashThread(),
      sends: createSends(),
      keyOf: this.#keyOf,
    }
  }

  /** @param id Name of a new folder below `tmp/`. */
  stage(id: string, onArrival: OnArrival): Promise<BlobStaging> {
    return BlobStaging.create(join(this.#options.tmp, id), this.#arrivals, onArrival)
  }

  /** Opens the local copy of a blob; `undefined` when there is none. */
  openCached(blob: StoredBlob): OpenedBlob | undefined {
    return this.#options.cache.get(blob)
  }

  /**
   * Opens a blob for reading, at once when it is cached. Returns `undefined` when the object store has no such object:
   * its bytes are missing.
   *
   * @throws {Refusal} `unavailable` when the object store does not respond.
   */
  open(blob: StoredBlob): OpenedBlob | Promise<OpenedBlob | undefined> {
    const cached = this.openCached(blob)
    if (cached) return cached
    if (blob.size <= SLICE_BYTES) return this.#openWhole(blob)
    return this.#openRemote(blob, { isForCache: blob.size <= WHOLE_BYTES })
  }

  /** Returns true when `remove` and `abort` may be called now: no other server uses the objects. */
  async mayRemove(): Promise<boolean> {
    return (await this.#options.ownership?.isOurs()) ?? true
  }

  /** Evicts cached blobs until the local disk has room for `bytes` more. */
  makeRoom(bytes: number): void {
    this.#options.cache.makeRoom(bytes)
  }

  /**
   * Removes objects and their cached files. Missing ones are no error.
   *
   * @returns Ids of the objects that the store did not remove.
   * @throws {Refusal} `unavailable`.
   */
  async remove(ids: readonly string[]): Promise<Set<string>> {
    for (const id of ids) this.#options.cache.remove(id)
    const left = await refusing(this.#client.removeMany(ids.map(this.#keyOf)))
    return new Set(left.map((key) => this.reader.idOf(key)))
  }

  /**
   * Ends a multipart upload and removes its parts. A missing one is no error.
   *
   * @returns False when the store refuses.
   * @throws {Refusal} `unavailable`.
   */
  async abort({ id, uploadId }: Required<ArrivingBlob>): Promise<boolean> {
    try {
      await this.#client.uploads.abort(this.#keyOf(id), uploadId)
      return true
    } catch (error) {
      if (error instanceof S3Error && error.kind === 'refused') return false
      throw refusalOfStore(error) ?? error
    }
  }

  /** Copies a blob within the object store. Returns false when its bytes are missing. @throws {Refusal} `unavailable`. */
  copy({ id, size }: StoredBlob, newId: string): Promise<boolean> {
    return refusing(this.#client.copy({ from: this.#keyOf(id), to: this.#keyOf(newId), size }))
  }

  /** Lists multipart uploads of blobs that were neither completed nor aborted. */
  async *unfinished(): AsyncGenerator<Required<ArrivingBlob> & { startedAt: number }> {
    for await (const { key, uploadId, startedAt } of this.#client.uploads.list(this.#keyOf(''))) {
      const id = this.reader.idOf(key)
      if (isBlobId(id)) yield { id, uploadId, startedAt }
    }
  }

  close(): void {
    this.#arrivals.hashes.close()
  }

  readonly #keyOf = (id: string) => this.reader.keyOf(id)

  /** @param isForCache True for a blob that a long read fetches as a whole. */
  async #openRemote(
    blob: StoredBlob,
    { isForCache }: { isForCache: boolean },
  ): Promise<OpenedBlob | undefined> {
    const opened = await this.reader.open(blob)
    return opened && isForCache
      ? new UncachedBlob(this.reader.sourceOf(blob.id), blob, () => this.#openWhole(blob))
      : opened
  }

  /** Opens a file with the whole blob, or the remote one when the disk has no room for the file. */
  async #openWhole(blob: StoredBlob): Promise<OpenedBlob | undefined> {
    let fetching = this.#fetching.get(blob.id)
    if (!fetching) {
      if (blob.size > 0 && !this.#options.cache.makeRoom(this.#bytesFetching + blob.size))
        return this.#openRemote(blob, { isForCache: false })
      fetching = this.#fetch(blob)
      this.#fetching.set(blob.id, fetching)
    }
    const path = await fetching
    return path === undefined ? undefined : StoredFile.openCopy(path, blobTime(blob.id))
  }

  /** Fetches a blob to a file, which moves to the cache as soon as all that waited for it have opened it. */
  async #fetch(blob: StoredBlob): Promise<string | undefined> {
    const path = join(this.#options.tmp, `fetched-${blob.id}-${this.#fetchCount++}`)
    this.#bytesFetching += blob.size
    try {
      const isFetched = await this.#download(blob, path)
      setImmediate(() => {
        this.#fetching.delete(blob.id)
        if (isFetched) this.#options.cache.add(blob, { path })
      })
      return isFetched ? path : undefined
    } catch (error) {
      this.#fetching.delete(blob.id)
      rmSync(path, { force: true })
      throw refusalOfStore(error) ?? error
    } finally {
      this.#bytesFetching -= blob.size
    }
  }

  async #download({ id, size }: StoredBlob, path: string): Promise<boolean> {
    const release = await this.#fetches.take(NEVER)
    try {
      const file = await open(path, 'wx', FILE_MODE).catch(refuseWriteError)
      try {
        const isFetched = await this.#client.get(this.#keyOf(id), size, async (chunks) => {
          let position = 0
          for await (const chunk of chunks) {
            position = await writeAll(file, chunk, position).catch(refuseWriteError)
          }
          return true
        })
        if (!isFetched) rmSync(path)
        return isFetched === true
      } finally {
        await file.close()
      }
    } finally {
      release()
    }
  }
}

/** Writes a whole chunk, which a full disk may take in part. @returns The position after it. */
async function writeAll(file: FileHandle, chunk: Uint8Array, position: number): Promise<number> {
  let written = 0
  while (written < chunk.length) {
    const { bytesWritten } = await file.write(chunk, written, chunk.length - written, position + written)
    written += bytesWritten
  }
  return position + written
}

const NEVER = new AbortController().signal

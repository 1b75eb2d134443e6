import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { refuseConflict } from '../platform/errors.ts'
import { Utf8Check } from '../platform/utf8.ts'
import { refusalOfStore } from '../s3/error.ts'
import { FOLDER_MODE } from '../volume/layout.ts'
import { type Limits, refuseWriteError, tooLarge } from '../volume/staging.ts'
import { createBlobId, type OnArrival, type StagedBlob } from './blob.ts'
import { type BlobArrivals, Parts, PartWriter } from './parts.ts'

/** Files of one upload that are sent at a time. */
const FILES_IN_FLIGHT = 16
/**
 * Blobs of one upload. Those of more than 64 KiB go to the local disk first, a part at a time, so the memory is bounded.
 * `discard` must end it, whatever happened.
 */
export class BlobStaging {
  readonly #path: string
  readonly #arrivals: BlobArrivals
  readonly #onArrival: OnArrival
  readonly #leaving = new AbortController()
  readonly #sends = new Set<Promise<void>>()
  #failure: { error: unknown } | undefined
  #count = 0

  private constructor(path: string, arrivals: BlobArrivals, onArrival: OnArrival) {
    this.#path = path
    this.#arrivals = arrivals
    this.#onArrival = onArrival
  }

  static async create(path: string, arrivals: BlobArrivals, onArrival: OnArrival): Promise<BlobStaging> {
    await mkdir(path, FOLDER_MODE).catch(refuseWriteError)
    return new BlobStaging(path, arrivals, onArrival)
  }

  /**
   * Sends `bytes` as a new blob and computes its checksums on the way. It is in the object store only after `sync`.
   *
   * @param id Id of the blob; a new one by default.
   * @throws {Refusal} `too-large` past `maxBytes`, `no-space`, `unavailable` when the object store does not respond.
   */
  async receive(
    bytes: AsyncIterable<Uint8Array>,
    limits: Limits,
    id = this.#createId(),
  ): Promise<StagedBlob> {
    if (this.#sends.size >= FILES_IN_FLIGHT) await Promise.race(this.#sends)
    const parts = new Parts(id, this.#arrivals, this.#onArrival, this.#leaving.signal)
    const sha256 = new Bun.CryptoHasher('sha256')
    const md5 = limits.withMd5 ? new Bun.CryptoHasher('md5') : undefined
    const utf8 = new Utf8Check()
    let [sum, size] = [0, 0]
    const writer = new PartWriter(() => this.#nextPath())
    try {
      for await (const chunk of bytes) {
        size += chunk.length
        if (size > limits.maxBytes) throw tooLarge(limits.maxBytes)
        limits.claim(chunk.length)
        sha256.update(chunk)
        md5?.update(chunk)
        utf8.update(chunk)
        sum = crc32(chunk, sum)
        for (const part of await writer.append(chunk)) await parts.send(part)
      }
      const last = await writer.end()
      const blob = { id, size, crc32: sum, sha256: sha256.digest('hex'), isUtf8: utf8.end() }
      this.#inBackground(() => parts.finish(blob, last))
      return md5 ? { ...blob, md5: md5.digest('hex') } : blob
    } catch (error) {
      await writer.abandon()
      this.#inBackground(() => parts.idle())
      return refuseWriteError(refusalOfStore(error) ?? error)
    }
  }

  /**
   * Copies a blob within the object store to a new one. It is there only after `sync`, which throws a `conflict` when the
   * bytes of the source are missing.
   *
   * @param leaving Aborted when nothing waits for the copy any more.
   */
  async copy(source: StagedBlob, leaving = this.#leaving.signal): Promise<StagedBlob> {
    if (this.#sends.size >= FILES_IN_FLIGHT) await Promise.race(this.#sends)
    const { client, keyOf } = this.#arrivals
    const copy = { ...source, id: this.#createId() }
    const names = { from: keyOf(source.id), to: keyOf(copy.id), size: source.size }
    this.#inBackground(async () => {
      const isCopied = await client.copy(
        names,
        (uploadId) => this.#onArrival({ id: copy.id, ...(uploadId !== undefined && { uploadId }) }),
        AbortSignal.any([this.#leaving.signal, leaving]),
      )
      if (!isCopied) throw refuseConflict('The bytes of the file are missing, so it cannot be copied')
    })
    return copy
  }

  /** Waits until the object store has acknowledged everything received. @throws {Refusal} `unavailable`, `conflict`. */
  async sync(): Promise<void> {
    while (this.#sends.size > 0) await Promise.all(this.#sends)
    if (this.#failure) refuseWriteError(refusalOfStore(this.#failure.error) ?? this.#failure.error)
  }

  /** Stops what is under way and removes local files. Objects stay: the rows of arriving blobs lead to them. */
  async discard(): Promise<void> {
    this.#leaving.abort()
    await Promise.all(this.#sends)
    await rm(this.#path, { recursive: true, force: true })
  }

  #createId(): string {
    const { clock, random, times } = this.#arrivals
    return createBlobId(times.next(clock.now()), random)
  }

  #nextPath(): string {
    return join(this.#path, String(this.#count++))
  }

  /** Runs `work` until `sync`, which throws its failure. */
  #inBackground(work: () => Promise<void>): void {
    const done = work()
      .catch((error) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#sends.delete(done))
    this.#sends.add(done)
  }
}

import { constants } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import type { Clock } from '../platform/clock.ts'
import type { Random } from '../platform/random.ts'
import { Slots } from '../platform/slots.ts'
import type { S3Client } from '../s3/client.ts'
import { brokenResponse } from '../s3/error.ts'
import type { Part } from '../s3/multipart.ts'
import { filePayload, type Payload } from '../s3/payload.ts'
import { Durability } from '../volume/disk.ts'
import type { HashThread } from '../volume/hash-thread.ts'
import { FILE_MODE } from '../volume/layout.ts'
import type { DistinctTimes } from '../volume/staging.ts'
import { SequentialWriter } from '../volume/writer.ts'
import type { OnArrival, StagedBlob } from './blob.ts'

/** Size of the first parts, in bytes. A file of at most one part is sent in one request. */
const PART_BYTES = 16 * 1024 ** 2
/** Parts after which their size doubles, so that 10,000 hold the largest object. */
const PARTS_OF_A_SIZE = 1000
/** Maximum size of a part (S3 user guide, multipart upload limits). */
const MAX_PART_BYTES = 5 * 1024 ** 3
/** Parts of one file that are sent at a time. */
const PARTS_IN_FLIGHT = 3
/** Bodies that are sent at a time, of all uploads. A large one holds some MiB in buffers while it is sent. */
const MAX_SENDS = { large: 8, small: 64 }
/** Maximum size of a small body, in bytes. */
const SMALL_BYTES = 256 * 1024
/** Maximum size of a blob that waits in memory instead of on the local disk, in bytes. */
const IN_MEMORY_BYTES = 64 * 1024

const partBytes = (number: number) =>
  Math.min(PART_BYTES * 2 ** Math.floor((number - 1) / PARTS_OF_A_SIZE), MAX_PART_BYTES)

/** Services shared by all arriving blobs. */
export interface BlobArrivals {
  client: S3Client
  /** Takes the complete content of a blob away, to the cache if it fits. */
  addToCache: (blob: StagedBlob, content: LocalContent) => void
  clock: Clock
  random: Random
  times: DistinctTimes
  hashes: HashThread
  sends: Record<'large' | 'small', Slots>
  keyOf: (id: string) => string
}

export const createSends = () => ({ large: slotsFor(MAX_SENDS.large), small: slotsFor(MAX_SENDS.small) })

const slotsFor = (count: number) =>
  new Slots({ count, maxWaiting: 4096, maxWaitMs: 600_000, busy: 'Too many uploads, try again soon' })

/** Bytes on the local disk, or in memory if they are a small blob, until the store has them. */
type LocalContent = { path: string } | { bytes: Uint8Array<ArrayBuffer> }
type LocalPart = LocalContent & { size: number }

const payloadOf = (content: LocalContent, known: { size: number; sha256: string }): Payload =>
  'path' in content ? filePayload(content.path, known) : { ...known, open: () => content.bytes }

/** Writes bytes to one file after the other, each as long as a part. Those of a small blob stay in memory. */
export class PartWriter {
  readonly #nextPath: () => string
  #number = 0
  /** Memory with a copy of all bytes, as long as they are those of a small blob. */
  #gathered = new Uint8Array(0)
  #gatheredBytes = 0
  #current: { path: string; file: FileHandle; writer: SequentialWriter; size: number } | undefined

  constructor(nextPath: () => string) {
    this.#nextPath = nextPath
  }

  /** Writes bytes and returns the parts that are followed by others, complete. */
  async append(bytes: Uint8Array): Promise<LocalPart[]> {
    if (this.#number > 0) return this.#write(bytes)
    if (this.#gatheredBytes + bytes.length <= IN_MEMORY_BYTES) {
      this.#gather(bytes)
      return []
    }
    // Too few to complete a part.
    await this.#write(this.#gathered.subarray(0, this.#gatheredBytes))
    this.#gathered = new Uint8Array(0)
    return this.#write(bytes)
  }

  /** Copies bytes. A client may send them one by one, and an array for each would take a hundred times their length. */
  #gather(bytes: Uint8Array): void {
    const length = this.#gatheredBytes + bytes.length
    if (length > this.#gathered.length) {
      const larger = new Uint8Array(Math.min(IN_MEMORY_BYTES, 2 * length))
      larger.set(this.#gathered.subarray(0, this.#gatheredBytes))
      this.#gathered = larger
    }
    this.#gathered.set(bytes, this.#gatheredBytes)
    this.#gatheredBytes = length
  }

  /** Ends the current part. */
  async end(): Promise<LocalPart> {
    if (this.#number === 0)
      return { bytes: this.#gathered.subarray(0, this.#gatheredBytes), size: this.#gatheredBytes }
    const { path, file, writer, size } = this.#current ?? (await this.#begin())
    await writer.end()
    await file.close()
    this.#current = undefined
    return { path, size }
  }

  async #write(bytes: Uint8Array): Promise<LocalPart[]> {
    const complete: LocalPart[] = []
    for (let rest = bytes; rest.length > 0; ) {
      if (this.#current?.size === partBytes(this.#number)) complete.push(await this.end())
      this.#current ??= await this.#begin()
      const length = Math.min(rest.length, partBytes(this.#number) - this.#current.size)
      const piece = rest.subarray(0, length)
      rest = rest.subarray(length)
      this.#current.size += length
      // Last, because the writer may detach the memory of what it has written.
      await this.#current.writer.append(piece)
    }
    return complete
  }

  /** Closes the current part, which is not used any more. */
  async abandon(): Promise<void> {
    await this.#current?.writer.idle()
    await this.#current?.file.close()
    this.#current = undefined
  }

  async #begin() {
    this.#number += 1
    const path = this.#nextPath()
    const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, FILE_MODE)
    return { path, file, writer: new SequentialWriter(file, new Durability()), size: 0 }
  }
}

/** Parts of one blob on their way to the store. */
export class Parts {
  readonly #id: string
  readonly #arrivals: BlobArrivals
  readonly #onArrival: OnArrival
  readonly #leaving: AbortSignal
  readonly #inFlight = new Set<Promise<void>>()
  readonly #sent: Part[] = []
  #uploadId: string | undefined
  #count = 0
  #failure: { error: unknown } | undefined

  constructor(id: string, arrivals: BlobArrivals, onArrival: OnArrival, leaving: AbortSignal) {
    this.#id = id
    this.#arrivals = arrivals
    this.#onArrival = onArrival
    this.#leaving = leaving
  }

  /** Sends a part in the background, once few enough are under way. @throws what an earlier part failed with. */
  async send(part: LocalPart): Promise<void> {
    this.#uploadId ??= await this.#start()
    if (this.#inFlight.size >= PARTS_IN_FLIGHT) await Promise.race(this.#inFlight)
    this.#throwFailure()
    const done = this.#put(++this.#count, this.#uploadId, part)
      .catch((error) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#inFlight.delete(done))
    this.#inFlight.add(done)
  }

  /** Sends the last part, or the whole blob if there was none before. It is in the store then. */
  async finish(blob: StagedBlob, last: LocalPart): Promise<void> {
    if (this.#uploadId === undefined) return this.#putWhole(blob, last)
    await this.send(last)
    await this.idle()
    this.#throwFailure()
    const parts = this.#sent.toSorted((a, b) => a.number - b.number)
    const { client, keyOf } = this.#arrivals
    await client.uploads.complete(keyOf(this.#id), this.#uploadId, parts)
  }

  async idle(): Promise<void> {
    await Promise.all(this.#inFlight)
  }

  async #start(): Promise<string> {
    const { client, keyOf } = this.#arrivals
    const uploadId = await client.uploads.start(keyOf(this.#id))
    await this.#onArrival({ id: this.#id, uploadId })
    return uploadId
  }

  async #put(number: number, uploadId: string, part: LocalPart): Promise<void> {
    const { client, hashes, keyOf } = this.#arrivals
    if (!('path' in part)) throw new Error('A part of a large blob is in memory')
    const { path, size } = part
    const { sha256 } = await hashes.checksums(path, size)
    const key = keyOf(this.#id)
    const payload = filePayload(path, { size, sha256 })
    this.#sent.push(
      await this.#sending(size, () => client.uploads.put({ key, uploadId, number }, payload, this.#leaving)),
    )
    await rm(path)
  }

  async #putWhole(blob: StagedBlob, content: LocalContent): Promise<void> {
    const { client, keyOf, addToCache } = this.#arrivals
    await this.#onArrival({ id: blob.id })
    const payload = payloadOf(content, blob)
    const options = { ifAbsent: true, leaving: this.#leaving }
    // No earlier blob has this id, so the store contradicts itself.
    if (!(await this.#sending(blob.size, () => client.put(keyOf(blob.id), payload, options))))
      throw brokenResponse('PUT', 'a new object exists with another size')
    addToCache(blob, content)
  }

  async #sending<Result>(bytes: number, send: () => Promise<Result>): Promise<Result> {
    const slots = this.#arrivals.sends[bytes > SMALL_BYTES ? 'large' : 'small']
    const release = await slots.take(this.#leaving)
    try {
      return await send()
    } finally {
      release()
    }
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error
  }
}

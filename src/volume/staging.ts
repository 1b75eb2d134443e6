import { constants, fstatSync } from 'node:fs'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, Refusal, refusalOfMachine, refuseConflict } from '../platform/errors.ts'
import { type FileIdentity, identityOf } from './directory.ts'
import type { Durability } from './disk.ts'
import type { FileSums, HashThread } from './hash-thread.ts'
import { FILE_MODE, FOLDER_MODE } from './layout.ts'
import type { StoredFile } from './stored-file.ts'
import { Checksums, SequentialWriter } from './writer.ts'

/** Received file under an unpublished name. */
export interface StagedFile extends FileSums {
  path: string
  size: number
  identity: FileIdentity
}

export interface Limits {
  /** Maximum size of a file, in bytes. */
  maxBytes: number
  /** Called before each write with its number of bytes; throws when the volume has no room for them. */
  claim: (bytes: number) => void
  /** True to compute the MD5 as well. */
  withMd5?: boolean
}

/** Bytes as a row describes them. */
type Content = FileSums & Pick<StagedFile, 'size'>

/** Row whose bytes are copied, and how to open them. */
export interface CopySource {
  row: Content
  open: () => Promise<Pick<StoredFile, 'size' | 'close' | 'copyTo'>>
}

/** Services shared by all arriving files. */
export interface Arrivals {
  hashes: HashThread
  times: DistinctTimes
  durability: Durability
}

/** Maximum concurrent fsyncs of one upload; together they cost little more than one. */
const MAX_SYNCS = 16

/**
 * Folder of one upload under `tmp/`. Its names are numbers, never input of the client. `discard` must end it,
 * whatever happened.
 */
export class Staging {
  readonly #path: string
  readonly #arrivals: Arrivals
  readonly #syncs = new Set<Promise<void>>()
  #failure: { error: unknown } | undefined
  #count = 0

  private constructor(path: string, arrivals: Arrivals) {
    this.#path = path
    this.#arrivals = arrivals
  }

  static async create(path: string, arrivals: Arrivals): Promise<Staging> {
    await mkdir(path, FOLDER_MODE).catch(refuseWriteError)
    return new Staging(path, arrivals)
  }

  /**
   * Writes `bytes` to a new staged file and computes its checksums on the way. The file is durable only after
   * `sync`.
   *
   * @throws {Refusal} `too-large` past `maxBytes`, `no-space` when the volume is full.
   */
  async receive(bytes: AsyncIterable<Uint8Array>, limits: Limits): Promise<StagedFile> {
    if (this.#syncs.size >= MAX_SYNCS) await Promise.race(this.#syncs)
    const path = join(this.#path, String(this.#count++))
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
    const file = await open(path, flags, FILE_MODE).catch(refuseWriteError)
    const received = this.#write(file, path, bytes, limits)
    const sync = this.#sync(file, received).finally(() => this.#syncs.delete(sync))
    this.#syncs.add(sync)
    return received.catch(refuseWriteError)
  }

  /**
   * Copies a stored file, which its row describes, to a new staged file.
   *
   * @throws {Refusal} `conflict` when the file has another length than its row, `no-space`.
   */
  async copy({ row, open: openSource }: CopySource, { claim }: Pick<Limits, 'claim'>): Promise<StagedFile> {
    const source = await openSource()
    if (this.#syncs.size >= MAX_SYNCS) await Promise.race(this.#syncs)
    const path = join(this.#path, String(this.#count++))
    try {
      claim(source.size)
    } catch (error) {
      source.close()
      throw error
    }
    await source.copyTo(path).catch(refuseWriteError)
    const file = await open(path, constants.O_RDWR).catch(refuseWriteError)
    const copied = this.#describe(file, path, row)
    const sync = this.#sync(file, copied).finally(() => this.#syncs.delete(sync))
    this.#syncs.add(sync)
    return copied.catch(refuseWriteError)
  }

  async #describe(
    file: FileHandle,
    path: string,
    { size, crc32, sha256, isUtf8 }: Content,
  ): Promise<StagedFile> {
    await file.chmod(FILE_MODE)
    const identity = identityOf(await file.stat())
    if (identity.size !== size) throw refuseConflict('The file was changed on disk, so it cannot be copied')
    identity.mtimeMs = this.#arrivals.times.next(identity.mtimeMs)
    return { path, size, crc32, sha256, isUtf8, identity }
  }

  /**
   * Waits until everything received is durable.
   *
   * @throws {Refusal} `no-space` when the volume is full.
   */
  async sync(): Promise<void> {
    await Promise.all(this.#syncs)
    if (this.#failure) refuseWriteError(this.#failure.error)
  }

  /** Removes the folder with its files. */
  async discard(): Promise<void> {
    await Promise.all(this.#syncs)
    await rm(this.#path, { recursive: true, force: true })
  }

  /** Makes a file durable once it is received, and closes it. `sync` throws its failures. */
  async #sync(file: FileHandle, received: Promise<StagedFile>): Promise<void> {
    const keep = (error: unknown) => {
      this.#failure ??= { error }
    }
    const { durability } = this.#arrivals
    await received.then(({ identity }) => syncAsOf(file, identity.mtimeMs, durability)).catch(keep)
    await file.close().catch(keep)
  }

  async #write(
    file: FileHandle,
    path: string,
    bytes: AsyncIterable<Uint8Array>,
    limits: Limits,
  ): Promise<StagedFile> {
    const sums = new Checksums(() => this.#arrivals.hashes.begin(path, limits.withMd5), limits.withMd5)
    const writer = new SequentialWriter(file, this.#arrivals.durability)
    try {
      let size = 0
      for await (const chunk of bytes) {
        size += chunk.length
        if (size > limits.maxBytes) throw tooLarge(limits.maxBytes)
        limits.claim(chunk.length)
        sums.update(chunk, writer.written)
        await writer.append(chunk)
      }
      await writer.end()
      // Within the call: an open file's state is in memory, and a thread for it costs twenty times as much.
      const identity = identityOf(fstatSync(file.fd))
      identity.mtimeMs = this.#arrivals.times.next(identity.mtimeMs)
      return { path, size, ...(await sums.end()), identity }
    } catch (error) {
      sums.abandon()
      throw error
    } finally {
      await writer.idle()
    }
  }
}

/** Makes a file durable with the given modification time. */
export async function syncAsOf(file: FileHandle, mtimeMs: number, durability: Durability): Promise<void> {
  const time = new Date(mtimeMs)
  await file.utimes(time, time)
  await durability.sync(file)
}

export const tooLarge = (maxBytes: number) =>
  new Refusal('too-large', `A file is larger than the maximum upload size of ${maxBytes} bytes`)

function refusalOf(error: unknown): unknown {
  if (errorCode(error) === 'EFBIG')
    return new Refusal('too-large', 'A file is larger than the system allows', { cause: error })
  return refusalOfMachine(error) ?? error
}

export function refuseWriteError(error: unknown): never {
  throw refusalOf(error)
}

/** Maximum lead of an issued time over the clock, in milliseconds; beyond it, the clock is followed again. */
export const MAX_AHEAD_MS = 60_000

/**
 * Issues strictly increasing modification times. ETags are built from size and mtime, and the kernel's clock
 * is coarse: without this a replaced file could keep its predecessor's ETag.
 */
export class DistinctTimes {
  #last = 0

  /** Returns the given time in whole milliseconds, or a little later. */
  next(mtimeMs: number): number {
    const time = Math.floor(mtimeMs)
    const isTaken = time <= this.#last && this.#last - time < MAX_AHEAD_MS
    this.#last = isTaken ? this.#last + 1 : time
    return this.#last
  }
}

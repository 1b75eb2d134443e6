import { constants, type Stats } from 'node:fs'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, Refusal, refusalOfMachine } from '../platform/errors.ts'
import { Checksums } from './checksums.ts'
import type { Durability } from './durability.ts'
import type { HashThread } from './hash-thread.ts'
import { FILE_MODE, FOLDER_MODE } from './privacy.ts'
import type { DistinctTimes } from './times.ts'
import { SequentialWriter } from './writer.ts'

/** A received file under a name that nobody can see yet. */
export interface StagedFile {
  path: string
  size: number
  /** Unsigned CRC-32 of the bytes. */
  crc32: number
  /** SHA-256 of the bytes in hex. */
  sha256: string
  identity: FileIdentity
}

/** Tells a file on disk from every other one: a link keeps it, a copy does not. */
export interface FileIdentity {
  inode: string
  size: number
  mtimeMs: number
}

export interface Limits {
  /** Largest file, in bytes. */
  maxBytes: number
  /** Called with every count of bytes about to be written; throws when the volume has no room for them. */
  claim: (bytes: number) => void
}

/** What all files that arrive share. */
export interface Arrivals {
  hashes: HashThread
  times: DistinctTimes
  durability: Durability
}

export const identityOf = (stat: Stats): FileIdentity => ({
  inode: String(stat.ino),
  size: stat.size,
  mtimeMs: stat.mtimeMs,
})

/** Files of one upload that are made durable at the same time; together they cost little more than one. */
const MAX_SYNCS = 16

/**
 * One upload's own folder under `tmp/`. Names in it are numbers, never what the client sent. `discard`
 * must be called in the end, whatever happened.
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
   * Writes `bytes` to a new staged file. Checksums are taken on the way. The file is durable only after
   * `settle`.
   *
   * @throws {Refusal} `too_large` past `maxBytes`, `no_space` when the volume is full.
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
   * Waits until everything received is durable.
   *
   * @throws {Refusal} `no_space` when the volume is full.
   */
  async settle(): Promise<void> {
    await Promise.all(this.#syncs)
    if (this.#failure) refuseWriteError(this.#failure.error)
  }

  /** Removes the folder and what is in it. */
  async discard(): Promise<void> {
    await Promise.all(this.#syncs)
    await rm(this.#path, { recursive: true, force: true })
  }

  /** Makes a file durable once it is received, and closes it. Failures are kept for `settle`. */
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
    const sums = new Checksums(() => this.#arrivals.hashes.begin(path))
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
      const identity = identityOf(await file.stat())
      identity.mtimeMs = this.#arrivals.times.next(identity.mtimeMs)
      return { path, size, ...(await sums.end()), identity }
    } catch (error) {
      sums.abandon()
      throw error
    } finally {
      await writer.settle()
    }
  }
}

/** Makes a file durable, and its modification time the one it is known by. */
export async function syncAsOf(file: FileHandle, mtimeMs: number, durability: Durability): Promise<void> {
  const time = new Date(mtimeMs)
  await file.utimes(time, time)
  await durability.sync(file)
}

export const tooLarge = (maxBytes: number) =>
  new Refusal('too_large', `A file is larger than the maximum upload size of ${maxBytes} bytes`)

function refusalOf(error: unknown): unknown {
  if (errorCode(error) === 'EFBIG')
    return new Refusal('too_large', 'A file is larger than the system allows', { cause: error })
  return refusalOfMachine(error) ?? error
}

export function refuseWriteError(error: unknown): never {
  throw refusalOf(error)
}

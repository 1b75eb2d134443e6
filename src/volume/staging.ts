import { constants, type Stats } from 'node:fs'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { errorCode, isOutOfSpace, Refusal, refuseNoSpace } from '../errors.ts'

/** A received file, durable under a name that nobody can see yet. */
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

export const identityOf = (stat: Stats): FileIdentity => ({
  inode: String(stat.ino),
  size: stat.size,
  mtimeMs: stat.mtimeMs,
})

/**
 * One upload's own folder under `tmp/`. Names in it are numbers, never what the client sent. `discard`
 * must be called in the end, whatever happened.
 */
export class Staging {
  readonly #path: string
  readonly #collected: string[] = []
  #count = 0

  private constructor(path: string) {
    this.#path = path
  }

  static async create(path: string): Promise<Staging> {
    await mkdir(path).catch(refuseWriteError)
    return new Staging(path)
  }

  /**
   * Writes `bytes` to a new staged file and makes it durable. Checksums are taken on the way.
   *
   * @throws {Refusal} `too_large` past `maxBytes`, `no_space` when the volume is full.
   */
  receive(bytes: AsyncIterable<Uint8Array>, limits: Limits): Promise<StagedFile> {
    return this.#write(bytes, limits, (file) => file.sync())
  }

  /** Does as `receive` does, but what it wrote is durable only after `sync`. */
  async collect(bytes: AsyncIterable<Uint8Array>, limits: Limits): Promise<StagedFile> {
    const staged = await this.#write(bytes, limits)
    this.#collected.push(staged.path)
    return staged
  }

  /** Makes everything collected durable. Together this goes several times as fast as one by one. */
  async sync(): Promise<void> {
    const paths = this.#collected.values()
    const work = async () => {
      for (const path of paths) await syncFile(path)
    }
    await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, work)).catch(refuseWriteError)
  }

  async #write(
    bytes: AsyncIterable<Uint8Array>,
    limits: Limits,
    finish?: (file: FileHandle) => Promise<void>,
  ): Promise<StagedFile> {
    const path = join(this.#path, String(this.#count++))
    const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o644).catch(
      refuseWriteError,
    )
    try {
      const sums = await writeAll(file, bytes, limits)
      await finish?.(file)
      return { path, ...sums, identity: identityOf(await file.stat()) }
    } catch (error) {
      throw refusalOf(error)
    } finally {
      await file.close()
    }
  }

  /** Removes the folder and what is in it. */
  async discard(): Promise<void> {
    await rm(this.#path, { recursive: true, force: true })
  }
}

/** Files that are made durable at the same time: the file system writes its journal once for many. */
const SYNCS_AT_ONCE = 16

async function syncFile(path: string): Promise<void> {
  const file = await open(path, constants.O_RDWR)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function writeAll(file: FileHandle, bytes: AsyncIterable<Uint8Array>, { maxBytes, claim }: Limits) {
  const sha256 = new Bun.CryptoHasher('sha256')
  let crc = 0
  let size = 0
  for await (const chunk of bytes) {
    if (size + chunk.length > maxBytes) throw tooLarge(maxBytes)
    claim(chunk.length)
    // The hashes are taken while another thread writes.
    const written = writeFully(file, chunk, size)
    sha256.update(chunk)
    crc = crc32(chunk, crc)
    await written
    size += chunk.length
  }
  return { size, crc32: crc, sha256: sha256.digest('hex') }
}

async function writeFully(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  let written = 0
  while (written < chunk.length) {
    const { bytesWritten } = await file.write(chunk, written, chunk.length - written, position + written)
    written += bytesWritten
  }
}

export const tooLarge = (maxBytes: number) =>
  new Refusal('too_large', `A file is larger than the maximum upload size of ${maxBytes} bytes`)

function refusalOf(error: unknown): unknown {
  if (isOutOfSpace(error)) return refuseNoSpace(error)
  if (errorCode(error) === 'EFBIG')
    return new Refusal('too_large', 'A file is larger than the system allows', { cause: error })
  return error
}

function refuseWriteError(error: unknown): never {
  throw refusalOf(error)
}

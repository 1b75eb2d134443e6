import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes of a spool in memory, at its start and at its end; the rest is on disk. */
const MEMORY_BYTES = 64 * 1024
/** Chunk size of reads from disk. */
const READ_BYTES = 64 * 1024
/** Maximum bytes of all spools on disk: about two million files of lists, or ten million of archives. */
const MAX_DISK_BYTES = 1024 ** 3
/** Maximum spools on disk, and so open files. */
const MAX_DISK_SPOOLS = 128

/** Disk space that all spools of a volume share. */
export class SpoolSpace {
  readonly #tmp: string
  readonly #assertRoom: (bytes: number) => void
  #bytes = 0
  #files = 0
  #count = 0

  /** @param assertRoom Throws when the volume has no room for so many bytes. */
  constructor(tmp: string, assertRoom: (bytes: number) => void) {
    this.#tmp = tmp
    this.#assertRoom = assertRoom
  }

  /** Opens an unnamed file, so that nothing of it outlives the process. */
  async open(): Promise<FileHandle | undefined> {
    if (this.#files === MAX_DISK_SPOOLS) return undefined
    this.#files += 1
    this.#count += 1
    try {
      const path = join(this.#tmp, `spool-${this.#count}`)
      const file = await open(path, 'wx+', 0o600)
      await unlink(path)
      return file
    } catch {
      this.#files -= 1
      return undefined
    }
  }

  /** Reserves `bytes` more. Returns false when there is no room. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > MAX_DISK_BYTES) return false
    try {
      this.#assertRoom(bytes)
    } catch {
      return false
    }
    this.#bytes += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes
  }

  async close(file: FileHandle): Promise<void> {
    this.#files -= 1
    await file.close()
  }
}

/** FIFO of bytes between a producer and a slower consumer: a few in memory, the others in a temporary file. */
export class Spool {
  readonly #space: SpoolSpace
  /** Oldest bytes. */
  readonly #first = new Chunks()
  /** Latest bytes, once there is a file. */
  readonly #last = new Chunks()
  #file: FileHandle | undefined
  #read = 0
  #written = 0
  #isClosed = false
  #busy: Promise<unknown> = Promise.resolve()

  constructor(space: SpoolSpace) {
    this.#space = space
  }

  /** Appends bytes, which the spool owns from then on. Resolves with `false`, and appends none, when there is no room. */
  append(bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    return this.#alone(async () => {
      if (this.#isClosed) return false
      const isDirect = this.#written === this.#read && this.#last.size === 0
      const chunks = isDirect ? this.#first : this.#last
      if (chunks.size > 0 && chunks.size + bytes.length > MEMORY_BYTES) {
        // The oldest bytes stay in memory, because they are taken next.
        if (!isDirect && !(await this.#spill())) return false
        this.#last.add(bytes)
      } else {
        chunks.add(bytes)
      }
      return true
    })
  }

  /** Removes and returns the oldest bytes; `undefined` when there are none. */
  take(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.#alone(async () => {
      const first = this.#first.shift()
      if (first) return first
      if (this.#file && this.#read < this.#written) return this.#readBack(this.#file)
      return this.#last.shift()
    })
  }

  /** Frees memory and disk. */
  close(): Promise<void> {
    return this.#alone(async () => {
      if (this.#isClosed) return
      this.#isClosed = true
      this.#first.clear()
      this.#last.clear()
      this.#space.giveBack(this.#written)
      if (this.#file) await this.#space.close(this.#file)
      this.#file = undefined
    })
  }

  async #spill(): Promise<boolean> {
    this.#file ??= await this.#space.open()
    const bytes = this.#last.all()
    if (!this.#file || !this.#space.take(bytes.length)) return false
    try {
      await writeAll(this.#file, bytes, this.#written)
    } catch {
      this.#space.giveBack(bytes.length)
      return false
    }
    this.#written += bytes.length
    this.#last.clear()
    return true
  }

  async #readBack(file: FileHandle): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(Math.min(READ_BYTES, this.#written - this.#read))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, this.#read)
    if (bytesRead === 0) throw new Error('A temporary file is shorter than it was written')
    this.#read += bytesRead
    if (this.#read === this.#written) {
      await file.truncate(0)
      this.#space.giveBack(this.#written)
      this.#read = this.#written = 0
    }
    return bytes.subarray(0, bytesRead)
  }

  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#busy.then(work)
    this.#busy = done.catch(() => {})
    return done
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}

/** Bytes in memory, in order. */
class Chunks {
  #chunks: Uint8Array<ArrayBuffer>[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  add(bytes: Uint8Array<ArrayBuffer>): void {
    this.#chunks.push(bytes)
    this.#size += bytes.length
  }

  shift(): Uint8Array<ArrayBuffer> | undefined {
    const bytes = this.#chunks.shift()
    this.#size -= bytes?.length ?? 0
    return bytes
  }

  all(): Uint8Array {
    const [only] = this.#chunks
    return only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks)
  }

  /** Removes all bytes and frees their memory now: the garbage collector would leave that of many spools behind. */
  clear(): void {
    for (const { buffer } of this.#chunks) buffer.transfer(0)
    this.#chunks = []
    this.#size = 0
  }
}

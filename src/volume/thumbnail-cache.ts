import { mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../platform/errors.ts'
import { DAY_MS } from '../platform/time.ts'

/** Lifetime of a thumbnail, whose file may be gone since. */
const LIFETIME_MS = 30 * DAY_MS
/** Lifetime of the note that there is none, because a later version may read the file. */
const MISSING_LIFETIME_MS = DAY_MS
/** Lifetime of that note when the reader was ended, because another run may succeed. */
const ENDED_LIFETIME_MS = 600_000
/** Maximum bytes of all thumbnails. */
const MAX_BYTES = 512 * 1024 ** 2

const NAME = /^[0-9a-f]{64}-[a-z0-9.]+-\d{1,4}\.webp$/

/** Bytes of the note that a reader was ended; that of a file without a thumbnail is empty. */
const ENDED = new Uint8Array(1)

const lifetimeOf = (size: number): number =>
  size > ENDED.length ? LIFETIME_MS : size === 0 ? MISSING_LIFETIME_MS : ENDED_LIFETIME_MS

/** Name of a thumbnail. */
export interface ThumbnailName {
  /** Checksum of its file. */
  sha256: string
  /** Reader of its file, with its version. Another one may succeed where it fails, and makes other bytes. */
  reader: string
  /** Pixels. */
  width: number
}

/** Output of a reader. */
export interface Output {
  /** Empty when it found nothing. */
  bytes: Uint8Array<ArrayBuffer>
  /** True when a signal ended the reader, as at its time limit: another run may succeed. */
  wasEnded: boolean
}

/**
 * Thumbnails in a folder, by the checksum of their files, so that moves and copies share them. An empty one notes
 * that its reader finds none. Nothing in it is needed: it is in no backup, and may be deleted at any time.
 */
export class ThumbnailCache {
  readonly #folder: string
  readonly #now: () => number

  constructor(dataPath: string, now: () => number) {
    this.#folder = join(dataPath, 'thumbs')
    this.#now = now
  }

  /** Returns a thumbnail, an empty one for a file without, or `undefined` when it is not cached. */
  async read(name: ThumbnailName): Promise<Output | undefined> {
    try {
      await using file = await open(this.#path(name))
      const { size, mtimeMs } = await file.stat()
      if (this.#now() - mtimeMs > lifetimeOf(size)) return undefined
      if (size <= ENDED.length) return { bytes: new Uint8Array(), wasEnded: size > 0 }
      return { bytes: new Uint8Array(await file.readFile()), wasEnded: false }
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    }
  }

  /** Caches a thumbnail. It has its name only when it is whole. */
  async write(name: ThumbnailName, { bytes, wasEnded }: Output): Promise<void> {
    const path = this.#path(name)
    const time = this.#now() / 1000
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await writeFile(`${path}.part`, wasEnded ? ENDED : bytes, { mode: 0o600 })
    await utimes(`${path}.part`, time, time)
    await rename(`${path}.part`, path)
  }

  /** Removes thumbnails past their lifetime, and the oldest ones past the budget. */
  async prune(maxBytes = MAX_BYTES): Promise<void> {
    let left = maxBytes
    for (const { path, size, age } of await this.#newestFirst()) {
      left -= size
      if (left < 0 || age > lifetimeOf(size)) await rm(path, { force: true })
    }
  }

  async #newestFirst(): Promise<{ path: string; size: number; age: number }[]> {
    const found = []
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const path = join(this.#folder, name)
      const state = await stat(path).catch(() => undefined)
      // Files that a crash left are the first to go.
      const age = NAME.test(name) ? this.#now() - (state?.mtimeMs ?? 0) : Number.POSITIVE_INFINITY
      if (state) found.push({ path, size: state.size, age })
    }
    return found.toSorted((a, b) => a.age - b.age)
  }

  #path({ sha256, reader, width }: ThumbnailName): string {
    const name = `${sha256}-${reader}-${width}.webp`
    // A tampered database must not lead out of the folder.
    if (!NAME.test(name)) throw new Error('A checksum is none')
    return join(this.#folder, name)
  }
}

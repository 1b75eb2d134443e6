import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { errorCode } from '../platform/errors.ts'
import { FOLDER_MODE } from '../volume/privacy.ts'
import { StoredFile } from '../volume/stored-file.ts'
import { blobTime, isBlobId, type StoredBlob } from './blob.ts'

/** Maximum number of files, which bounds the memory for their names. */
const MAX_FILES = 250_000
/** Bytes that a file takes at least on the disk. */
const MIN_BYTES = 4096

/** Folders of the cache, by the last digit of the ids, so that none grows large. */
const SHELVES = Array.from({ length: 16 }, (_, index) => index.toString(16))

/** Folder of files that are not durable yet. */
const UNFINISHED = 'unfinished'

interface CacheOptions {
  /** Maximum size of all files together. 0 caches nothing and removes the folder. */
  maxBytes: number
  /** Returns how many bytes the disk lacks to have room for `bytes` more; at most 0 for none. */
  lacking?: (bytes: number) => number
}

/**
 * Local copies of blobs: plain files by id, of which the least recently used are evicted. Blobs never change, so the
 * copies need no validation. Any of them may vanish at any time.
 */
export class BlobCache {
  readonly #folder: string
  readonly #files: LRUCache<string, number>
  readonly #maxBytes: number
  readonly #lacking: (bytes: number) => number

  private constructor(folder: string, { maxBytes, lacking = () => 0 }: CacheOptions) {
    this.#folder = folder
    this.#maxBytes = maxBytes
    this.#lacking = lacking
    this.#files = new LRUCache({
      max: MAX_FILES,
      maxSize: maxBytes,
      sizeCalculation: sizeOnDisk,
      dispose: (_, id, reason) => {
        if (reason !== 'set') rmSync(this.#pathOf(id), { force: true })
      },
    })
  }

  /**
   * Opens the cache in `folder`, with the files that an earlier process left there.
   */
  static async open(folder: string, options: CacheOptions): Promise<BlobCache> {
    const { maxBytes } = options
    const cache = new BlobCache(folder, { ...options, maxBytes: Math.max(maxBytes, 1) })
    const unfinished = join(folder, UNFINISHED)
    rmSync(maxBytes === 0 ? folder : unfinished, { recursive: true, force: true })
    if (maxBytes === 0) return cache
    mkdirSync(unfinished, { recursive: true, mode: FOLDER_MODE })
    await cache.#findFiles()
    return cache
  }

  /** Opens the copy of a blob; `undefined` when there is none. */
  get({ id, size }: StoredBlob): StoredFile | undefined {
    if (this.#files.get(id) === undefined) return undefined
    const opened = StoredFile.openCopy(this.#pathOf(id), blobTime(id))
    if (opened?.size === size) return opened
    opened?.close()
    this.#files.delete(id)
    return undefined
  }

  /** True when a blob of `size` bytes can be in the cache. */
  fits(size: number): boolean {
    return sizeOnDisk(size) <= this.#maxBytes
  }

  /** Evicts blobs until the disk has room for `bytes` more. Returns false when it has none without them either. */
  makeRoom(bytes: number): boolean {
    const lacking = this.#lacking(bytes)
    const target = this.#files.calculatedSize - lacking
    while (this.#files.size > 0 && this.#files.calculatedSize > target) this.#files.pop()
    return lacking <= 0 || this.#lacking(bytes) <= 0
  }

  /** Moves the complete and durable file at `path` into the cache if it fits, else removes it. */
  adopt({ id, size }: StoredBlob, path: string): void {
    if (this.fits(size)) {
      moveInto(path, this.#pathOf(id))
      this.#files.set(id, size)
      this.makeRoom(0)
    } else rmSync(path)
  }

  /** Takes the complete file at `path` away at once. It is found in the cache when it is durable, if it fits. */
  async add(blob: StoredBlob, path: string): Promise<void> {
    if (!this.fits(blob.size)) return rmSync(path)
    const unfinished = join(this.#folder, UNFINISHED, blob.id)
    moveInto(path, unfinished)
    const file = await open(unfinished, 'r+')
    await file.datasync().finally(() => file.close())
    this.adopt(blob, unfinished)
  }

  remove(id: string): void {
    this.#files.delete(id)
  }

  /** Adds the files that are there, in the order in which they were read. */
  async #findFiles(): Promise<void> {
    const found: { id: string; size: number; usedAt: number }[] = []
    for (const shelf of SHELVES) {
      mkdirSync(join(this.#folder, shelf), { recursive: true, mode: FOLDER_MODE })
      const ids = (await readdir(join(this.#folder, shelf))).filter(isBlobId)
      const stats = await Promise.all(ids.map((id) => stat(this.#pathOf(id))))
      for (const [index, { size, atimeMs }] of stats.entries())
        found.push({ id: ids[index] ?? '', size, usedAt: atimeMs })
    }
    found.sort((a, b) => a.usedAt - b.usedAt)
    for (const { id, size } of found) {
      if (this.fits(size)) this.#files.set(id, size)
      else rmSync(this.#pathOf(id))
    }
    this.makeRoom(0)
  }

  #pathOf(id: string): string {
    return join(this.#folder, id.slice(-1), id)
  }
}

/** Renames a file into a folder of the cache, which may have been deleted. */
function moveInto(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    mkdirSync(dirname(to), { recursive: true, mode: FOLDER_MODE })
    renameSync(from, to)
  }
}

const sizeOnDisk = (size: number) => Math.max(size, MIN_BYTES)

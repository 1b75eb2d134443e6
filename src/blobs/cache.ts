import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { errorCode } from '../platform/errors.ts'
import { FILE_MODE, FOLDER_MODE } from '../volume/layout.ts'
import { StoredFile } from '../volume/stored-file.ts'
import { blobTime, isBlobId, type StoredBlob } from './blob.ts'

/** Maximum number of files, which bounds the memory for their names. */
const MAX_FILES = 250_000
/** Bytes that a file takes at least on the disk. */
const MIN_BYTES = 4096

/** Folders of the cache, by the last digit of the ids, so that none grows large. */
const SHELVES = Array.from({ length: 16 }, (_, index) => index.toString(16))

/** Folder of files that are not durable yet: after a power cut, they might have other bytes. */
const UNFINISHED = 'unfinished'

interface CacheOptions {
  /** Maximum size of all files together. 0 caches nothing and removes the folder. */
  maxBytes: number
  /** Returns how many bytes the disk lacks to have room for `bytes` more; at most 0 for none. */
  lacking?: (bytes: number) => number
  /** Logs a failure that costs nothing but time. */
  onError: (error: unknown) => void
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
  readonly #onError: (error: unknown) => void
  /** Ids of files that are not durable yet. */
  readonly #unfinished = new Set<string>()
  #isFinishing = false

  private constructor(folder: string, { maxBytes, lacking = () => 0, onError }: CacheOptions) {
    this.#folder = folder
    this.#maxBytes = maxBytes
    this.#lacking = lacking
    this.#onError = onError
    this.#files = new LRUCache({
      max: MAX_FILES,
      maxSize: maxBytes,
      sizeCalculation: sizeOnDisk,
      dispose: (_, id, reason) => {
        if (reason === 'set') return
        this.#discard(this.#pathOf(id))
        this.#unfinished.delete(id)
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

  /** Takes the complete file at `path`, or complete bytes, and caches them if they fit. */
  add({ id, size }: StoredBlob, content: { path: string } | { bytes: Uint8Array }): void {
    const unfinished = this.#unfinishedPath(id)
    try {
      if (!this.fits(size) || this.#files.has(id)) {
        if ('path' in content) rmSync(content.path)
        return
      }
      if ('path' in content) inFolder(unfinished, () => renameSync(content.path, unfinished))
      else inFolder(unfinished, () => writeFileSync(unfinished, content.bytes, { mode: FILE_MODE }))
      this.#unfinished.add(id)
      this.#files.set(id, size)
      this.makeRoom(0)
      void this.#finish()
    } catch (error) {
      this.#discard('path' in content ? content.path : unfinished)
      this.#onError(error)
    }
  }

  remove(id: string): void {
    this.#files.delete(id)
  }

  /** Makes files durable, one after the other: many at once would hold up everything else that uses the disk. */
  async #finish(): Promise<void> {
    if (this.#isFinishing) return
    this.#isFinishing = true
    for (const id of this.#unfinished) {
      try {
        const file = await open(this.#unfinishedPath(id), 'r+')
        await file.datasync().finally(() => file.close())
        if (this.#unfinished.has(id)) this.#shelve(id)
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') this.#onError(error)
        this.#files.delete(id)
        this.#unfinished.delete(id)
      }
    }
    this.#isFinishing = false
  }

  #shelve(id: string): void {
    const path = this.#shelfPath(id)
    inFolder(path, () => renameSync(this.#unfinishedPath(id), path))
    this.#unfinished.delete(id)
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

  /** Removes a file, unless the disk refuses. */
  #discard(path: string): void {
    try {
      rmSync(path, { force: true })
    } catch (error) {
      this.#onError(error)
    }
  }

  #pathOf(id: string): string {
    return this.#unfinished.has(id) ? this.#unfinishedPath(id) : this.#shelfPath(id)
  }

  #shelfPath(id: string): string {
    return join(this.#folder, id.slice(-1), id)
  }

  #unfinishedPath(id: string): string {
    return join(this.#folder, UNFINISHED, id)
  }
}

/** Runs `work` with a path in a folder of the cache, which may have been deleted. */
function inFolder(path: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE })
    work()
  }
}

const sizeOnDisk = (size: number) => Math.max(size, MIN_BYTES)

import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../../access/context.ts'
import { namesEntityTag, weakMatch } from '../../http/conditional.ts'
import { refuseForNow, refuseNotFound } from '../../platform/errors.ts'
import { ThumbnailCache } from '../../store/bytes.ts'
import type { FileRow } from '../../store/rows.ts'
import { findFfmpeg, frameOf, isVideo } from './video.ts'

/** Widths that are made, in pixels; a request gets the next larger one. */
const WIDTHS = [200, 400, 1600]
/** Types of pictures that Bun decodes on every system. */
const TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/bmp'])
/** Maximum bytes of a picture, and of a thumbnail. */
const MAX_FILE_BYTES = 64 * 1024 ** 2
const MAX_THUMBNAIL_BYTES = 4 * 1024 ** 2
/** Maximum time to make one, in milliseconds. */
const TIMEOUT_MS = 10_000
/** Thumbnails that are made at the same time, and that wait. */
const MAX_PROCESSES = Math.min(2, availableParallelism())
const MAX_WAITING = 500

type Pictured = FileRow & { key: string }

/** Command that makes a thumbnail: this binary, or the program in its sources. */
const COMMAND = Bun.main.startsWith('/$bunfs/')
  ? [process.execPath]
  : [process.execPath, '--no-env-file', join(import.meta.dir, '../../main.ts')]

const noThumbnail = () => refuseNotFound('This file has no thumbnail')

/** True when a file of this type is a picture that may have a thumbnail. */
const isPicture = ({ mimeType, size }: Pick<FileRow, 'mimeType' | 'size'>): boolean =>
  TYPES.has(mimeType) && size > 0 && size <= MAX_FILE_BYTES

/** Makes and caches thumbnails. Each is made in a process of its own, a few at a time. */
export class Thumbnails {
  readonly cache: ThumbnailCache
  readonly #deps: Context
  /** Thumbnails that are being made or wait, by checksum and width. */
  readonly #pending = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()
  readonly #waiting: (() => void)[] = []
  /** Path of the program that reads videos; null without. */
  readonly #ffmpeg = findFfmpeg()
  #running = 0

  constructor(deps: Context) {
    this.#deps = deps
    this.cache = new ThumbnailCache(deps.config.dataPath, deps.clock.now)
  }

  /** True when a file of this type may have a thumbnail. */
  readonly mayHave = (file: Pick<FileRow, 'mimeType' | 'size'>): boolean =>
    isPicture(file) || (this.#ffmpeg !== null && isVideo(file))

  /**
   * Responds with the thumbnail of a file.
   *
   * @throws {Refusal} `not_found` for a file without one, `unavailable` when too many wait.
   */
  async respond(request: Request, picture: Pictured, wanted: number): Promise<Response> {
    if (!this.mayHave(picture)) throw noThumbnail()
    const width = WIDTHS.find((known) => known >= wanted) ?? Math.max(...WIDTHS)
    const etag = `"${picture.sha256.slice(0, 32)}-${width}"`
    const headers = { 'Cache-Control': 'private, max-age=0, must-revalidate', ETag: etag }
    if (namesEntityTag(request.headers.get('if-none-match') ?? '', etag, weakMatch))
      return new Response(null, { status: 304, headers })
    const bytes = (await this.cache.read(picture.sha256, width)) ?? (await this.#made(picture, width))
    if (bytes.length === 0) throw noThumbnail()
    return new Response(bytes, {
      headers: { ...headers, 'Content-Type': 'image/webp', 'Content-Length': String(bytes.length) },
    })
  }

  /** Returns a new thumbnail, the same one for all requests that wait for it; empty when there is none. */
  #made(picture: Pictured, width: number): Promise<Uint8Array<ArrayBuffer>> {
    const name = `${picture.sha256}-${width}`
    const known = this.#pending.get(name)
    if (known) return known
    const made = this.#make(picture, width).finally(() => this.#pending.delete(name))
    this.#pending.set(name, made)
    return made
  }

  async #make(picture: Pictured, width: number): Promise<Uint8Array<ArrayBuffer>> {
    await this.#turn()
    try {
      const source = isPicture(picture) ? await this.#read(picture) : await this.#frame(picture)
      const bytes = source instanceof Uint8Array && source.length === 0 ? source : await decode(source, width)
      await this.#save(picture, width, bytes)
      return bytes
    } finally {
      this.#running -= 1
      this.#waiting.shift()?.()
    }
  }

  /** Opens the bytes of a picture. @throws {Refusal} `not_found`. */
  async #read(picture: Pictured) {
    const opened = await this.#deps.store.openFile(picture)
    if (!opened) throw noThumbnail()
    return opened.body(0, opened.size - 1)
  }

  /** Returns a frame of a video, empty when there is none. */
  #frame(video: Pictured): Promise<Uint8Array<ArrayBuffer>> {
    const open = async () => this.#deps.store.openFile(video)
    return frameOf(this.#ffmpeg ?? '', { mimeType: video.mimeType, open })
  }

  /** Waits until another process may run. @throws {Refusal} `unavailable` when too many wait. */
  async #turn(): Promise<void> {
    if (this.#running >= MAX_PROCESSES) {
      if (this.#waiting.length >= MAX_WAITING)
        throw refuseForNow('Too many thumbnails are being made, try again soon', undefined)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    this.#running += 1
  }

  /** Caches a thumbnail when there is room: it can be made again. */
  async #save({ sha256 }: Pictured, width: number, bytes: Uint8Array): Promise<void> {
    try {
      this.#deps.store.assertRoom(bytes.length)
      await this.cache.write(sha256, width, bytes)
    } catch (error) {
      this.#deps.log.info(`A thumbnail could not be cached: ${error instanceof Error ? error.message : ''}`)
    }
  }
}

/** Returns a thumbnail that a child process makes; empty when it fails, crashes or takes too long. */
async function decode(
  picture: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>,
  width: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const child = Bun.spawn([...COMMAND, 'thumbnail', String(width)], {
    stdin: picture,
    stdout: 'pipe',
    stderr: 'ignore',
    // It has none of the secrets of this process.
    env: {},
    cwd: '/',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_THUMBNAIL_BYTES,
  })
  const [bytes, exitCode] = await Promise.all([new Response(child.stdout).bytes(), child.exited])
  return exitCode === 0 ? new Uint8Array(bytes) : new Uint8Array()
}

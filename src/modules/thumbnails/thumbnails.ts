import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../../access/context.ts'
import { namesEntityTag, weakMatch } from '../../http/conditional.ts'
import { leavingOf } from '../../http/exchange.ts'
import { refuseForNow, refuseNotFound } from '../../platform/errors.ts'
import { ThumbnailCache, type ThumbnailName } from '../../store/bytes.ts'
import type { FileRow } from '../../store/rows.ts'
import { type Output, runChild } from './child.ts'
import { demuxerOf, findFfmpeg, frameOf } from './video.ts'

/** Widths that are made, in pixels; a request gets the next larger one. */
const WIDTHS = [200, 400, 1600]
/** Types of pictures that Bun decodes on every system. */
const TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/bmp'])
/** Maximum bytes of a picture, and of a thumbnail. */
const MAX_FILE_BYTES = 64 * 1024 ** 2
const MAX_THUMBNAIL_BYTES = 4 * 1024 ** 2
/** Thumbnails that are made at the same time, and that wait. */
const MAX_PROCESSES = Math.min(2, availableParallelism())
const MAX_WAITING = 500

type Pictured = FileRow & { key: string }

type Typed = Pick<FileRow, 'mimeType' | 'size'>

/** Reader of pictures; that of videos is the demuxer. */
const PICTURE = 'picture'

/** Command that makes a thumbnail: this binary, or the program in its sources. */
const COMMAND = Bun.main.startsWith('/$bunfs/')
  ? [process.execPath]
  : [process.execPath, '--no-env-file', join(import.meta.dir, '../../main.ts')]

/** Thumbnail that is being made or waits. */
interface Making {
  made: Promise<Uint8Array<ArrayBuffer>>
  /** Signals of the clients that wait for it, aborted when they disconnect. */
  clients: AbortSignal[]
}

const noThumbnail = () => refuseNotFound('This file has no thumbnail')

/** Makes and caches thumbnails. Each is made in a process of its own, a few at a time. */
export class Thumbnails {
  readonly cache: ThumbnailCache
  readonly #deps: Context
  /** Thumbnails that are being made or wait, by name. */
  readonly #pending = new Map<string, Making>()
  readonly #waiting: (() => void)[] = []
  /** Path of the program that reads videos; null without. */
  readonly #ffmpeg = findFfmpeg()
  #running = 0

  constructor(deps: Context) {
    this.#deps = deps
    this.cache = new ThumbnailCache(deps.config.dataPath, deps.clock.now)
  }

  /** True when a file of this type may have a thumbnail. */
  readonly mayHave = (file: Typed): boolean => this.#readerOf(file) !== undefined

  /** Returns what reads files of this type; undefined for one without a thumbnail. */
  #readerOf({ mimeType, size }: Typed): string | undefined {
    if (size === 0) return undefined
    if (TYPES.has(mimeType)) return size <= MAX_FILE_BYTES ? PICTURE : undefined
    return this.#ffmpeg === null ? undefined : demuxerOf(mimeType)
  }

  /**
   * Responds with the thumbnail of a file.
   *
   * @throws {Refusal} `not_found` for a file without one, `unavailable` when too many wait.
   */
  async respond(request: Request, picture: Pictured, wanted: number): Promise<Response> {
    const reader = this.#readerOf(picture)
    if (reader === undefined) throw noThumbnail()
    const width = WIDTHS.find((known) => known >= wanted) ?? Math.max(...WIDTHS)
    const etag = `"${picture.sha256.slice(0, 32)}-${width}"`
    const headers = { 'Cache-Control': 'private, max-age=0, must-revalidate', ETag: etag }
    if (namesEntityTag(request.headers.get('if-none-match') ?? '', etag, weakMatch))
      return new Response(null, { status: 304, headers })
    const name = { sha256: picture.sha256, reader, width }
    const bytes = (await this.cache.read(name)) ?? (await this.#made(picture, name, leavingOf(request)))
    if (bytes.length === 0) throw noThumbnail()
    return new Response(bytes, {
      headers: { ...headers, 'Content-Type': 'image/webp', 'Content-Length': String(bytes.length) },
    })
  }

  /** Returns a new thumbnail, the same one for all requests that wait for it; empty when there is none. */
  #made(picture: Pictured, name: ThumbnailName, client: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const id = Object.values(name).join()
    const known = this.#pending.get(id)
    known?.clients.push(client)
    if (known) return known.made
    const clients = [client]
    const made = this.#make(picture, name, clients).finally(() => this.#pending.delete(id))
    this.#pending.set(id, { made, clients })
    return made
  }

  /** Makes a thumbnail, unless all its clients have disconnected before its turn. */
  async #make(
    picture: Pictured,
    name: ThumbnailName,
    clients: readonly AbortSignal[],
  ): Promise<Uint8Array<ArrayBuffer>> {
    await this.#turn()
    try {
      if (clients.every(({ aborted }) => aborted)) clients[0]?.throwIfAborted()
      const made = await this.#output(picture, name)
      await this.#save(name, made)
      return made.bytes
    } finally {
      this.#running -= 1
      this.#waiting.shift()?.()
    }
  }

  /** Reads a file, and decodes it. */
  async #output(picture: Pictured, { reader, width }: ThumbnailName): Promise<Output> {
    if (reader === PICTURE) return decode(await this.#read(picture), width)
    const open = async () => this.#deps.store.openFile(picture)
    const frame = await frameOf(this.#ffmpeg ?? '', { demuxer: reader, open })
    return frame.bytes.length === 0 ? frame : decode(frame.bytes, width)
  }

  /** Opens the bytes of a picture. @throws {Refusal} `not_found`. */
  async #read(picture: Pictured) {
    const opened = await this.#deps.store.openFile(picture)
    if (!opened) throw noThumbnail()
    return opened.body(0, opened.size - 1)
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
  async #save(name: ThumbnailName, { bytes, wasEnded }: Output): Promise<void> {
    try {
      this.#deps.store.assertRoom(bytes.length)
      await this.cache.write(name, bytes, wasEnded)
    } catch (error) {
      this.#deps.log.info(`A thumbnail could not be cached: ${error instanceof Error ? error.message : ''}`)
    }
  }
}

/** Returns a thumbnail that a child process makes; empty when it fails, crashes or takes too long. */
const decode = (stdin: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>, width: number) =>
  runChild([...COMMAND, 'thumbnail', String(width)], { stdin, maxBuffer: MAX_THUMBNAIL_BYTES })

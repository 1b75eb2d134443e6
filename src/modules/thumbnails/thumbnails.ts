import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../access/context.ts'
import { whole } from '../../access/reach.ts'
import { namesEntityTag, weakMatch } from '../../http/conditional.ts'
import { leavingOf } from '../../http/exchange.ts'
import { Refusal } from '../../platform/errors.ts'
import { type OpenedFile, type Output, ThumbnailCache, type ThumbnailName } from '../../store/bytes.ts'
import type { FileRow } from '../../store/rows.ts'
import { locateFile } from '../../views/files.ts'
import { createRunChild, NO_OUTPUT, type RunChild } from './child.ts'
import { Places } from './places.ts'
import { demuxerOf, findFfmpeg, frameOf } from './video.ts'

/** Widths that are made, in pixels; a request gets the next larger one. */
const WIDTHS = [200, 400, 1600]
/** Width of a placeholder: one block of WebP's encoder, and about 80 bytes. It is made with the first thumbnail. */
const PLACEHOLDER_WIDTH = 16
/** Widths that lists show, which are made after an upload. */
const LISTED_WIDTHS = [400, 200, PLACEHOLDER_WIDTH]
/** Files that wait for that. Later ones get their thumbnails when they are requested. */
const MAX_WAITING = 5000
/** Types of pictures that Bun decodes on every system, and those that libheif does. */
const TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/bmp'])
const LIBHEIF_TYPES = new Set(['image/heic', 'image/heif', 'image/avif'])
/** Maximum bytes of a picture, and of a thumbnail. */
const MAX_FILE_BYTES = 64 * 1024 ** 2
const MAX_THUMBNAIL_BYTES = 4 * 1024 ** 2

type Pictured = Pick<FileRow, 'mimeType' | 'size' | 'sha256' | 'blobId'> & { key: string }

type Typed = Pick<FileRow, 'mimeType' | 'size'>

/** Version of the encoder: another one may make other bytes. */
const ENCODER = Bun.version

/** Reader of pictures; that of videos is the demuxer. */
const PICTURE = `picture${ENCODER}`

/** Command that makes a thumbnail: this binary, or the program in its sources. */
const PROGRAM = Bun.main.startsWith('/$bunfs/')
  ? [process.execPath]
  : [process.execPath, '--no-env-file', join(import.meta.dir, '../../main.ts')]

/** Within the child's limit of memory, Bun reserves no memory for compiled code unless it reserves little; libheif needs some. */
const SMALL_JIT = ['env', `BUN_JSC_jitMemoryReservationSize=${32 * 1024 ** 2}`]

/** Thumbnail that is being made or waits. */
interface Making {
  made: Promise<Output>
  /** Signals of the clients that wait for it, aborted when they disconnect. */
  clients: AbortSignal[]
}

/** Client that waits for a thumbnail, and the share that it visits, or its own address on hosting. */
interface Asking {
  client: AbortSignal
  share: string | undefined
}

/** Returns true where the system has libheif, which decodes HEIC and AVIF. macOS has a decoder of its own. */
const hasLibheif = (): boolean =>
  process.platform === 'darwin' ||
  [
    '/usr/lib',
    '/usr/lib64',
    '/usr/local/lib',
    '/usr/lib/x86_64-linux-gnu',
    '/usr/lib/aarch64-linux-gnu',
  ].some((folder) => existsSync(join(folder, 'libheif.so.1')))

/** Thumbnails of one file. */
interface Wanted extends Pick<ThumbnailName, 'reader'> {
  widths: readonly number[]
  /** Ends the work, which no request waits for. */
  spare?: AbortSignal | undefined
}

const noThumbnail = () => new Refusal('thumbnail-not-found')

/** Returns the length of the WebP picture that bytes begin with; 0 without one (RFC 9649 §2.4). */
const lengthOfWebP = (bytes: Uint8Array<ArrayBuffer>): number =>
  bytes.length < 8 ? 0 : 8 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true)

/** Makes and caches thumbnails. Each is made in a process of its own, a few at a time. */
export class Thumbnails {
  readonly cache: ThumbnailCache
  readonly encoder = ENCODER
  readonly #deps: Context
  /** Thumbnails that are being made or wait, by name. */
  readonly #pending = new Map<string, Making>()
  readonly #places = new Places()
  /** Ids of new files, whose thumbnails are made when no request wants another. */
  readonly #arrived = new Set<string>()
  readonly #run: RunChild
  readonly #hasLibheif = hasLibheif()
  /** Path of the program that reads videos; null without. */
  readonly #ffmpeg = findFfmpeg()

  constructor(deps: Context) {
    this.#deps = deps
    this.#run = createRunChild(deps.config.dataPath, [...PROGRAM, '--version'])
    this.cache = new ThumbnailCache(deps.config.dataPath, deps.clock.now)
    if (deps.config.thumbnails === 'upload')
      deps.store.onStored((files) => {
        for (const file of files)
          if (this.#arrived.size < MAX_WAITING && this.mayHave(file)) this.#arrived.add(file.id)
      })
  }

  /** True when a file of this type may have a thumbnail. */
  readonly mayHave = (file: Typed): boolean => this.#readerOf(file) !== undefined

  /** Returns what reads files of this type; undefined for one without a thumbnail. */
  #readerOf({ mimeType, size }: Typed): string | undefined {
    if (size === 0) return undefined
    if (TYPES.has(mimeType) || (this.#hasLibheif && LIBHEIF_TYPES.has(mimeType)))
      return size <= MAX_FILE_BYTES ? PICTURE : undefined
    return this.#ffmpeg === null ? undefined : demuxerOf(mimeType)
  }

  /**
   * Responds with the thumbnail of a file.
   *
   * @param share Id of the share whose visitor asks; undefined for a member.
   * @throws {Refusal} `not-found` for a file without one, `unavailable` when too many wait.
   */
  async respond(request: Request, picture: Pictured, wanted: number, share?: string): Promise<Response> {
    const reader = this.#readerOf(picture)
    if (reader === undefined) throw noThumbnail()
    const width = WIDTHS.find((known) => known >= wanted) ?? Math.max(...WIDTHS)
    const etag = `"${picture.sha256.slice(0, 32)}-${width}-${ENCODER}"`
    const headers = { 'Cache-Control': 'private, max-age=0, must-revalidate', ETag: etag }
    if (namesEntityTag(request.headers.get('if-none-match') ?? '', etag, weakMatch))
      return new Response(null, { status: 304, headers })
    const { bytes } = await this.#find(picture, { reader, width }, { client: leavingOf(request), share })
    if (bytes.length === 0) throw noThumbnail()
    return new Response(bytes, {
      headers: { ...headers, 'Content-Type': 'image/webp', 'Content-Length': String(bytes.length) },
    })
  }

  /** Returns true for a picture that `scaled` reads, unless it is damaged. */
  readonly isPicture = (file: Typed): boolean => this.#readerOf(file) === PICTURE

  /**
   * Returns a picture as WebP of at most that width and height, empty when it is damaged.
   *
   * @throws {Refusal} `unavailable` when too many wait.
   */
  readonly scaled = (picture: Pictured, width: number, asking: Asking): Promise<Output> =>
    this.#find(picture, { reader: PICTURE, width }, asking)

  /** Returns the placeholder of a picture or a video as WebP, empty before its first thumbnail was made. */
  readonly placeholder = async (file: Typed & Pick<FileRow, 'sha256'>): Promise<Uint8Array<ArrayBuffer>> => {
    const reader = this.#readerOf(file)
    const name = { sha256: file.sha256, reader: reader ?? '', width: PLACEHOLDER_WIDTH }
    return ((reader !== undefined && (await this.cache.read(name))) || NO_OUTPUT).bytes
  }

  /** Makes the thumbnails of new files, one after another, until a request wants one. */
  readonly makeArrived = async (): Promise<void> => {
    for (const id of this.#arrived) {
      this.#arrived.delete(id)
      if (await this.#places.runSpare((spare) => this.#makeListed(id, spare))) continue
      this.#arrived.add(id)
      return
    }
  }

  /** Forgets the files that wait, and ends the work for one. */
  readonly stop = (): void => {
    this.#arrived.clear()
    this.#places.endSpare()
  }

  async #makeListed(id: string, spare: AbortSignal): Promise<void> {
    const found = await locateFile(whole(this.#deps), { id }).catch((error) => {
      if (!(error instanceof Refusal)) throw error
      return undefined
    })
    const reader = found && this.#readerOf(found.row)
    if (!found || reader === undefined) return
    await this.#makeMissing({ ...found.row, key: found.key }, { reader, widths: LISTED_WIDTHS, spare })
  }

  /** Makes and caches the thumbnails that are not cached. Returns that of the first width, empty when none was made. */
  async #makeMissing(picture: Pictured, { reader, widths, spare }: Wanted): Promise<Output> {
    const names = widths.map((width) => ({ sha256: picture.sha256, reader, width }))
    const kept = await Promise.all(names.map((name) => this.cache.read(name)))
    const missing = names.filter((_, index) => !kept[index])
    const [first] = kept
    if (missing.length === 0) return first ?? NO_OUTPUT
    const made = await this.#output(picture, { reader, widths: missing.map(({ width }) => width), spare })
    if (!made || (spare && made.wasEnded)) return first ?? NO_OUTPUT
    const outputs: Output[] = []
    let { bytes } = made
    for (const name of missing) {
      const length = lengthOfWebP(bytes)
      const output = { ...made, bytes: bytes.subarray(0, length) }
      await this.#save(name, output)
      outputs.push(output)
      bytes = bytes.subarray(length)
    }
    return first ?? outputs[0] ?? NO_OUTPUT
  }

  async #find(
    picture: Pictured,
    { reader, width }: Omit<ThumbnailName, 'sha256'>,
    asking: Asking,
  ): Promise<Output> {
    const name = { sha256: picture.sha256, reader, width }
    return (await this.cache.read(name)) ?? (await this.#made(picture, name, asking))
  }

  /** Returns a new thumbnail, the same one for all requests that wait for it; empty when there is none. */
  #made(picture: Pictured, name: ThumbnailName, { client, share }: Asking): Promise<Output> {
    // A member does not wait in the queue of visitors.
    const id = [...Object.values(name), share === undefined].join()
    const known = this.#pending.get(id)
    known?.clients.push(client)
    if (known) return known.made
    const clients = [client]
    const made = this.#places
      .use(share, () => this.#make(picture, name, clients))
      .finally(() => this.#pending.delete(id))
    this.#pending.set(id, { made, clients })
    return made
  }

  /** Makes a thumbnail, unless all its clients have disconnected before its turn. */
  async #make(picture: Pictured, name: ThumbnailName, clients: readonly AbortSignal[]): Promise<Output> {
    if (clients.every(({ aborted }) => aborted)) clients[0]?.throwIfAborted()
    return this.#makeMissing(picture, { reader: name.reader, widths: [name.width, PLACEHOLDER_WIDTH] })
  }

  /**
   * Reads a file, and returns its thumbnails one after another; `undefined` when its bytes are missing, or are others by
   * now.
   */
  async #output(picture: Pictured, wanted: Wanted): Promise<Output | undefined> {
    const { reader, spare } = wanted
    if (reader === PICTURE) {
      const opened = await this.#deps.store.openFile(picture)
      return opened && this.#decodeIf(opened, picture.sha256, wanted)
    }
    let isThere = false
    const open = async () => {
      const opened = await this.#deps.store.openFile(picture)
      // The file at its key may have been replaced while the request waited. A film is too long to hash it.
      isThere = opened !== undefined && (await this.#isStill(picture))
      if (isThere) return opened
      opened?.close()
      return undefined
    }
    const run: RunChild = (command, how) => this.#run(command, { ...how, spare })
    const frame = await frameOf(run, { ffmpeg: this.#ffmpeg ?? '', demuxer: reader, open })
    if (!isThere) return undefined
    return frame.bytes.length === 0 ? frame : this.#decode(frame.bytes, wanted)
  }

  /** Returns true if the file at this key has this checksum, by the catalog. */
  #isStill({ key, sha256 }: Pictured): Promise<boolean> {
    return locateFile(whole(this.#deps), { key }).then(
      ({ row }) => row.sha256 === sha256,
      () => false,
    )
  }

  /** Decodes a file with this checksum. The file at a key may have been replaced while the request waited. */
  async #decodeIf(opened: OpenedFile, sha256: string, wanted: Wanted): Promise<Output | undefined> {
    const hasher = new Bun.CryptoHasher('sha256')
    const body = opened.body(0, opened.size - 1)
    if (body instanceof Uint8Array) hasher.update(body)
    const hashed =
      body instanceof Uint8Array
        ? body
        : body.pipeThrough(
            new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
              transform: (chunk, passing) => {
                hasher.update(chunk)
                passing.enqueue(chunk)
              },
            }),
          )
    const made = await this.#decode(hashed, wanted)
    return made.wasEnded || hasher.digest('hex') === sha256 ? made : undefined
  }

  /** Returns thumbnails that a child process makes; empty when it fails, crashes or takes too long. */
  #decode(
    stdin: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>,
    { widths, spare }: Wanted,
  ) {
    const command = [...SMALL_JIT, ...PROGRAM, 'thumbnail', ...widths.map(String)]
    return this.#run(command, { stdin, maxBuffer: MAX_THUMBNAIL_BYTES, spare })
  }

  /** Caches a thumbnail when there is room: it can be made again. */
  async #save(name: ThumbnailName, made: Output): Promise<void> {
    try {
      this.#deps.store.assertRoom(made.bytes.length)
      await this.cache.write(name, made)
    } catch (error) {
      this.#deps.log.info(`A thumbnail could not be cached: ${error instanceof Error ? error.message : ''}`)
    }
  }
}

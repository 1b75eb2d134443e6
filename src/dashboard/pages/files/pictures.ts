import { kindOf } from '../../../platform/kinds.ts'
import type { FileItem } from './items.ts'

/** Types and maximum size of pictures that the server makes thumbnails of. */
const SERVER_TYPES = new Set([
  ...['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/bmp'],
  ...['image/heic', 'image/heif'],
])
const SERVER_BYTES = 64 * 1024 ** 2
/** Maximum size of any other image that is loaded whole. */
const WHOLE_BYTES = 4 * 1024 ** 2

/** Types of videos that the server makes posters of, if it has ffmpeg. */
const POSTER_TYPES = new Set([
  'video/mp4',
  'video/x-m4v',
  'video/quicktime',
  'video/3gpp',
  'video/3gpp2',
  'video/webm',
  'video/x-matroska',
  'video/x-msvideo',
  'video/ogg',
])

/** Width of the picture that is shown while the whole one loads, in pixels. */
const EARLY_WIDTH = 1600

const thumbnailOf = ({ id }: Pick<FileItem, 'id'>, width: number) =>
  `/api/files/thumbnail/${id}?width=${width}`

/** Fields of a file that decide whether the server makes a thumbnail of it. */
type Pictured = Pick<FileItem, 'id' | 'mimeType' | 'size'>

/** Returns the address of a small picture of a file: a thumbnail, a video's poster, or a small image itself. */
export function pictureOf(file: FileItem, width = 400): string | undefined {
  const isShown = kindOf(file) === 'image' && file.size > 0 && file.size <= WHOLE_BYTES
  return serverPictureOf(file, width) ?? (isShown ? `/${file.url}` : undefined)
}

/** Returns the address of a thumbnail or poster, which visitors see, too. */
export function serverPictureOf(file: Pictured, width: number): string | undefined {
  const isMade = SERVER_TYPES.has(file.mimeType) && file.size > 0 && file.size <= SERVER_BYTES
  return isMade ? thumbnailOf(file, width) : posterOf(file, width)
}

/** Returns the address of the picture that is shown while the whole one loads. */
export const earlyPictureOf = (file: FileItem): string | undefined => pictureOf(file, EARLY_WIDTH)

/** Returns the address of a video's poster. The server has none without ffmpeg. */
export const posterOf = (file: Pictured, width = EARLY_WIDTH): string | undefined =>
  POSTER_TYPES.has(file.mimeType) && file.size > 0 ? thumbnailOf(file, width) : undefined

/** Maximum pictures that load at the same time. */
const AT_ONCE = 6
/** Seconds to wait after a 429 without `Retry-After`. */
const DEFAULT_WAIT_SECONDS = 5

/** Picture in the queue. */
export interface Waiting {
  url: string
  /** State of the file, with its id. */
  content: string
  /** Starts to load the picture. A call of `ended` follows. */
  start: () => void
}

/**
 * Queue that loads few pictures at a time, in the order in which they came into view. After a 429 all wait as long
 * as the server says, then the refused one is retried.
 */
export class ThumbnailQueue {
  readonly #waiting = new Set<Waiting>()
  readonly #loading = new Set<Waiting>()
  readonly #triedAgain = new WeakSet<Waiting>()
  /** Contents without a picture, such as damaged ones. */
  readonly #missing = new Set<string>()
  #pause: Promise<void> | undefined

  add(picture: Waiting): void {
    if (this.#missing.has(picture.content)) return
    this.#waiting.add(picture)
    this.#startNext()
  }

  /** Removes a picture that left the view. */
  remove(picture: Waiting): void {
    this.#waiting.delete(picture)
    this.ended(picture)
  }

  /** Frees the slot of a picture that was loaded or failed. */
  ended(picture: Waiting): void {
    this.#loading.delete(picture)
    this.#startNext()
  }

  /** Queues a picture again if the server refused it with 429. */
  async failed(picture: Waiting): Promise<void> {
    // An image element does not report the status.
    const response = await fetch(picture.url, { method: 'HEAD' }).catch(() => undefined)
    const isRefused = response?.status === 429
    if (response?.status === 404) this.#missing.add(picture.content)
    if (isRefused) this.#pauseFor(Number(response.headers.get('Retry-After')) || DEFAULT_WAIT_SECONDS)
    // The limit may have ended between the two requests, so one retry follows.
    const mayLoad = isRefused || (response?.ok && !this.#triedAgain.has(picture))
    // It may have left the view by now.
    if (mayLoad && this.#loading.has(picture)) this.#waiting.add(picture)
    if (!isRefused) this.#triedAgain.add(picture)
    this.ended(picture)
  }

  #pauseFor(seconds: number): void {
    const pause = new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000)).then(() => {
      if (this.#pause === pause) this.#pause = undefined
      this.#startNext()
    })
    this.#pause = pause
  }

  #startNext(): void {
    for (const picture of this.#waiting) {
      if (this.#pause || this.#loading.size >= AT_ONCE) return
      this.#waiting.delete(picture)
      this.#loading.add(picture)
      picture.start()
    }
  }
}

export const thumbnailQueue = new ThumbnailQueue()

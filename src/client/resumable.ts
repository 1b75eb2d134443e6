import { sendPiece } from './body.ts'
import { isBrowser } from './browser.ts'
import type { Connection } from './connection.ts'
import { delay } from './delay.ts'
import { HoldfastError } from './error.ts'
import { createBrowserMemory, type UploadMemory } from './memory.ts'
import type { HoldfastFile, TransferOptions, UnfinishedUpload, Visibility } from './types.ts'

/**
 * Files of more bytes than this are better sent so that they can go on: at 10 Mbit/s they take forty seconds,
 * which nobody likes to wait twice. Smaller ones are sent again sooner than the requests more would pay.
 */
export const RESUMABLE_BYTES = 50 * 1024 ** 2

const PATH = 'api/uploads'
const VERSION = { 'Tus-Resumable': '1.0.0' }
const PIECE_TYPE = 'application/offset+octet-stream'
/** Proxies that gather a request before they pass it on lose this much when it breaks; more gains no speed. */
const PIECE_BYTES = 16 * 1024 ** 2
/** They last about a minute and a half, enough for a restart. */
const FRUITLESS_TRIES = 10
const FIRST_PAUSE_SECONDS = 0.5
const MAX_PAUSE_SECONDS = 30
/** A server that asks for a longer pause than its limits last does not want the upload now. */
const MAX_RETRY_AFTER_SECONDS = 60

/** A file of which any part can be read: `Bun.file()`, `fs.openAsBlob()`, or a file input's `File`. */
export interface ResumableFile {
  name: string
  content: Blob
}

export interface Placement {
  /** The key of the folder to put the file into; made when missing. The root when there is none. */
  folder?: string
  visibility?: Visibility
}

export interface ResumableOptions extends Placement, TransferOptions {
  /** Where it is remembered until it is finished. In browsers `localStorage`, elsewhere nowhere, unless said. */
  memory?: UploadMemory
  /** Tells this content from other content, for the memory; else its time of change, where it has one, does. */
  fingerprint?: string
  /** Tries in a row that get nothing through, after which it fails; 10 unless said. */
  tries?: number
  /** Told each time that it was interrupted, before it pauses and tries again. */
  onRetry?: (() => void) | undefined
}

/** `/api/uploads`: uploads that are not finished, by their ids; `files.uploadResumable` makes them. */
export const uploadCalls = (connection: Connection) => ({
  /** How far it is; its file for a day when it is finished, unless that was deleted. */
  get: async (id: string, options: { signal?: AbortSignal | undefined } = {}): Promise<UnfinishedUpload> =>
    (await connection.data<{ upload: UnfinishedUpload }>(pathOf(id), options)).upload,
  /** Ends it: what has arrived is removed. */
  discard: async (id: string): Promise<void> => {
    await connection.send(pathOf(id), { method: 'DELETE', headers: VERSION })
  },
})

/** What a memory knows an upload by: the same file on its way to the same place. */
export function describeUpload(
  url: string,
  { name, content }: ResumableFile,
  { folder = '', visibility, fingerprint }: ResumableOptions,
): string {
  const changed = 'lastModified' in content ? content.lastModified : undefined
  return JSON.stringify([url, folder, name, visibility ?? null, content.size, fingerprint ?? changed ?? null])
}

/**
 * Sends a file by tus 1.0.0 (https://tus.io/protocols/resumable-upload), which goes on where it was when the
 * connection breaks or the server restarts, and where an earlier run had come to when there is a memory of it.
 * The progress steps back by what has to be sent again.
 *
 * An upload that its caller aborts is ended, and nothing of it stays.
 *
 * @throws {HoldfastError}
 */
export async function uploadResumable(
  connection: Connection,
  file: ResumableFile,
  options: ResumableOptions,
): Promise<HoldfastFile> {
  const sending = new Sending(connection, file, options)
  try {
    return await sending.toEnd()
  } catch (error) {
    if (!options.signal?.aborted) throw error
    await sending.giveUp()
    throw options.signal.reason
  }
}

class Sending {
  readonly #connection: Connection
  readonly #uploads: ReturnType<typeof uploadCalls>
  readonly #file: ResumableFile
  readonly #options: ResumableOptions
  readonly #memory: UploadMemory | undefined
  /** What the memory knows it by. */
  readonly #what: string
  #id: string | undefined

  constructor(connection: Connection, file: ResumableFile, options: ResumableOptions) {
    this.#connection = connection
    this.#uploads = uploadCalls(connection)
    this.#file = file
    this.#options = options
    this.#memory = options.memory ?? (isBrowser() ? createBrowserMemory() : undefined)
    this.#what = describeUpload(connection.url, file, options)
  }

  async toEnd(): Promise<HoldfastFile> {
    const { tries = FRUITLESS_TRIES, signal, onRetry } = this.#options
    let [failures, reached] = [0, -1]
    for (;;) {
      let at: UnfinishedUpload | undefined
      try {
        at = await this.#find()
        if (at.offset > reached) failures = 0
        reached = Math.max(reached, at.offset)
        return await this.#sendRest(at)
      } catch (error) {
        failures += 1
        if (failures >= tries || !(await this.#mayPass(error, at))) throw error
        onRetry?.()
        await delay(pauseSeconds(failures, error) * 1000, signal)
      }
    }
  }

  /** Has the server drop what has arrived. It does so by itself after a day if it cannot be told. */
  async giveUp(): Promise<void> {
    if (this.#id === undefined) return
    await this.#uploads.discard(this.#id).catch(() => undefined)
    await this.#forget()
  }

  /** The upload as it is on the server; a new one when there is none to go on with. */
  async #find(): Promise<UnfinishedUpload> {
    // A memory that could not write may have kept an empty id.
    this.#id ||= (await this.#memory?.recall(this.#what)) || undefined
    const found = this.#id === undefined ? undefined : await this.#lookUp(this.#id)
    // A file that was deleted since is wanted again.
    const isOver = found?.offset === found?.length && found?.file === null
    if (found?.length === this.#file.content.size && !isOver) return found
    await this.#forget()
    return this.#begin()
  }

  async #lookUp(id: string): Promise<UnfinishedUpload | undefined> {
    const { signal } = this.#options
    try {
      // A connection that broke may live on at the server: this ends it, so that the offset stays what it is.
      await this.#connection.send(pathOf(id), { method: 'HEAD', headers: VERSION, signal })
      return await this.#uploads.get(id, { signal })
    } catch (error) {
      if (isGone(error)) return undefined
      throw error
    }
  }

  async #begin(): Promise<UnfinishedUpload> {
    const { content, name } = this.#file
    const { folder, visibility, signal } = this.#options
    const headers = {
      ...VERSION,
      'Upload-Length': String(content.size),
      'Upload-Metadata': metadata({ filename: name, folder, visibility }),
    }
    const ask = { method: 'POST', headers, signal } as const
    const { upload } = await this.#connection.data<{ upload: UnfinishedUpload }>(PATH, ask)
    this.#id = upload.id
    await this.#memory?.remember(this.#what, upload.id)
    return upload
  }

  /** Sends piece after piece; `at` is told how far it has come. */
  async #sendRest(at: UnfinishedUpload): Promise<HoldfastFile> {
    const { content } = this.#file
    const { onProgress, signal } = this.#options
    const tell = (loaded: number) => onProgress?.({ loaded, total: content.size })
    tell(at.offset)
    while (at.offset < content.size) {
      const start = at.offset
      const piece = content.slice(start, start + PIECE_BYTES)
      await sendPiece(this.#connection, pathOf(at.id), {
        piece,
        type: PIECE_TYPE,
        headers: { ...VERSION, 'Upload-Offset': String(start) },
        onProgress: ({ loaded }) => tell(start + loaded),
        signal,
      })
      at.offset += piece.size
    }
    const { file } = await this.#uploads.get(at.id, { signal })
    if (!file) throw new HoldfastError('The file was deleted as soon as it had arrived', { status: 404 })
    await this.#forget()
    return file
  }

  /** Whether a failure may be over when it is tried again. */
  async #mayPass(error: unknown, at: UnfinishedUpload | undefined): Promise<boolean> {
    if (this.#options.signal?.aborted || !(error instanceof HoldfastError)) return false
    const { status, retryAfterSeconds } = error
    if (at && isGone(error)) return at.offset < at.length
    // The upload may be elsewhere than was thought. If it is not, it is the name that is taken.
    if (at && status === 409) return (await this.#lookUp(at.id).catch(() => undefined))?.offset !== at.offset
    const isPassing = status === 0 || status === 408 || status === 429 || (status >= 500 && status !== 507)
    return isPassing && retryAfterSeconds <= MAX_RETRY_AFTER_SECONDS
  }

  async #forget(): Promise<void> {
    this.#id = undefined
    await this.#memory?.forget(this.#what)
  }
}

const pathOf = (id: string) => `${PATH}/${encodeURIComponent(id)}`

const isGone = (error: unknown) =>
  error instanceof HoldfastError && (error.status === 404 || error.status === 410)

/** Longer each time, and for each client another, so that they do not come back all at once. */
function pauseSeconds(failures: number, error: unknown): number {
  const longest = Math.min(FIRST_PAUSE_SECONDS * 2 ** (failures - 1), MAX_PAUSE_SECONDS)
  const asked = error instanceof HoldfastError ? error.retryAfterSeconds : 0
  return Math.max(longest * (0.5 + Math.random() / 2), asked)
}

/** Names with their values in Base64 (extension Creation, Upload-Metadata). */
const metadata = (fields: Record<string, string | undefined>) =>
  Object.entries(fields)
    .flatMap(([name, value]) => (value ? [`${name} ${base64(value)}`] : []))
    .join(',')

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

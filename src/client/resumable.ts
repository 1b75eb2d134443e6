import { sendPiece } from './body.ts'
import { isBrowser } from './browser.ts'
import { type Connection, delay } from './connection.ts'
import { HoldfastError } from './error.ts'
import { createBrowserMemory, type UploadMemory } from './memory.ts'
import type {
  HoldfastFile,
  TransferOptions,
  UnfinishedUpload,
  UploadLink,
  UploadRules,
  Visibility,
} from './types.ts'

/**
 * Size in bytes above which resumable uploads pay off (40 s at 10 Mbit/s). Below it, sending again is cheaper than
 * the extra requests.
 */
export const RESUMABLE_BYTES = 50 * 1024 ** 2

const PATH = 'api/uploads'
const VERSION = { 'Tus-Resumable': '1.0.0' }
const PIECE_TYPE = 'application/offset+octet-stream'
/** Bytes of one request. Proxies that buffer requests lose this much when the connection breaks; more is not faster. */
export const PIECE_BYTES = 16 * 1024 ** 2
/** Attempts in a row without progress, about 90 s: enough for a restart of the server. */
const FRUITLESS_TRIES = 10
const FIRST_PAUSE_SECONDS = 0.5
const MAX_PAUSE_SECONDS = 30
/** Longest accepted `Retry-After`. The server's rate limits last no longer. */
const MAX_RETRY_AFTER_SECONDS = 60

/** A file that can be sliced: `Bun.file()`, `fs.openAsBlob()`, or the `File` of a form. */
export interface ResumableFile {
  name: string
  content: Blob
}

export interface Placement {
  /** Object key of the target folder, created when missing. Default: the root. */
  folder?: string
  visibility?: Visibility
}

export interface ResumableOptions extends Placement, TransferOptions {
  /** Id of the file whose bytes are replaced. Folder and visibility do not apply. */
  replaces?: string
  /** Storage of unfinished uploads. Default: `localStorage` in browsers, none elsewhere. */
  memory?: UploadMemory
  /** Identity of the content for the storage. Default: the modification time, if there is one. */
  fingerprint?: string
  /** Attempts in a row without progress before the upload fails. Default: 10. */
  tries?: number
  /** Effect of an abort on the bytes that the server received. With `keep` a later run continues. Default: `discard`. */
  onAbort?: 'discard' | 'keep'
  /** Called before each retry. */
  onRetry?: (() => void) | undefined
}

/** Returns the calls of `/api/uploads`, unfinished uploads by id. `files.uploadResumable` creates them. */
export const uploadCalls = (connection: Connection) => ({
  /** Signs a link by which anyone can upload one file, once: see `uploadTo`. Its `url` is a whole address. */
  sign: async (rules: UploadRules): Promise<UploadLink> => {
    const link = await connection.data<UploadLink>(`${PATH}/sign`, { method: 'POST', json: rules })
    return { ...link, url: connection.url + link.url }
  },
  /** Returns the offset of an upload; for a day after it finished, also its file. */
  get: async (id: string, options: { signal?: AbortSignal | undefined } = {}): Promise<UnfinishedUpload> =>
    (await connection.data<{ upload: UnfinishedUpload }>(pathOf(id), options)).upload,
  /** Cancels an upload and removes the bytes that were received. */
  discard: async (id: string): Promise<void> => {
    await connection.send(pathOf(id), { method: 'DELETE', headers: VERSION })
  },
})

/** Returns the identity of an upload for the storage: the same file on its way to the same target. */
export function describeUpload(
  url: string,
  { name, content }: ResumableFile,
  { folder = '', visibility, fingerprint, replaces }: ResumableOptions,
): string {
  const changed = 'lastModified' in content ? content.lastModified : undefined
  const what = [url, folder, name, visibility ?? null, content.size, fingerprint ?? changed ?? null]
  return JSON.stringify(replaces === undefined ? what : [...what, replaces])
}

/** Returns the id of the file that an upload replaces, from what `describeUpload` returned; undefined for a new file. */
export function replacedBy(what: string): string | undefined {
  const values: unknown = JSON.parse(what)
  const id: unknown = Array.isArray(values) ? values[REPLACES_AT] : undefined
  return typeof id === 'string' ? id : undefined
}

const REPLACES_AT = 6

/**
 * Uploads a file by tus 1.0.0 (https://tus.io/protocols/resumable-upload). Continues after a broken connection or a
 * restart of the server, and where an earlier run stopped if the storage knows it. The progress steps back by the
 * bytes that are sent again.
 *
 * An abort cancels the upload on the server, unless `onAbort` is `keep`.
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
    if (options.onAbort !== 'keep') await sending.giveUp()
    throw options.signal.reason
  }
}

class Sending {
  readonly #connection: Connection
  readonly #uploads: ReturnType<typeof uploadCalls>
  readonly #file: ResumableFile
  readonly #options: ResumableOptions
  readonly #memory: UploadMemory | undefined
  /** Identity of the upload in the storage. */
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

  /** Cancels the upload on the server, which does so itself after a day. */
  async giveUp(): Promise<void> {
    if (this.#id === undefined) return
    await this.#uploads.discard(this.#id).catch(() => undefined)
    await this.#forget()
  }

  /** Returns the upload's state on the server, or creates an upload. */
  async #find(): Promise<UnfinishedUpload> {
    // A storage that failed to write may contain an empty id.
    this.#id ||= (await this.#memory?.recall(this.#what)) || undefined
    const found = this.#id === undefined ? undefined : await this.#lookUp(this.#id)
    // A file that was deleted since is uploaded again.
    const isOver = found?.offset === found?.length && found?.file === null
    if (found?.length === this.#file.content.size && !isOver) return found
    await this.#forget()
    return this.#begin()
  }

  async #lookUp(id: string): Promise<UnfinishedUpload | undefined> {
    const { signal } = this.#options
    try {
      // The server may still hold the broken connection open. This closes it, so that the offset stays valid.
      await this.#connection.send(pathOf(id), { method: 'HEAD', headers: VERSION, signal })
      return await this.#uploads.get(id, { signal })
    } catch (error) {
      if (isGone(error)) return undefined
      throw error
    }
  }

  async #begin(): Promise<UnfinishedUpload> {
    const { content, name } = this.#file
    const { folder, visibility, replaces, signal } = this.#options
    const headers = {
      ...VERSION,
      'Upload-Length': String(content.size),
      'Upload-Metadata': metadata({ filename: name, folder, visibility, replaces }),
    }
    const ask = { method: 'POST', headers, signal } as const
    const { upload } = await this.#connection.data<{ upload: UnfinishedUpload }>(PATH, ask)
    this.#id = upload.id
    await this.#memory?.remember(this.#what, upload.id)
    return upload
  }

  /** Sends chunk after chunk and advances the offset of `at`. */
  async #sendRest(at: UnfinishedUpload): Promise<HoldfastFile> {
    const { content } = this.#file
    const { onProgress, signal } = this.#options
    const tell = (loaded: number) => onProgress?.({ loaded, total: content.size })
    tell(at.offset)
    while (at.offset < content.size) {
      const start = at.offset
      const piece = content.slice(start, start + PIECE_BYTES)
      await sendPiece(this.#connection, pathOf(at.id), {
        content: piece,
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

  /** Returns true for a failure that a retry may overcome. */
  async #mayPass(error: unknown, at: UnfinishedUpload | undefined): Promise<boolean> {
    if (this.#options.signal?.aborted || !(error instanceof HoldfastError)) return false
    const { status, retryAfterSeconds } = error
    if (at && isGone(error)) return at.offset < at.length
    // The offset may differ from ours. If it does not, the name is taken.
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

/** Returns a pause with exponential backoff and jitter, so that clients do not return all at once. */
function pauseSeconds(failures: number, error: unknown): number {
  const longest = Math.min(FIRST_PAUSE_SECONDS * 2 ** (failures - 1), MAX_PAUSE_SECONDS)
  const asked = error instanceof HoldfastError ? error.retryAfterSeconds : 0
  return Math.max(longest * (0.5 + Math.random() / 2), asked)
}

/** Returns the value of `Upload-Metadata`: names with their values in Base64 (extension Creation). */
const metadata = (fields: Record<string, string | undefined>) =>
  Object.entries(fields)
    .flatMap(([name, value]) => (value ? [`${name} ${base64(value)}`] : []))
    .join(',')

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

import { sendForm } from './body.ts'
import type { Connection } from './connection.ts'
import { pages } from './pages.ts'
import { type Placement, type ResumableFile, type ResumableOptions, uploadResumable } from './resumable.ts'
import type {
  Destination,
  Failure,
  FileDetails,
  HoldfastFile,
  LinkLifetimes,
  ListOptions,
  NamedContent,
  SignedLink,
  TransferOptions,
  Visibility,
  Which,
} from './types.ts'

const PATH = 'api/files'

export interface UploadOptions extends Placement, TransferOptions {}

export interface DownloadOptions {
  /** Where to begin, in bytes, to go on with what was cut short. The answer is 206 then. */
  from?: number
  /** The `ETag` that the beginning came with: of a file that changed since, the answer is all of it, with 200. */
  ifRange?: string
  signal?: AbortSignal
}

/** `/api/files`. Every call throws a `HoldfastError` when the server refuses it. */
export function fileCalls(connection: Connection) {
  const change = async (id: string, changes: { name?: string; visibility?: Visibility }) =>
    (await connection.data<{ file: HoldfastFile }>(PATH, { method: 'PUT', json: { id, ...changes } })).file

  return {
    /** Every file of the instance, or those of one `name`, in pages as they are read. */
    list: (options: ListOptions & { name?: string } = {}): AsyncGenerator<HoldfastFile> =>
      pages(
        options,
        async (query) => (await connection.data<{ files: HoldfastFile[] }>(PATH, { query })).files,
      ),
    get: async (which: Which): Promise<HoldfastFile> =>
      (await connection.data<{ file: HoldfastFile }>(PATH, { query: { ...which } })).file,
    /** What lists leave out: the file's SHA-256, and how often it was served. */
    details: (which: Which): Promise<FileDetails> =>
      connection.data(`${PATH}/details`, { query: { ...which } }),
    /** Stores files together: all of them, or none. */
    upload: async (files: readonly NamedContent[], options: UploadOptions = {}): Promise<HoldfastFile[]> => {
      const { folder, visibility, ...transfer } = options
      // The fields go first, so that a server could judge them before the bytes.
      const form = { files, fields: { folder, visibility } }
      return (await sendForm<{ files: HoldfastFile[] }>(connection, PATH, { form, ...transfer })).files
    },
    /**
     * Stores a file in pieces, and goes on with it after whatever broke it off, also in a later run: see
     * `ResumableOptions`. For files of more than `RESUMABLE_BYTES`.
     */
    uploadResumable: (file: ResumableFile, options: ResumableOptions = {}): Promise<HoldfastFile> =>
      uploadResumable(connection, file, options),
    /** The file's bytes, as the body of the answer. */
    download: (id: string, { from = 0, ifRange, signal }: DownloadOptions = {}): Promise<Response> =>
      connection.download(`${PATH}/download/${encodeURIComponent(id)}`, {
        headers: {
          ...(from > 0 ? { Range: `bytes=${from}-` } : {}),
          ...(ifRange === undefined ? {} : { 'If-Range': ifRange }),
        },
        signal,
      }),
    /** Several files as one ZIP archive, as the body of the answer. */
    archive: (ids: readonly string[], options: { signal?: AbortSignal } = {}): Promise<Response> =>
      connection.download(`${PATH}/download`, { method: 'POST', json: { ids }, ...options }),
    /** A link that opens the file for anyone, for a while. Its `url` is relative to the instance's. */
    sign: (which: Which, options: { expiresIn?: number } = {}): Promise<SignedLink> =>
      connection.data(`${PATH}/sign`, { method: 'POST', json: { ...which, ...options } }),
    /** Default and maximum lifetime of signed links, in seconds. */
    linkLifetimes: (): Promise<LinkLifetimes> => connection.data(`${PATH}/sign`),
    rename: (id: string, name: string): Promise<HoldfastFile> => change(id, { name }),
    setVisibility: (id: string, visibility: Visibility): Promise<HoldfastFile> => change(id, { visibility }),
    /** Sets the visibility of several files at once. Returns them, and the ids that do not exist. */
    setVisibilityAll: (
      ids: readonly string[],
      visibility: Visibility,
    ): Promise<{ files: HoldfastFile[]; failed: Failure[] }> =>
      connection.data(`${PATH}/visibility`, { method: 'PUT', json: { ids, visibility } }),
    move: async (id: string, destination: Destination): Promise<HoldfastFile> =>
      (
        await connection.data<{ file: HoldfastFile }>(`${PATH}/move`, {
          method: 'POST',
          json: { id, ...destination },
        })
      ).file,
    /** Moves each by itself, and says what became of it. */
    moveAll: (
      ids: readonly string[],
      destination: Destination,
    ): Promise<{ files: HoldfastFile[]; failed: Failure[] }> =>
      connection.data(`${PATH}/move`, { method: 'POST', json: { ids, ...destination } }),
    delete: (id: string): Promise<null> => connection.data(PATH, { method: 'DELETE', json: { id } }),
    /** Deletes each by itself, and says what became of it. */
    deleteAll: (ids: readonly string[]): Promise<{ deleted: string[]; failed: Failure[] }> =>
      connection.data(PATH, { method: 'DELETE', json: { ids } }),
    /** Tells the history of uploads that were given up before they began. */
    reportCanceled: (names: readonly string[]): Promise<null> =>
      connection.data(`${PATH}/canceled`, { method: 'POST', json: { names } }),
  }
}

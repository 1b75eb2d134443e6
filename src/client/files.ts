import { sendBytes, sendForm } from './body.ts'
import { type Connection, callsAt } from './connection.ts'
import { pages } from './pages.ts'
import { type Placement, type ResumableFile, type ResumableOptions, uploadResumable } from './resumable.ts'
import type {
  Content,
  CopiedItem,
  Destination,
  Failure,
  FetchRequest,
  FileChanges,
  FileDetails,
  FileFetch,
  HoldfastFile,
  Items,
  LinkLifetimes,
  ListOptions,
  NamedContent,
  OnConflict,
  SignedLink,
  TransferOptions,
  Version,
  Visibility,
  Which,
} from './types.ts'

const PATH = 'api/files'

export interface UploadOptions extends Placement, TransferOptions {
  onConflict?: OnConflict
}

export interface ReplaceOptions extends TransferOptions {
  /** `ETag` of the bytes to replace. If the file changed since, the error has status 412. */
  ifMatch?: string
  /** SHA-256 of the new bytes in hex. Other bytes are refused. */
  sha256?: string
}

export interface DownloadOptions {
  /** First byte, to continue a download that broke off. The response is then a 206. */
  from?: number
  /** `ETag` of the bytes that arrived earlier. If the file changed since, the response is a 200 with all bytes. */
  ifRange?: string
  signal?: AbortSignal
}

/** Returns the calls of `/api/files`. Each throws a `HoldfastError` when the server refuses it. */
export function fileCalls(connection: Connection) {
  const { get, post, put, remove } = callsAt(connection, PATH)
  const change = async (id: string, changes: FileChanges) =>
    (await put<{ file: HoldfastFile }>({ id, ...changes })).file

  return {
    /** Lists every file of the instance, or those of one `name`, page by page. */
    list: (options: ListOptions & { name?: string } = {}) =>
      pages(options, async (query) => (await get<{ files: HoldfastFile[] }>(query)).files),
    get: async (which: Which) => (await get<{ file: HoldfastFile }>({ ...which })).file,
    /** Returns a file with its SHA-256 and its traffic. */
    details: (which: Which) => get<FileDetails>({ ...which }, '/details'),
    /** Stores files together: all of them, or none. */
    upload: async (files: readonly NamedContent[], options: UploadOptions = {}) => {
      const { folder, visibility, onConflict, ...transfer } = options
      // The fields go first, so that the server can validate them before the bytes.
      const form = { files, fields: { folder, visibility, onConflict } }
      return (await sendForm<{ files: HoldfastFile[] }>(connection, PATH, { form, ...transfer })).files
    },
    /**
     * Stores a file in chunks, and resumes after interruptions, also in a later run: see `ResumableOptions`. For
     * files larger than `RESUMABLE_BYTES`.
     */
    uploadResumable: (file: ResumableFile, options: ResumableOptions = {}) =>
      uploadResumable(connection, file, options),
    /** Replaces the bytes of a file, which keeps its id, key, links and visibility. */
    replace: async (id: string, content: Content, { ifMatch, sha256, ...transfer }: ReplaceOptions = {}) => {
      const headers: Record<string, string> = {
        ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
        ...(sha256 === undefined ? {} : { 'Content-Digest': digestOf(sha256) }),
      }
      const type = 'application/octet-stream'
      const put = { method: 'PUT', query: { id }, content, type, headers, ...transfer } as const
      return (await sendBytes<{ file: HoldfastFile }>(connection, `${PATH}/content`, put)).file
    },
    /** Lists the versions of a file, newest first: bytes that were replaced. At most 1000 at once. */
    versions: async (id: string, page: { limit?: number; offset?: number } = {}) =>
      (await get<{ versions: Version[] }>({ id, ...page }, '/versions')).versions,
    /** Downloads a version as the body of the response. */
    downloadVersion: (id: string, options: { signal?: AbortSignal } = {}) =>
      connection.download(`${PATH}/versions/content`, { query: { id }, ...options }),
    /** Replaces the bytes of a file by those of a version. The present bytes become a version. */
    restoreVersion: async (id: string) =>
      (await post<{ file: HoldfastFile }>({ id }, '/versions/restore')).file,
    deleteVersion: (id: string): Promise<null> =>
      connection.data(`${PATH}/versions`, { method: 'DELETE', query: { id } }),
    /** Downloads a file as the body of the response. */
    download: (id: string, { from = 0, ifRange, signal }: DownloadOptions = {}) =>
      connection.download(`${PATH}/download/${encodeURIComponent(id)}`, {
        headers: {
          ...(from > 0 ? { Range: `bytes=${from}-` } : {}),
          ...(ifRange === undefined ? {} : { 'If-Range': ifRange }),
        },
        signal,
      }),
    /** Downloads several files as one ZIP archive, the body of the response. */
    archive: (ids: readonly string[], options: { signal?: AbortSignal } = {}) =>
      connection.download(`${PATH}/download`, { method: 'POST', json: { ids }, ...options }),
    /**
     * Returns the address of a thumbnail, for an `<img>` of the dashboard's origin or a `fetch` with the key.
     *
     * @param width Maximum width and height in pixels. Default: 400.
     */
    thumbnailUrl: (id: string, width?: number): string =>
      connection.address(`${PATH}/thumbnail/${encodeURIComponent(id)}`, { width }),
    /** Returns what stands in for thumbnails while they load, by the ids of files: WebP in Base64, for 100 files at most. */
    placeholders: async (ids: readonly string[]) =>
      (await get<{ placeholders: Record<string, string> }>({ ids: ids.join(',') }, '/placeholders'))
        .placeholders,
    /** Returns the address of a picture, public or behind a signed link, as WebP of at most `width` by `width` pixels, for an `<img>` on any site. */
    pictureUrl: ({ url }: { url: string }, width: 200 | 400 | 800 | 1600): string =>
      `${connection.url}${url}${url.includes('?') ? '&' : '?'}width=${width}`,
    /** Starts a fetch: the server gets a file by URL and stores it. */
    fetch: async (request: FetchRequest) => (await post<{ fetch: FileFetch }>(request, '/fetch')).fetch,
    /** Lists what is fetched by URL, newest first, for a day after it ended. */
    fetches: async () => (await get<{ fetches: FileFetch[] }>({}, '/fetch')).fetches,
    /** Returns one fetch with its progress. */
    fetched: async (id: string) => (await get<{ fetch: FileFetch }>({ id }, '/fetch')).fetch,
    cancelFetch: async (id: string) => (await remove<{ fetch: FileFetch }>({ id }, '/fetch')).fetch,
    /** Creates a link that opens the file for any visitor until it expires. */
    sign: (which: Which, options: { expiresIn?: number } = {}) =>
      post<SignedLink>({ ...which, ...options }, '/sign'),
    /** Returns the default and maximum lifetime of signed links, in seconds. */
    linkLifetimes: () => get<LinkLifetimes>({}, '/sign'),
    rename: (id: string, name: string) => change(id, { name }),
    setVisibility: (id: string, visibility: Visibility) => change(id, { visibility }),
    /** Sets the visibility of several files. Returns them, and the ids that do not exist. */
    setVisibilityAll: (ids: readonly string[], visibility: Visibility) =>
      put<{ files: HoldfastFile[]; failed: Failure[] }>({ ids, visibility }, '/visibility'),
    move: async (id: string, destination: Destination) =>
      (await post<{ file: HoldfastFile }>({ id, ...destination }, '/move')).file,
    /** Moves each file on its own. Returns the moved files and the failures. */
    moveAll: (ids: readonly string[], destination: Destination) =>
      post<{ files: HoldfastFile[]; failed: Failure[] }>({ ids, ...destination }, '/move'),
    /** Copies files and folders, each on its own. Returns the copies and the failures. */
    copy: (items: Items, destination: Destination) =>
      post<{ copied: CopiedItem[]; failed: Failure[] }>({ ...items, ...destination }, '/copy'),
    delete: (id: string) => remove<null>({ id }),
    /** Deletes each file on its own. Returns the deleted ids and the failures. */
    deleteAll: (ids: readonly string[]) => remove<{ deleted: string[]; failed: Failure[] }>({ ids }),
    /** Records uploads in the history that were canceled before they began. */
    reportCanceled: (names: readonly string[]) => post<null>({ names }, '/canceled'),
  }
}

/** Returns the value of `Content-Digest` (RFC 9530) for a SHA-256 in hex. */
function digestOf(sha256: string): string {
  const bytes = (sha256.match(/../g) ?? []).map((hex) => Number.parseInt(hex, 16))
  return `sha-256=:${btoa(String.fromCharCode(...bytes))}:`
}

import type { Folder, HoldfastFile } from './model.ts'

export type * from './model.ts'

/** A folder's content: one page of its files, and all its folders. */
export interface FolderPage {
  files: HoldfastFile[]
  folders: Folder[]
}

/** Reference to a file or folder, by id or object key. */
export type Which = { id: string } | { key: string }
/** Reaction to a taken name: refuse all (default), replace the bytes, store as `name (2)`, or leave it out. */
export type OnConflict = 'fail' | 'replace' | 'rename' | 'skip'
/** Target of a move: an existing folder by id, or an object key whose folders are created. */
export type Destination = { folderId: string } | { folder: string }
/** Reason why one of several files failed. */
export interface Failure {
  id: string
  message: string
}

/** Progress of a transfer, in bytes. */
export interface Progress {
  loaded: number
  /** Undefined for a stream of unknown length. */
  total: number | undefined
}

export interface SignalOption {
  signal?: AbortSignal | undefined
}

export interface TransferOptions extends SignalOption {
  onProgress?: ((progress: Progress) => void) | undefined
}

/** Bytes that can be read more than once: a `Blob`, or any other source of streams. */
export interface Source {
  readonly size?: number
  stream: () => ReadableStream<Uint8Array>
}

/** Bytes to send. Files on disk (`Bun.file`, `fs.openAsBlob`, the `File` of a form) are streamed. */
export type Content = Source | string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

export interface NamedContent {
  name: string
  content: Content
}

/** A file in a tree, at a path such as `img/logo.png`. */
export interface TreeFile {
  path: string
  content: Content
}

/** Ids of the files and folders of a selection. */
export interface Items {
  fileIds?: readonly string[]
  folderIds?: readonly string[]
}

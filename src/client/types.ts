import type { Folder, HoldfastFile } from './model.ts'

export type * from './model.ts'

/** A folder's content: one page of its files, and all its folders. */
export interface FolderPage {
  files: HoldfastFile[]
  folders: Folder[]
}

/** Which file or folder: by its id, or by its key. */
export type Which = { id: string } | { key: string }
/** Where something goes: into a folder that exists, by id, or at a key, whose folders are made. */
export type Destination = { folderId: string } | { folder: string }
/** What became of each of several files. */
export interface Failure {
  id: string
  message: string
}

/** How far a transfer has come, in bytes. */
export interface Progress {
  loaded: number
  /** Undefined when a stream of unknown length is sent. */
  total: number | undefined
}

export interface SignalOption {
  signal?: AbortSignal | undefined
}

export interface TransferOptions extends SignalOption {
  onProgress?: ((progress: Progress) => void) | undefined
}

/** Bytes that can be read more than once: a `Blob`, or anything else that makes a stream of them. */
export interface Source {
  readonly size?: number
  stream: () => ReadableStream<Uint8Array>
}

/** Bytes to send. Files from a disk (`Bun.file`, `fs.openAsBlob`, a file input's `File`) are never held whole. */
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

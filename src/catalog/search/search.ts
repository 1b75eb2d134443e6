import type { FileRow } from '../files.ts'
import type { FolderRow } from '../folders.ts'

/** Kinds of files in everyday words. */
export const MEDIA_KINDS = ['image', 'video', 'audio', 'document', 'archive', 'code', 'other'] as const
export type MediaKind = (typeof MEDIA_KINDS)[number]

const DOCUMENTS = 'pdf|msword|officedocument|opendocument|rtf|epub|^text/(plain|markdown|csv)$'
const ARCHIVES = 'zip|x-tar|gzip|x-bzip|x-7z|rar|x-xz|zstd'
const CODE = 'json|javascript|typescript|xml|x-sh|yaml|toml|sql|^text/'

/** Patterns of media types, the first of which decides the kind. Both engines read them as regular expressions. */
export const MEDIA_PATTERNS: readonly [MediaKind, string][] = [
  ['image', '^image/'],
  ['video', '^video/'],
  ['audio', '^audio/'],
  ['document', DOCUMENTS],
  ['archive', ARCHIVES],
  ['code', CODE],
  ['other', ''],
]
const TESTS = MEDIA_PATTERNS.map(([kind, pattern]) => [kind, new RegExp(pattern)] as const)

/** Returns the kind of a media type. */
export const mediaKind = (mimeType: string): MediaKind =>
  TESTS.find(([, pattern]) => pattern.test(mimeType))?.[0] ?? 'other'

/** Search for names of files and folders. */
export interface NameSearch {
  /** Part of a name, folded. */
  text: string
  kind?: 'file' | 'folder' | MediaKind | undefined
  visibility?: FileRow['visibility'] | undefined
  /** Id of the account that uploaded a file. */
  uploader?: string | undefined
  /** Id of a folder: only what is in it or below it. */
  folderId?: string | undefined
  /** Bounds of the time of creation: the first is inclusive, the second is not. */
  after?: number | undefined
  before?: number | undefined
  /** Bounds of the size in bytes, both inclusive. */
  minSize?: number | undefined
  maxSize?: number | undefined
  limit: number
  /** Position of the last result of the page before. */
  from?: Position | undefined
}

/** Position of a result: results are in order of rank, newest first within a rank, then by tie. */
export interface Position {
  rank: number
  createdAt: number
  tie: number | string
}

/** File or folder that a search found, with its key. */
export type Found =
  | { kind: 'file'; row: FileRow; key: string }
  | { kind: 'folder'; row: FolderRow; key: string }

export interface FoundPage {
  found: Found[]
  /** Position to continue from; missing on the last page. */
  next?: Position
}

/** Returns true when a search can find files: only they have a size, a visibility and an uploader. */
export const wantsFiles = ({ kind }: NameSearch): boolean => kind !== 'folder'

/** Returns true when a search can find folders. */
export const wantsFolders = ({ kind, visibility, uploader, minSize, maxSize }: NameSearch): boolean =>
  (kind === undefined || kind === 'folder') &&
  visibility === undefined &&
  uploader === undefined &&
  minSize === undefined &&
  maxSize === undefined

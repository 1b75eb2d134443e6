import type { Kind } from '../../platform/kinds.ts'
import type { FileRow } from './files.ts'
import type { FolderRow } from './folders.ts'

/** Search for names of files and folders. */
export interface NameSearch {
  /** Part of a name, folded. */
  text: string
  kind?: 'file' | 'folder' | Kind | undefined
  visibility?: FileRow['visibility'] | undefined
  /** Id of the account that uploaded a file. */
  uploader?: string | undefined
  /** Ids of folders: only what is in one of them or below it. */
  folderIds?: readonly string[] | undefined
  /** True to find these folders, too. */
  withThem?: boolean | undefined
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

/** Position of a result: results are in order of rank, newest first within a rank, then by name, then by tie. */
export interface Position {
  rank: number
  createdAt: number
  /** Folded name; missing in the position after all that was created at that time. */
  name?: string
  tie: number | string
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

function digitsAt(text: string, start: number): string {
  let end = start
  while (isDigit(text.charCodeAt(end))) end += 1
  return text.slice(start, end)
}

/** Compares folded names, and numbers in them by their values, in the same order on all servers. */
export function compareNaturally(one: string, other: string): number {
  let at = 0
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  while (isDigit(one.charCodeAt(at - 1))) at -= 1
  const [number, otherNumber] = [digitsAt(one, at), digitsAt(other, at)]
  const byValue = number && otherNumber && Number(number) - Number(otherNumber)
  return byValue || (one < other ? -1 : Number(one > other))
}

/** Returns a negative number when one result comes before the other, whatever their ties. */
export const comparePositions = (one: Position, other: Position): number =>
  one.rank - other.rank ||
  other.createdAt - one.createdAt ||
  (one.name === undefined || other.name === undefined
    ? Number(one.name === undefined) - Number(other.name === undefined)
    : compareNaturally(one.name, other.name))

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

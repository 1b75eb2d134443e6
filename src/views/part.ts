import type { FileList, FileRow, Snapshot, Work } from '../store/rows.ts'
import type { TreeCore } from '../store/store.ts'
import { type FileView, viewRows } from './files.ts'

/** Maximum files of a list that is sent in one piece. */
export const PAGE_FILES = 1000
/** Number of files that are read first of the order of all. */
const FIRST_ROWS = 500
/** Maximum files that are read of it. */
const MAX_ROWS = 20_000
/** Number of files that cost as much as an index by folder with all that the order needs. */
const FEW_ROWS = 5000
/** Maximum folders inside whose files are read, and of those that are read at little cost. */
const MAX_FOLDERS = 20_000
const FEW_FOLDERS = 5000
/** Maximum files inside that are sorted. */
const MAX_SORTED = 10_000
/** Maximum files inside when an index by folder has all that the order needs. */
const MAX_INDEXED = 100_000

type Store = Pick<TreeCore['store'], 'entries' | 'files' | 'folders' | 'lists' | 'totals'>

/**
 * Returns a page of the files that a limited caller reaches: part of a body. While many of all files are inside, it reads
 * those in the order of the list. While few are, it reads those of the folders inside. `undefined` when neither is fast.
 */
export function* pageWithin(store: Store, list: FileList): Work<FileView[] | undefined> {
  const rows =
    (yield* readInOrder(store, list, isIndexed(list) ? FEW_ROWS : MAX_ROWS)) ??
    (yield* readBelow(store, yield* listWithin(store, list, FEW_FOLDERS))) ??
    (yield* readInOrder(store, list)) ??
    (yield* readBelow(store, yield* listWithin(store, list)))
  return rows && (yield* viewRows(store, rows, new Map(yield* keysOf(store, rows))))
}

/**
 * Reads a page from the files in the order of the list, inside or not.
 *
 * @param mostLikely Maximum files that it is likely to need; `undefined` to try in any case.
 */
function* readInOrder(store: Store, list: FileList, mostLikely?: number): Work<FileRow[] | undefined> {
  const end = endOf(list)
  const found: string[] = []
  let read = 0
  for (let limit = FIRST_ROWS; limit > 0; ) {
    const places = yield* store.lists.places({ ...list, offset: read, limit })
    const keys = yield* keysOf(store, places)
    for (const { id, folderId } of places) if (keys.has(folderId)) found.push(id)
    read += places.length
    if (found.length >= end || places.length < limit)
      return yield* rowsOf(store, found.slice(list.offset, end))
    const likely = (read * (end - found.length)) / found.length
    if (mostLikely !== undefined && read + likely > mostLikely) return undefined
    limit = Math.min(Math.ceil(Math.max(1.2 * likely, FIRST_ROWS)), 3 * read, MAX_ROWS - read)
  }
  return undefined
}

function* rowsOf({ files }: Store, ids: readonly string[]): Work<FileRow[]> {
  const rows = new Map((yield* files.byIds(ids)).map((row) => [row.id, row]))
  return ids.flatMap((id) => rows.get(id) ?? [])
}

function* readBelow({ lists }: Store, inside: FileList | undefined): Work<FileRow[] | undefined> {
  return inside && (yield* lists.page(inside))
}

const keysOf = ({ folders }: Store, rows: readonly Pick<FileRow, 'folderId'>[]) =>
  folders.keysOf([...new Set(rows.map(({ folderId }) => folderId))])

/** Returns a list of the files in the folders that a limited caller reaches; `undefined` when they are too many. */
export function* listWithin(
  from: Pick<Snapshot, 'entries' | 'totals'>,
  list: FileList,
  maxFolders = MAX_FOLDERS,
): Work<FileList | undefined> {
  const tops = (yield* from.entries()).map(({ folderId }) => folderId)
  const below = yield* from.totals.below(tops, maxFolders + 1)
  const count = below.reduce((sum, folder) => sum + folder.count, 0)
  const isFast = isIndexed(list)
    ? count <= MAX_INDEXED || (maxFolders === MAX_FOLDERS && endOf(list) <= MAX_SORTED)
    : count <= MAX_SORTED
  return isFast && below.length <= maxFolders ? { ...list, folderIds: below.map(({ id }) => id) } : undefined
}

/** Returns the number of files up to the end of a list. */
const endOf = ({ offset, limit = Number.POSITIVE_INFINITY }: FileList) => offset + limit

/** True for a page of which an index of the files by folder has all that the order needs. */
const isIndexed = ({ orderBy, limit }: FileList) =>
  orderBy === 'createdAt' && limit !== undefined && limit <= PAGE_FILES

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

type Store = Pick<TreeCore['store'], 'entries' | 'folders' | 'lists' | 'totals'>

/**
 * Returns a page of the files that a limited caller reaches: part of a body. While many of all files are inside, it reads
 * those in the order of the list. While few are, it reads those of the folders inside. `undefined` when neither is fast.
 */
export function* pageWithin(store: Store, list: FileList): Work<FileView[] | undefined> {
  const keys: Keys = new Map()
  const ordered =
    (yield* readInOrder(store, { list, keys, mostLikely: isIndexed(list) ? FEW_ROWS : MAX_ROWS })) ??
    (yield* listWithin(store, list, FEW_FOLDERS)) ??
    (yield* readInOrder(store, { list, keys })) ??
    (yield* listWithin(store, list))
  if (!ordered) return undefined
  const rows = yield* store.lists.page(ordered)
  yield* complete(store, keys, rows)
  return yield* viewRows(store, rows, keys)
}

/** Keys of folders by their ids; `undefined` for those outside. */
type Keys = Map<string, string | undefined>

/** Completes the keys by those of the folders of some files. */
function* complete({ folders }: Store, keys: Keys, rows: readonly Pick<FileRow, 'folderId'>[]): Work<void> {
  const ids = new Set(rows.map(({ folderId }) => folderId).filter((id) => !keys.has(id)))
  const found = yield* folders.keysOf([...ids])
  for (const id of ids) keys.set(id, found.get(id))
}

interface Ordered {
  list: FileList
  keys: Keys
  /** Maximum files that the page may be likely to need; by default it is tried in any case. */
  mostLikely?: number
}

/** Finds a page among the files in the order of the list, inside or not; `undefined` when it needs too many of them. */
function* readInOrder(store: Store, { list, keys, mostLikely }: Ordered): Work<FileList | undefined> {
  const end = endOf(list)
  const found: string[] = []
  let read = 0
  for (let limit = FIRST_ROWS; limit > 0; ) {
    const places = yield* store.lists.places({ ...list, offset: read, limit })
    yield* complete(store, keys, places)
    for (const { id, folderId } of places) if (keys.get(folderId) !== undefined) found.push(id)
    read += places.length
    if (found.length >= end || places.length < limit)
      return { ...list, ids: found.slice(list.offset, end), offset: 0 }
    const likely = (read * (end - found.length)) / found.length
    if (mostLikely !== undefined && read + likely > mostLikely) return undefined
    limit = Math.min(Math.ceil(Math.max(1.2 * likely, FIRST_ROWS)), 3 * read, MAX_ROWS - read)
  }
  return undefined
}

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

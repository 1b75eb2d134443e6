import { useEffect, useMemo } from 'react'
import {
  type Folder,
  type HoldfastFile,
  hidden,
  returning,
  useFolder,
  useFolderBytes,
} from '../../api/files.ts'
import { formatBytes, formatItems } from '../../lib/format.ts'
import { parentKey } from '../../lib/paths.ts'
import { useStore } from '../../lib/store.ts'
import { browseTexts } from '../../texts/browse.ts'
import { texts } from '../../texts.ts'
import { countItems, type Filter, filterItems, type Item, isFolder, sizeOf, toItems } from './items.ts'
import { parseOrder, useOrder } from './view.ts'

const NO_FOLDERS: readonly Folder[] = []

interface FolderItems {
  items: Item[]
  isLoading: boolean
  /** True after all pages of the folder were read. */
  isComplete: boolean
  /** True for an empty folder, without regard to the search. */
  isEmpty: boolean
  error: unknown
  retry: () => void
  /** Error of the rest of a large folder. */
  brokenOff: unknown
  /** Number of items in words, and a note while more are loading. */
  status: string
}

/** Returns a folder's filtered items. A large folder is loaded page by page. */
export function useItems(folder: string, filter: Filter): FolderItems {
  const [orderName] = useOrder()
  const order = parseOrder(orderName)
  const { data, error, isPending, isFetching, refetch, hasNextPage, fetchNextPage } = useFolder(folder, order)
  useEffect(() => {
    // Another page would cancel a refetch of outdated ones.
    if (hasNextPage && !isFetching && !error) void fetchNextPage()
  }, [hasNextPage, isFetching, error, fetchNextPage])

  const folders = data?.pages[0]?.folders ?? NO_FOLDERS
  const folderBytes = useFolderBytes(folders[0]?.parentId)
  // The order of many files is not made again for a size that it does not need.
  const bytesInFolders = order.by === 'size' ? folderBytes : undefined
  const back = useStore(returning)
  const present = useMemo(() => {
    const pages = data?.pages ?? []
    // Pages may overlap when the folder changes between them.
    const here = back.filter(({ key }) => parentKey(key) === folder)
    const content = {
      files: unique([...here.filter(isFileRow), ...pages.flatMap((page) => page.files)]),
      folders: unique([...here.filter((row): row is Folder => !isFileRow(row)), ...folders]),
    }
    return toItems({ ...content, isComplete: !hasNextPage, bytesInFolders }, order)
  }, [data, folder, folders, back, bytesInFolders, order, hasNextPage])
  const left = useStore(hidden)
  const items = useMemo(
    () => filterItems(present, filter).filter(({ id }) => !left.has(id)),
    [present, filter, left],
  )
  const counts = countItems(items)
  const bytes = useSizeOf(items)
  const size = bytes === undefined ? '' : ` · ${formatBytes(bytes)}`
  const shown = items.length === 0 ? '' : `${formatItems(counts)}${size}`
  return {
    items,
    isLoading: isPending,
    isComplete: !isPending && !hasNextPage,
    isEmpty: !isPending && present.length === 0,
    error: data ? undefined : error,
    retry: () => void refetch(),
    status: hasNextPage
      ? `${error ? shown : texts.files.loadingMore(shown)} ${browseTexts.sortedLater}`
      : shown,
    brokenOff: data && hasNextPage ? error : undefined,
  }
}

const isFileRow = (row: HoldfastFile | Folder): row is HoldfastFile => 'mimeType' in row

const unique = <Row extends { id: string }>(rows: readonly Row[]): Row[] => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
]

/** Returns the bytes of items and of everything in them; undefined until that is known. */
export function useSizeOf(items: readonly Item[]): number | undefined {
  const folder = items.find(isFolder)
  const folders = useFolderBytes(folder?.parentId)
  return folder && !folders ? undefined : sizeOf(items, folders)
}

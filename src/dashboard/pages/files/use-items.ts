import { useEffect, useMemo } from 'react'
import { useFolder } from '../../api/files.ts'
import { formatBytes, formatItems } from '../../lib/format.ts'
import { usePreference } from '../../lib/preference.ts'
import { texts } from '../../texts.ts'
import { countItems, type Filter, filterItems, type Item, sizeOf, toItems } from './items.ts'
import { orderPreference, parseOrder } from './view.ts'

interface FolderItems {
  items: Item[]
  isLoading: boolean
  /** Whether all pages of the folder were read. */
  isComplete: boolean
  /** Whether the folder has nothing in it, whatever is searched for. */
  isEmpty: boolean
  error: unknown
  retry: () => void
  /** Why the rest of a large folder is not there. */
  brokenOff: unknown
  /** How much is shown, and whether more is coming, in words. */
  status: string
}

/** A folder's items as they are to be shown. A large folder fills up page by page. */
export function useItems(folder: string, filter: Filter): FolderItems {
  const [orderName] = usePreference(orderPreference)
  const order = parseOrder(orderName)
  const { data, error, isPending, isFetching, refetch, hasNextPage, fetchNextPage } = useFolder(folder, order)
  useEffect(() => {
    // Another page would break off a reading of those that are there, which are out of date then.
    if (hasNextPage && !isFetching && !error) void fetchNextPage()
  }, [hasNextPage, isFetching, error, fetchNextPage])

  const present = useMemo(() => {
    const pages = data?.pages ?? []
    // Pages that are read while the folder changes may overlap.
    const files = [...new Map(pages.flatMap((page) => page.files).map((file) => [file.id, file])).values()]
    return toItems({ files, folders: pages[0]?.folders ?? [] }, order)
  }, [data, order])
  const items = useMemo(() => filterItems(present, filter), [present, filter])
  const counts = countItems(items)
  // Folders have no size of their own.
  const size = counts.files > 0 ? ` · ${formatBytes(sizeOf(items))}` : ''
  const shown = items.length === 0 ? '' : `${formatItems(counts)}${size}`
  return {
    items,
    isLoading: isPending,
    isComplete: !isPending && !hasNextPage,
    isEmpty: !isPending && present.length === 0,
    error: data ? undefined : error,
    retry: () => void refetch(),
    status: hasNextPage && !error ? texts.files.loadingMore(shown) : shown,
    brokenOff: data && hasNextPage ? error : undefined,
  }
}

import { useInfiniteQuery } from '@tanstack/react-query'
import type { TrashItem } from '../../client/index.ts'
import { client } from './client.ts'
import { refreshFolders } from './files.ts'
import { queryClient } from './query.ts'

export type { TrashItem }

/** Items in one request; a shorter page is the last. */
const PAGE = 100

/** Queries the deleted files and folders, the latest first. `fetchNextPage` loads older ones. */
export const useTrash = () =>
  useInfiniteQuery({
    queryKey: ['trash'],
    queryFn: ({ pageParam }) => client.trash.list({ limit: PAGE, offset: pageParam }),
    initialPageParam: 0,
    getNextPageParam: ({ items }, _pages, offset) => (items.length < PAGE ? undefined : offset + PAGE),
    staleTime: 0,
  })

/** Returns true if deleted items stay in the trash for a time. @throws {HoldfastError} */
export const isTrashOn = async (): Promise<boolean> => (await client.trash.list({ limit: 0 })).trashDays > 0

/** Invalidates all queries that show what is, or was, in the trash. */
export const refreshTrash = () =>
  Promise.all([
    refreshFolders(),
    queryClient.invalidateQueries({ queryKey: ['trash'] }),
    queryClient.invalidateQueries({ queryKey: ['stats'] }),
  ])

export const {
  put: putInTrash,
  restore: restoreFromTrash,
  delete: deleteFromTrash,
  empty: emptyTrash,
} = client.trash

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { Order, TrashOrder } from '../../views/orders.ts'
import { client } from './client.ts'
import { FOLDERS } from './files.ts'
import { refresh } from './query.ts'

export type { TrashItem } from '../../client/index.ts'

/** Items in one request; a shorter page is the last. */
const PAGE = 100

/** Queries deleted files and folders, those with `search` in their key unless it is empty. `fetchNextPage` loads more. */
export const useTrash = (search: string, order: Order<TrashOrder>) =>
  useInfiniteQuery({
    queryKey: ['trash', search, order],
    queryFn: ({ pageParam }) => {
      const { by: orderBy, direction: orderDirection } = order
      return client.trash.list({ limit: PAGE, offset: pageParam, search, orderBy, orderDirection })
    },
    initialPageParam: 0,
    getNextPageParam: ({ items }, _pages, offset) => (items.length < PAGE ? undefined : offset + PAGE),
    // The list stays while another search or order is on its way.
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** True unless the trash was off when it was last asked for. */
let wasOn = true

export const isTrashLikely = (): boolean => wasOn

/** Returns true if deleted items stay in the trash for a time. @throws {HoldfastError} */
export async function isTrashOn(): Promise<boolean> {
  wasOn = (await client.trash.list({ limit: 0 })).trashDays > 0
  return wasOn
}

/** Invalidates all queries that show what is, or was, in the trash. */
export const refreshTrash = () => refresh(...FOLDERS, 'trash', 'stats')

export const {
  put: putInTrash,
  restore: restoreFromTrash,
  delete: deleteFromTrash,
  empty: emptyTrash,
} = client.trash

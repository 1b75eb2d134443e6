import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Share, ShareChanges, ShareFields, ShareVisit } from '../../client/index.ts'
import { client } from './client.ts'
import { queryClient } from './query.ts'

export type { Share, ShareChanges, ShareFields, ShareVisit }

/** Visits in one of the server's pages; a shorter page is the last. */
const PAGE = 200

/** Queries the account's own shares, or those of all accounts. */
export const useShares = (ofAll: boolean) =>
  useQuery({ queryKey: ['shares', ofAll], queryFn: () => client.shares.list({ all: ofAll }), staleTime: 0 })

/** Queries the visits of a share, newest first. `fetchNextPage` loads older ones. */
export const useVisits = (id: string) =>
  useInfiniteQuery({
    queryKey: ['share-visits', id],
    queryFn: ({ pageParam }) => client.shares.visits(id, pageParam ? { before: pageParam } : {}),
    initialPageParam: '',
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page.at(-1)?.id),
    staleTime: 0,
  })

/** Queries the webhooks that a share may notify. */
export const useShareWebhooks = () =>
  useQuery({ queryKey: ['share-webhooks'], queryFn: client.webhooks.forShares })

export async function createShare(fields: ShareFields): Promise<Share> {
  const share = await client.shares.create(fields)
  await refreshShares()
  return share
}

export async function changeShare(id: string, changes: ShareChanges): Promise<Share> {
  const share = await client.shares.change(id, changes)
  await refreshShares()
  return share
}

export async function endShare(id: string): Promise<void> {
  await client.shares.end(id)
  await refreshShares()
}

const refreshShares = () => queryClient.invalidateQueries({ queryKey: ['shares'] })

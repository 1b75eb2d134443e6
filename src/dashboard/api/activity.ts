import { useInfiniteQuery } from '@tanstack/react-query'
import { api, call } from './client.ts'
import { queryClient } from './query.ts'

const readPage = (query: { before?: string; types?: string }) => call(api.activity.get({ query }))

export type Entry = Awaited<ReturnType<typeof readPage>>['activities'][number]

/** The server's pages; a shorter one is the last. */
const PAGE = 200

/** The account's own history, newest first, of some types or of all; older pages on `fetchNextPage`. */
export const useHistory = (types: string[] | undefined) =>
  useInfiniteQuery({
    queryKey: ['activity', types ?? 'all'],
    queryFn: ({ pageParam }) =>
      readPage({ ...(pageParam && { before: pageParam }), ...(types && { types: types.join(',') }) }),
    initialPageParam: '',
    getNextPageParam: ({ activities }) =>
      activities.length < PAGE ? undefined : (activities.at(-1)?.id ?? undefined),
    staleTime: 0,
  })

/** Forgets some of the account's entries, or all; answers how many. */
export async function forget(which: { ids: string[] } | { all: true }): Promise<number> {
  const { deleted } = await call(api.activity.delete(which))
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['activity'] }),
    queryClient.invalidateQueries({ queryKey: ['stats'] }),
  ])
  return deleted
}

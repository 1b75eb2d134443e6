import { useInfiniteQuery } from '@tanstack/react-query'
import type { Activity, SecurityEntry } from '../../client/index.ts'
import { client } from './client.ts'
import { queryClient } from './query.ts'

export type { Activity }

/** Entries in one of the server's pages; a shorter page is the last. */
const PAGE = 200

/** Queries the account's own history, newest first, of some types or of all. `fetchNextPage` loads older entries. */
export const useHistory = (types: string[] | undefined) =>
  useInfiniteQuery({
    queryKey: ['activity', types ?? 'all'],
    queryFn: ({ pageParam }) =>
      client.activity.list({ ...(pageParam && { before: pageParam }), ...(types && { types }) }),
    initialPageParam: '',
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page.at(-1)?.id),
    staleTime: 0,
  })

/** Deletes some of the account's entries, or all. @returns How many. */
export async function forget(which: { ids: string[] } | { all: true }): Promise<number> {
  const deleted = await ('ids' in which ? client.activity.delete(which.ids) : client.activity.clear())
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['activity'] }),
    queryClient.invalidateQueries({ queryKey: ['stats'] }),
  ])
  return deleted
}

export type { SecurityEntry }

/** Part of the security log. */
export interface SecurityPart {
  types?: readonly string[] | undefined
  /** Id of an account. */
  user?: string | undefined
  address?: string | undefined
  /** Number of days back from now. */
  days?: number | undefined
}

function filterOf({ types, user, address, days }: SecurityPart) {
  return {
    ...(types && { types }),
    ...(user && { user }),
    ...(address && { address }),
    ...(days && { after: new Date(Date.now() - days * 86_400_000).toISOString() }),
  }
}

/** Queries a part of the instance's security log, newest first. `fetchNextPage` loads older entries. */
export const useSecurityLog = (part: SecurityPart) =>
  useInfiniteQuery({
    queryKey: ['security', part],
    queryFn: ({ pageParam }) =>
      client.activity.security({ ...filterOf(part), ...(pageParam && { before: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page.at(-1)?.id),
    staleTime: 0,
  })

/** Returns the address at which a part of the log is downloaded as CSV. */
export const exportAddress = (part: SecurityPart): string => client.activity.securityAddress(filterOf(part))

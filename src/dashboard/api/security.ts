import { useInfiniteQuery } from '@tanstack/react-query'
import type { SecurityEntry } from '../../client/index.ts'
import { client } from './client.ts'

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

/** Entries in one of the server's pages; a shorter page is the last. */
const PAGE = 200

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

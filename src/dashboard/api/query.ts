import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { toast } from '../components/overlays/toast.tsx'
import { explain, hasStatus } from './client.ts'
import { isReachable, noteReachable, noteUnreachable } from './reachability.ts'

/**
 * Updates the account from a failure. After a 401 the frame shows the sign-in page; a 403 means that the account
 * lost a permission. Queries and mutations call this by themselves.
 */
export function noteAccess(error: unknown): void {
  if (hasStatus(error, 0)) noteUnreachable()
  if (hasStatus(error, 401)) queryClient.setQueryData(['me'], null)
  if (hasStatus(error, 403)) void queryClient.invalidateQueries({ queryKey: ['me'] })
}

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** True while a form shows the error. */
      isShownInPlace?: () => boolean
    }
  }
}

// Queries that failed without the server run again when it returns.
isReachable.subscribe(() => {
  if (isReachable.get())
    void queryClient.refetchQueries({ predicate: ({ state }) => state.status === 'error' })
})

/** True while changes elsewhere are shown as they happen: lists do not become outdated with time then. */
export const live = { isOn: false }

/** Time after which what was read is outdated, in milliseconds. */
const STALE_MS = 15_000

export const staleTimeOfLists = (): number => (live.isOn ? Number.POSITIVE_INFINITY : STALE_MS)

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteAccess, onSuccess: noteReachable }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      noteAccess(error)
      if (!mutation.meta?.isShownInPlace?.()) toast.error(explain(error))
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      retry: (failures, error) => failures < 2 && hasStatus(error, 0),
    },
  },
})

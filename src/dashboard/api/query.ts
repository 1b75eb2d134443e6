import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { toast } from '../components/toast.tsx'
import { ApiError, explain } from './client.ts'
import { isReachable, noteReachable, noteUnreachable } from './reachability.ts'

/**
 * Takes from a failure what it says of the account: nobody is signed in any more, and the frame shows the way in;
 * or the account may do less than it is shown. Queries and mutations do so by themselves.
 */
export function noteAccess(error: unknown): void {
  if (!(error instanceof ApiError)) return
  if (error.status === 0) noteUnreachable()
  if (error.status === 401) queryClient.setQueryData(['me'], null)
  if (error.status === 403) void queryClient.invalidateQueries({ queryKey: ['me'] })
}

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** Whether there is a form that shows what went wrong. */
      isShownInPlace?: () => boolean
    }
  }
}

// What failed for want of the server is asked for again when it is there.
isReachable.subscribe(() => {
  if (isReachable.get())
    void queryClient.refetchQueries({ predicate: ({ state }) => state.status === 'error' })
})

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
      staleTime: 15_000,
      retry: (failures, error) => failures < 2 && error instanceof ApiError && error.status === 0,
    },
  },
})

import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { toast } from '../components/toast.tsx'
import { ApiError, explain, isSignedOut } from './client.ts'

/** Signed out means nobody: the frame shows the way in, and what was open stays open behind it. */
function onUnauthorized(error: unknown): void {
  if (isSignedOut(error)) queryClient.setQueryData(['me'], null)
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: onUnauthorized }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      onUnauthorized(error)
      if (!mutation.meta?.['isShownInPlace']) toast.error(explain(error))
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (failures, error) => failures < 2 && error instanceof ApiError && error.status === 0,
    },
  },
})

/** For mutations whose form shows what went wrong by itself. */
export const SHOWN_IN_PLACE = { isShownInPlace: true }

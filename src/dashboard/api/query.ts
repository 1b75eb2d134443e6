import { MutationCache, QueryCache, QueryClient, useInfiniteQuery } from '@tanstack/react-query'
import { toast } from '../components/overlays/toast.tsx'
import { createStore } from '../lib/store.ts'
import { client, explain, hasStatus } from './client.ts'

/** True for an account that must add a second factor before anything else. */
export const mustAddFactor = createStore(false)

/**
 * Updates the account from a failure. After a 401 the frame shows the sign-in page; a 403 means that the account
 * lost a permission. Queries and mutations call this by themselves.
 */
export function noteAccess(error: unknown): void {
  if (hasStatus(error, 0)) noteUnreachable()
  // A wrong code is answered with 401, too, as better-auth's clients expect it.
  if (hasStatus(error, 401) && error.code !== 'invalid-code') queryClient.setQueryData(['me'], null)
  if (hasStatus(error, 403) && error.code === 'second-factor-required') mustAddFactor.set(() => true)
  else if (hasStatus(error, 403)) void queryClient.invalidateQueries({ queryKey: ['me'] })
}

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** True while a form shows the error. */
      isShownInPlace?: () => boolean
    }
  }
}

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

/** Milliseconds between two checks for a server that does not respond. */
const LOOK_MS = 4000

/** False from the first request without a response until the server responds again. */
export const isReachable = createStore(true)

let timer: ReturnType<typeof setTimeout> | undefined

/** Records a request without a response, and checks until the server responds. */
export function noteUnreachable(): void {
  isReachable.set(() => false)
  timer ??= setTimeout(lookForServer, LOOK_MS)
}

export function noteReachable(): void {
  clearTimeout(timer)
  timer = undefined
  if (!isReachable.get()) isReachable.set(() => true)
}

/** Checks that the server responds. The health check does not count towards the rate limit. */
export async function lookForServer(): Promise<void> {
  timer = undefined
  const isUp = await client.health().then(
    () => true,
    (error: unknown) => !hasStatus(error, 0),
  )
  if (isUp) noteReachable()
  else noteUnreachable()
}

addEventListener('offline', noteUnreachable)
addEventListener('online', lookForServer)

// Queries that failed without the server run again when it returns.
isReachable.subscribe(() => {
  if (isReachable.get())
    void queryClient.refetchQueries({ predicate: ({ state }) => state.status === 'error' })
})

/** Reads again what the queries show whose keys begin with one of these words. */
export const refresh = (...words: readonly string[]) =>
  Promise.all(words.map((word) => queryClient.invalidateQueries({ queryKey: [word] })))

/** Returns a call that refreshes some queries before it returns. */
export const refreshing =
  <Input extends readonly unknown[], Answer>(
    call: (...input: Input) => Promise<Answer>,
    ...words: readonly string[]
  ) =>
  async (...input: Input): Promise<Answer> => {
    const answer = await call(...input)
    await refresh(...words)
    return answer
  }

/** Entries in one of the server's pages of a log; a shorter page is the last. */
const LOG_PAGE = 200

/** Queries a log, newest first. `fetchNextPage` loads older entries. */
export const useLog = <Entry extends { id: string }>(
  queryKey: readonly unknown[],
  read: (page: { before?: string }) => Promise<Entry[]>,
) =>
  useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam ? { before: pageParam } : {}),
    initialPageParam: '',
    getNextPageParam: (page) => (page.length < LOG_PAGE ? undefined : page.at(-1)?.id),
    staleTime: 0,
  })

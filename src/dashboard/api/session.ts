import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import type { Scope } from '../../auth/scopes.ts'
import { api, call, isSignedOut } from './client.ts'
import { queryClient, SHOWN_IN_PLACE } from './query.ts'

const meQuery = {
  queryKey: ['me'],
  queryFn: () =>
    call(api.me.get()).catch((error: unknown) => {
      if (isSignedOut(error)) return null
      throw error
    }),
  staleTime: Number.POSITIVE_INFINITY,
}

/** Who is signed in: undefined while that is not known, null for nobody. */
export const useSession = () => useQuery(meQuery)

/** Whether the instance waits for its first account. */
export const useSetup = (isAsked: boolean) =>
  useQuery({ queryKey: ['setup'], queryFn: () => call(api.setup.get()), enabled: isAsked })

/** The account in use, for everything inside of the frame. */
export function useMe() {
  const { data } = useSuspenseQuery(meQuery)
  if (!data) throw new Error('Nobody is signed in')
  return data
}

/** Whether the account may do what `scope` names; what it may not do is not shown. */
export const useCan = (scope: Scope): boolean => useMe().scopes.includes(scope)

/** Another account must see nothing of what the last one had loaded. */
async function enter(): Promise<void> {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' })
  await queryClient.refetchQueries({ queryKey: ['me'] })
}

export const useSignIn = () =>
  useMutation({
    mutationFn: (body: { email: string; password: string; rememberMe: boolean }) =>
      call(api.auth['sign-in'].email.post(body)),
    onSuccess: enter,
    meta: SHOWN_IN_PLACE,
  })

export const useRegister = () =>
  useMutation({
    mutationFn: (body: { name: string; email: string; password: string }) =>
      call(api.auth['sign-up'].email.post(body)),
    onSuccess: enter,
    meta: SHOWN_IN_PLACE,
  })

export const useSignOut = () =>
  useMutation({ mutationFn: () => call(api.auth['sign-out'].post()), onSuccess: enter })

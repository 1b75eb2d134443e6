import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import type { Scope, SignInFields, SignUpFields } from '../../client/index.ts'
import { client, hasStatus } from './client.ts'
import { queryClient } from './query.ts'

/** Whose page this is: the account that was signed in first. */
let owner: string | undefined

async function readMe() {
  const me = await client.account.get().catch((error: unknown) => {
    if (hasStatus(error, 401)) return null
    throw error
  })
  owner ??= me?.user.id
  if (!me || me.user.id === owner) return me
  // What was loaded, and what waits to be uploaded, is another account's: all of it goes.
  location.reload()
  return new Promise<never>(() => {})
}

const meQuery = {
  queryKey: ['me'],
  queryFn: readMe,
  staleTime: Number.POSITIVE_INFINITY,
  // Meanwhile the account may have got another role, and another tab another account.
  refetchOnWindowFocus: 'always' as const,
}

/** Who is signed in: undefined while that is not known, null for nobody. */
export const useSession = () => useQuery(meQuery)

/** Whether the instance waits for its first account, and accepts changes from this page. */
export const useSetup = (isAsked: boolean) =>
  useQuery({ queryKey: ['setup'], queryFn: client.setup, enabled: isAsked })

/** The account in use, for everything inside of the frame. */
export function useMe() {
  const { data } = useSuspenseQuery(meQuery)
  if (!data) throw new Error('Nobody is signed in')
  return data
}

/** Whether the account may do what `scope` names; what it may not do is not shown. */
export const useCan = (scope: Scope): boolean => useMe().scopes.includes(scope)

/** What failed for want of a session is asked for again. */
async function enter(): Promise<void> {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' })
  await queryClient.refetchQueries({ queryKey: ['me'] })
}

export async function signIn(fields: SignInFields): Promise<void> {
  await client.auth.signIn(fields)
  await enter()
}

/** Makes the instance's first account. */
export async function signUp(fields: SignUpFields): Promise<void> {
  await client.auth.signUp(fields)
  await enter()
}

export const useSignOut = () =>
  useMutation({
    mutationFn: client.auth.signOut,
    // The next one at this browser finds nothing of what was loaded.
    onSuccess: () => location.reload(),
  })

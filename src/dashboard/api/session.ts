import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import {
  HoldfastError,
  type Scope,
  type SignInFields,
  type SignUpFields,
  type Visibility,
} from '../../client/index.ts'
import { chooseLanguage } from '../lib/choose-language.ts'
import { texts } from '../texts.ts'
import { client, hasStatus } from './client.ts'
import { queryClient } from './query.ts'

/** Id of the account that was signed in first on this page. */
let owner: string | undefined

async function readMe() {
  const me = await client.account.get().catch((error: unknown) => {
    if (hasStatus(error, 401)) return null
    throw error
  })
  owner ??= me?.user.id
  if (!me || (me.user.id === owner && !chooseLanguage(me.language))) return me
  // The cache and the upload queue belong to another account, or the texts are in another language.
  location.reload()
  return new Promise<never>(() => {})
}

const meQuery = {
  queryKey: ['me'],
  queryFn: readMe,
  staleTime: Number.POSITIVE_INFINITY,
  // The account's role may have changed, or another tab signed in another account.
  refetchOnWindowFocus: 'always' as const,
}

/** Reads the account in use again: when its session has ended, the sign-in page appears. */
export const recheckSession = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['me'] })

/** Reads the account in use again. Returns false when its session has ended, and the sign-in page appears. */
export async function isSignedIn(): Promise<boolean> {
  await recheckSession()
  return queryClient.getQueryData(meQuery.queryKey) !== null
}

/** Starts to read the account in use. */
export const prefetchSession = () => queryClient.prefetchQuery(meQuery)

/** Queries the account in use: undefined while loading, null when signed out. */
export const useSession = () => useQuery(meQuery)

/** Queries whether the instance has no account yet and trusts this page's origin. */
export const useSetup = (isAsked: boolean) =>
  useQuery({ queryKey: ['setup'], queryFn: client.setup, enabled: isAsked })

/** Queries the ways to sign in. */
export const useSignInMethods = () =>
  useQuery({
    queryKey: ['methods'],
    queryFn: client.auth.methods,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Returns false at an address from which the server refuses changes. The notice above the page says so. */
export const useIsTrusted = (): boolean => useSetup(true).data?.originTrusted !== false

/** Returns the account in use. Only inside the frame. */
export function useMe() {
  const { data } = useSuspenseQuery(meQuery)
  if (!data) throw new Error('No session')
  return data
}

export type Me = ReturnType<typeof useMe>

/** Returns the account in use as it was read last; undefined before that, or when signed out. */
export const knownMe = (): Me | undefined =>
  queryClient.getQueryData<Me | null>(meQuery.queryKey) ?? undefined

/** Returns true if the account has `scope`. The dashboard hides what it does not allow. */
export const useCan = (scope: Scope): boolean => useMe().scopes.includes(scope)

/**
 * Runs again all queries that failed without a session.
 *
 * @throws {HoldfastError} when the browser has dropped the cookie, as it does with a secure one at an address of http.
 */
export async function enter(): Promise<void> {
  const me = await readMe()
  if (!me) throw new HoldfastError(texts.signIn.dropped(location.protocol === 'http:'), { status: 200 })
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' })
  void prefetchLatestEvent()
  queryClient.setQueryData(meQuery.queryKey, me)
}

/** Signs in. Returns the ways of the second step, if there is one. */
export async function signIn(fields: SignInFields): Promise<readonly string[] | undefined> {
  const answer = await client.auth.signIn(fields)
  if ('twoFactorMethods' in answer) return answer.twoFactorMethods
  return enter().then(() => undefined)
}

/**
 * Creates the instance's first account and sets the visibility of new files.
 *
 * @returns Whether that is set. The account exists in any case.
 */
export async function register({
  visibility,
  ...fields
}: SignUpFields & { visibility: Visibility }): Promise<{ isVisibilitySet: boolean }> {
  await client.auth.signUp(fields)
  const isVisibilitySet = await client.settings.change({ defaultVisibility: visibility }).then(
    () => true,
    () => false,
  )
  await enter()
  return { isVisibilitySet }
}

/** Name under which the address of the provider's sign-out outlives the reload. */
export const SIGNED_OUT_AT = 'logoutUrl'

/** Name under which it outlives the reload that the person has signed out. */
export const SIGNED_OUT = 'signedOut'

export const useSignOut = () =>
  useMutation({
    mutationFn: client.auth.signOut,
    // The next user of this browser finds no data of this one.
    onSuccess: (signedOut) => {
      sessionStorage.setItem(SIGNED_OUT, 'true')
      if (signedOut) sessionStorage.setItem(SIGNED_OUT_AT, signedOut.logoutUrl)
      location.reload()
    },
  })

/** Query of the event after which the stream of changes begins. It never becomes outdated, or changes would be missed. */
const latestEvent = {
  queryKey: ['latest-event'],
  queryFn: () => client.changes.latest(),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
}

/** Starts to read the id of the latest event. Call it before the first lists are read. */
export const prefetchLatestEvent = () => queryClient.prefetchQuery(latestEvent)

/** Returns the id of the event that was the latest before the first lists were read. */
export const readLatestEvent = (): Promise<string> => queryClient.fetchQuery(latestEvent)

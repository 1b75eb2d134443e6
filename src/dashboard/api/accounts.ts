import { useQuery } from '@tanstack/react-query'
import type { AcceptFields, AccountChanges, Scope, User, UserChanges } from '../../client/index.ts'
import type { Language } from '../../platform/languages.ts'
import { client, hasStatus } from './client.ts'
import { queryClient, refresh, refreshing } from './query.ts'

export type { AccountUsage, ApiKey, Device, Invitation, NewInvitation, User } from '../../client/index.ts'

/** Chooses the language of the own account; null for that of each browser. The page loads again in it. */
export const changeLanguage = refreshing(
  (language: Language | null) => client.account.change({ language }),
  'me',
)

export async function changeAccount(changes: AccountChanges): Promise<void> {
  queryClient.setQueryData(['me'], await client.account.change(changes))
  await refresh('users')
}

export const changePassword = refreshing(client.account.changePassword, 'sessions')

/** Queries the storage that the own account uses. */
export const useStorage = () =>
  useQuery({ queryKey: ['storage'], queryFn: client.account.usage, staleTime: 0 })

export const useSessions = () => useQuery({ queryKey: ['sessions'], queryFn: client.account.devices })

export const endSession = refreshing(client.account.signOutDevice, 'sessions')
export const endOtherSessions = refreshing(client.account.signOutOthers, 'sessions')

export const useKeys = () => useQuery({ queryKey: ['keys'], queryFn: client.keys.list })

/** Queries that change with the API keys: accounts show their number. */
const OF_KEYS = ['keys', 'stats', 'users']

/** Returns the key with its secret, which can be read only now. */
export const createKey = refreshing(client.keys.create, ...OF_KEYS)
export const renameKey = refreshing(client.keys.rename, ...OF_KEYS)
export const deleteKey = refreshing(client.keys.delete, ...OF_KEYS)

/** Permissions of an account: a role, and the scopes of a custom one. */
export interface Access {
  role: Role
  scopes: Scope[]
}
export type Role = User['role']

export const useUsers = (isEnabled = true) =>
  useQuery({ queryKey: ['users'], queryFn: client.users.list, enabled: isEnabled })

/** Queries the storage of each account, and when it was last seen. */
export const useUsage = () => useQuery({ queryKey: ['users', 'usage'], queryFn: client.users.usage })

export const createUser = refreshing(client.users.create, 'users', 'stats')
/** Changes an account. A new password and disabling sign it out everywhere. */
export const changeUser = refreshing(
  (id: string, changes: Omit<UserChanges, 'id'>) => client.users.change({ id, ...changes }),
  'users',
  'stats',
)
/** Limits the storage of an account, in bytes; null for no limit. */
export const setQuota = refreshing(client.users.setQuota, 'users', 'stats')
export const resetSecondFactor = refreshing(client.users.resetSecondFactor, 'users')
export const deleteUser = refreshing(client.users.delete, 'users', 'stats')

/** Key of a query that changes with the accounts. */
const INVITATIONS = ['users', 'invitations']

export const useInvitations = () => useQuery({ queryKey: INVITATIONS, queryFn: client.invitations.list })

const refreshInvitations = () => queryClient.invalidateQueries({ queryKey: INVITATIONS })

/** Returns the invitation with its link, which can be read only now. */
export const createInvitation: typeof client.invitations.create = async (fields) => {
  const invitation = await client.invitations.create(fields)
  await refreshInvitations()
  return invitation
}

export const revokeInvitation = (id: string) => client.invitations.revoke(id).finally(refreshInvitations)

/** Queries an invitation by its token, as the invited person. */
export const useOpenInvitation = (token: string) =>
  useQuery({
    queryKey: ['invitation', token],
    queryFn: () => client.invitations.open(token),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Creates the account of an invitation, and opens the dashboard with it. */
export async function acceptInvitation(fields: AcceptFields): Promise<never> {
  try {
    await client.invitations.accept(fields)
  } catch (error) {
    // Used or revoked meanwhile: the page says so instead of the form.
    if (hasStatus(error, 404)) await queryClient.invalidateQueries({ queryKey: ['invitation', fields.token] })
    throw error
  }
  // Loads the page anew, so that the token leaves the address and the memory.
  location.replace('/')
  return new Promise<never>(() => {})
}

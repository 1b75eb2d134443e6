import { useQuery } from '@tanstack/react-query'
import type {
  AcceptFields,
  AccountUsage,
  Invitation,
  InvitationFields,
  NewInvitation,
  Scope,
  User,
  UserChanges,
  UserFields,
} from '../../client/index.ts'
import { client, hasStatus } from './client.ts'
import { queryClient } from './query.ts'

export type { AccountUsage, User }
export type Role = User['role']

/** Permissions of an account: a role, and the scopes of a custom one. */
export interface Access {
  role: Role
  scopes: Scope[]
}

export const useUsers = (isEnabled = true) =>
  useQuery({ queryKey: ['users'], queryFn: client.users.list, enabled: isEnabled })

/** Queries the storage of each account, and when it was last seen. */
export const useUsage = () => useQuery({ queryKey: ['users', 'usage'], queryFn: client.users.usage })

export async function createUser(fields: UserFields): Promise<User> {
  const user = await client.users.create(fields)
  await refreshUsers()
  return user
}

/** Changes an account. A new password and disabling sign it out everywhere. */
export async function changeUser(id: string, changes: Omit<UserChanges, 'id'>): Promise<User> {
  const user = await client.users.change({ id, ...changes })
  await refreshUsers()
  return user
}

/** Limits the storage of an account, in bytes; null for no limit. */
export async function setQuota(id: string, quota: number | null): Promise<void> {
  await client.users.setQuota(id, quota)
  await refreshUsers()
}

export async function deleteUser(id: string): Promise<void> {
  await client.users.delete(id)
  await refreshUsers()
}

async function refreshUsers(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['users'] }),
    queryClient.invalidateQueries({ queryKey: ['stats'] }),
  ])
}

export type { Invitation, NewInvitation }

/** Beginning of the keys of queries that change with the accounts. */
const LIST = ['users', 'invitations']

export const useInvitations = () => useQuery({ queryKey: LIST, queryFn: client.invitations.list })

const refresh = () => queryClient.invalidateQueries({ queryKey: LIST })

/** Returns the invitation with its link, which can be read only now. */
export async function createInvitation(fields: InvitationFields): Promise<NewInvitation> {
  const invitation = await client.invitations.create(fields)
  await refresh()
  return invitation
}

export async function revokeInvitation(id: string): Promise<void> {
  await client.invitations.revoke(id).finally(refresh)
}

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

import { useQuery } from '@tanstack/react-query'
import type { AccountUsage, Scope, User, UserChanges, UserFields } from '../../client/index.ts'
import { client } from './client.ts'
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

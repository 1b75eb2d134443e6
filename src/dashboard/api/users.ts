import { useQuery } from '@tanstack/react-query'
import type { Scope } from '../../access/scopes.ts'
import { api, call } from './client.ts'
import { queryClient } from './query.ts'

const readUsers = async () => (await call(api.users.get())).users

export type User = Awaited<ReturnType<typeof readUsers>>[number]
export type Role = User['role']

/** What an account may do: a role, and what the custom one is made of. */
export interface Access {
  role: Role
  scopes: Scope[]
}

export const useUsers = () => useQuery({ queryKey: ['users'], queryFn: readUsers })

interface NewUser extends Access {
  name: string
  email: string
  password: string
}

export async function createUser(body: NewUser): Promise<User> {
  const { user } = await call(api.users.post(body))
  await refreshUsers()
  return user
}

/** A new password and disabling sign the account out everywhere. */
export async function changeUser(
  id: string,
  changes: Partial<Access> & { password?: string; disabled?: boolean },
): Promise<User> {
  const { user } = await call(api.users.put({ id, ...changes }))
  await refreshUsers()
  return user
}

export async function deleteUser(id: string): Promise<void> {
  await call(api.users.delete({ id }))
  await refreshUsers()
}

async function refreshUsers(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['users'] }),
    queryClient.invalidateQueries({ queryKey: ['stats'] }),
  ])
}

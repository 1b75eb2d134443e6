import { useQuery } from '@tanstack/react-query'
import type { AccountChanges, Device, PasswordChange } from '../../client/index.ts'
import { client } from './client.ts'
import { queryClient } from './query.ts'

export async function changeAccount(changes: AccountChanges): Promise<void> {
  queryClient.setQueryData(['me'], await client.account.change(changes))
  await queryClient.invalidateQueries({ queryKey: ['users'] })
}

export async function changePassword(change: PasswordChange): Promise<void> {
  await client.account.changePassword(change)
  await refreshSessions()
}

export type { Device }

/** Queries the storage that the own account uses. */
export const useStorage = () =>
  useQuery({ queryKey: ['storage'], queryFn: client.account.usage, staleTime: 0 })

export const useSessions = () => useQuery({ queryKey: ['sessions'], queryFn: client.account.devices })

export async function endSession(id: string): Promise<void> {
  await client.account.signOutDevice(id)
  await refreshSessions()
}

export async function endOtherSessions(): Promise<void> {
  await client.account.signOutOthers()
  await refreshSessions()
}

const refreshSessions = () => queryClient.invalidateQueries({ queryKey: ['sessions'] })

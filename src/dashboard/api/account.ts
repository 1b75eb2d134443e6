import { useQuery } from '@tanstack/react-query'
import { api, call } from './client.ts'
import { queryClient } from './query.ts'

export async function changeAccount(changes: { name: string; email: string }): Promise<void> {
  queryClient.setQueryData(['me'], await call(api.me.put(changes)))
  await queryClient.invalidateQueries({ queryKey: ['users'] })
}

interface NewPassword {
  currentPassword: string
  newPassword: string
  revokeOtherSessions: boolean
}

export async function changePassword(body: NewPassword): Promise<void> {
  await call(api.me.password.put(body))
  await refreshSessions()
}

const readSessions = async () => (await call(api.me.sessions.get())).sessions

/** A device on which the account is signed in. */
export type Session = Awaited<ReturnType<typeof readSessions>>[number]

export const useSessions = () => useQuery({ queryKey: ['sessions'], queryFn: readSessions })

export async function endSession(id: string): Promise<void> {
  await call(api.me.sessions.delete({ id }))
  await refreshSessions()
}

export async function endOtherSessions(): Promise<void> {
  await call(api.me.sessions.delete({ others: true }))
  await refreshSessions()
}

const refreshSessions = () => queryClient.invalidateQueries({ queryKey: ['sessions'] })

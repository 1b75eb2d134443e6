import { useQuery } from '@tanstack/react-query'
import type { Scope } from '../../access/scopes.ts'
import { api, call } from './client.ts'
import { queryClient } from './query.ts'

/** What a key can be allowed; the rest is for people. */
export const KEY_SCOPES = ['files:read', 'files:write', 'files:delete'] as const satisfies Scope[]
export type KeyScope = (typeof KEY_SCOPES)[number]

const readKeys = async () => (await call(api.keys.get())).keys

export type Key = Awaited<ReturnType<typeof readKeys>>[number]

export const useKeys = () => useQuery({ queryKey: ['keys'], queryFn: readKeys })

interface NewKey {
  name: string
  scopes: KeyScope[]
  /** ISO 8601; null for a key that never expires. */
  expiresAt: string | null
}

/** Answers with the key and its secret, which can be read only now. */
export async function createKey(body: NewKey) {
  const { key } = await call(api.keys.post(body))
  await refreshKeys()
  return key
}

export async function renameKey(id: string, name: string): Promise<void> {
  await call(api.keys.put({ id, name }))
  await refreshKeys()
}

export async function deleteKey(id: string): Promise<void> {
  await call(api.keys.delete({ id }))
  await refreshKeys()
}

async function refreshKeys(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['keys'] }),
    queryClient.invalidateQueries({ queryKey: ['stats'] }),
    // They say how many keys each account has.
    queryClient.invalidateQueries({ queryKey: ['users'] }),
  ])
}

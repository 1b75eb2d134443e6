import { useQuery } from '@tanstack/react-query'
import type { ApiKey, ApiKeyFields } from '../../client/index.ts'
import { client } from './client.ts'
import { queryClient } from './query.ts'

export type { ApiKey }

export const useKeys = () => useQuery({ queryKey: ['keys'], queryFn: client.keys.list })

/** Returns the key with its secret, which can be read only now. */
export async function createKey(fields: ApiKeyFields) {
  const key = await client.keys.create(fields)
  await refreshKeys()
  return key
}

export async function renameKey(id: string, name: string): Promise<void> {
  await client.keys.rename(id, name)
  await refreshKeys()
}

export async function deleteKey(id: string): Promise<void> {
  await client.keys.delete(id)
  await refreshKeys()
}

async function refreshKeys(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['keys'] }),
    queryClient.invalidateQueries({ queryKey: ['stats'] }),
    // Accounts show their number of API keys.
    queryClient.invalidateQueries({ queryKey: ['users'] }),
  ])
}

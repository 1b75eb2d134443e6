import { useQuery } from '@tanstack/react-query'
import type { Alert, FileStats, HostingStats, KeyStats, Stats, UserStats } from '../../modules/stats/model.ts'
import { api, call } from './client.ts'

export type { Alert, FileStats, HostingStats, KeyStats, Stats, UserStats }

const statsQuery = { queryKey: ['stats'], queryFn: (): Promise<Stats> => call(api.stats.get()) }

/** Requests of the last seven days by a key's id. */
export const useKeyRequests = () =>
  useQuery({
    ...statsQuery,
    select: ({ apiKeys }) => new Map(apiKeys?.keys.map(({ id, requests }) => [id, requests])),
  })

/** What the server has measured; sections are null that the account may not see. Kept up to date while shown. */
export const useStats = () => useQuery({ ...statsQuery, staleTime: 0, refetchInterval: 60_000 })

import { useQuery } from '@tanstack/react-query'
import type { Alert, FileStats, HostingStats, KeyStats, Stats, UserStats } from '../../stats/model.ts'
import { api, call } from './client.ts'

export type { Alert, FileStats, HostingStats, KeyStats, Stats, UserStats }

/** What the server has measured; sections are null that the account may not see. Kept up to date while shown. */
export const useStats = () =>
  useQuery({
    queryKey: ['stats'],
    queryFn: (): Promise<Stats> => call(api.stats.get()),
    staleTime: 0,
    refetchInterval: 60_000,
  })

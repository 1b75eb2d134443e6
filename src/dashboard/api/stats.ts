import { useQuery } from '@tanstack/react-query'
import type { InstanceStats } from '../../client/index.ts'
import { client } from './client.ts'

type Section<Name extends keyof InstanceStats> = NonNullable<InstanceStats[Name]>
export type FileStats = Section<'files'>
export type KeyStats = Section<'apiKeys'>
export type HostingStats = Section<'hosting'>
export type UserStats = Section<'users'>
export type Alert = InstanceStats['alerts'][number]
export type { InstanceStats }

const statsQuery = { queryKey: ['stats'], queryFn: client.stats }

/** Queries the requests of the last seven days by the id of an API key. */
export const useKeyRequests = () =>
  useQuery({
    ...statsQuery,
    select: ({ apiKeys }) => new Map(apiKeys?.keys.map(({ id, requests }) => [id, requests])),
  })

/** Queries the statistics, again each minute while shown. Sections without permission are null. */
export const useStats = () => useQuery({ ...statsQuery, staleTime: 0, refetchInterval: 60_000 })

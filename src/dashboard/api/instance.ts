import { useQuery } from '@tanstack/react-query'
import type { InstanceStats, Settings, SettingsChanges, Visibility } from '../../client/index.ts'
import { formatNumber } from '../language.ts'
import { client } from './client.ts'
import { queryClient, refresh, useLog } from './query.ts'

export type {
  Activity,
  InstanceStats,
  SecurityEntry,
  Settings,
  SettingsChanges,
} from '../../client/index.ts'

/** Settings that are numbers. */
export type Limits = Settings['limits'] & Pick<Settings, 'trashDays' | 'versionDays'>

const settingsQuery = { queryKey: ['settings'], queryFn: client.settings.get }

/** Settings of the whole instance, read again each time they are shown, because others may change them. */
export const useSettings = () => useQuery({ ...settingsQuery, staleTime: 0 })

/** Queries the settings that apply to the account's files. */
export const useFileSettings = () =>
  useQuery({ queryKey: ['file-settings'], queryFn: client.settings.ofFiles })

/** Returns true unless the account is known to be one that may not share. */
export const useMayShare = (): boolean => useFileSettings().data?.mayShare ?? true

/** Returns true if folders can be websites here. */
export const useHasSites = (): boolean => useFileSettings().data?.hasSites ?? false

export async function changeSettings(changes: SettingsChanges): Promise<void> {
  queryClient.setQueryData(settingsQuery.queryKey, await client.settings.change(changes))
  await refresh('file-settings')
}

/** Sets the visibility of every file. @returns How many changed. */
export async function applyVisibilityToAll(visibility: Visibility): Promise<number> {
  const updated = await client.settings.applyVisibility(visibility)
  await queryClient.invalidateQueries()
  return updated
}

type Section<Name extends keyof InstanceStats> = NonNullable<InstanceStats[Name]>
export type FileStats = Section<'files'>
export type KeyStats = Section<'apiKeys'>
export type HostingStats = Section<'hosting'>
export type UserStats = Section<'users'>
export type Alert = InstanceStats['alerts'][number]

const statsQuery = { queryKey: ['stats'], queryFn: client.stats }

/** Queries the requests of the last seven days by the id of an API key. */
export const useKeyRequests = () =>
  useQuery({
    ...statsQuery,
    select: ({ apiKeys }) => new Map(apiKeys?.keys.map(({ id, requests }) => [id, formatNumber(requests)])),
  })

/** Queries the statistics, again each minute while shown. Sections without permission are null. */
export const useStats = () => useQuery({ ...statsQuery, staleTime: 0, refetchInterval: 60_000 })

/** Queries the account's own history, of some types or of all. */
export const useHistory = (types: string[] | undefined) =>
  useLog(['activity', types ?? 'all'], (page) => client.activity.list({ ...page, ...(types && { types }) }))

/** Deletes some of the account's entries, or all. @returns How many. */
export async function forget(which: { ids: string[] } | { all: true }): Promise<number> {
  const deleted = await ('ids' in which ? client.activity.delete(which.ids) : client.activity.clear())
  await refresh('activity', 'stats')
  return deleted
}

/** Part of the security log. */
export interface SecurityPart {
  types?: readonly string[] | undefined
  /** Id of an account. */
  user?: string | undefined
  address?: string | undefined
  /** Number of days back from now. */
  days?: number | undefined
}

const filterOf = ({ types, user, address, days }: SecurityPart) => ({
  ...(types && { types }),
  ...(user && { user }),
  ...(address && { address }),
  ...(days && { after: new Date(Date.now() - days * 86_400_000).toISOString() }),
})

/** Queries a part of the instance's security log. */
export const useSecurityLog = (part: SecurityPart) =>
  useLog(['security', part], (page) => client.activity.security({ ...filterOf(part), ...page }))

/** Returns the address at which a part of the log is downloaded as CSV. */
export const exportAddress = (part: SecurityPart): string => client.activity.securityAddress(filterOf(part))

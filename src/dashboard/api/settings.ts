import { useQuery } from '@tanstack/react-query'
import type { Settings, SettingsChanges, Visibility, Webhook } from '../../client/index.ts'
import { client } from './client.ts'
import { queryClient } from './query.ts'
import { useCan } from './session.ts'

const KEY = ['settings']

export type { Settings, SettingsChanges }
/** Settings that are numbers. */
export type Limits = Settings['limits'] & Pick<Settings, 'trashDays' | 'versionDays'>

/** Settings of the whole instance, read again each time they are shown, because others may change them. */
export const useSettings = () => useQuery({ queryKey: KEY, queryFn: client.settings.get, staleTime: 0 })

/** Returns the settings, if the account may read them. */
export function useKnownSettings(): Settings | undefined {
  const enabled = useCan('settings:manage')
  return useQuery({ queryKey: KEY, queryFn: client.settings.get, enabled }).data
}

export async function changeSettings(changes: SettingsChanges): Promise<void> {
  queryClient.setQueryData(KEY, await client.settings.change(changes))
}

/** Sets the visibility of every file. @returns How many changed. */
export async function applyVisibilityToAll(visibility: Visibility): Promise<number> {
  const updated = await client.settings.applyVisibility(visibility)
  await queryClient.invalidateQueries()
  return updated
}

export type { Webhook }

/** Queries the webhooks of the instance, for admins. */
export const useWebhooks = () =>
  useQuery({ queryKey: ['webhooks'], queryFn: client.webhooks.list, staleTime: 0 })

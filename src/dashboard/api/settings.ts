import { useQuery } from '@tanstack/react-query'
import { api, call } from './client.ts'
import type { Visibility } from './files.ts'
import { queryClient } from './query.ts'

const KEY = ['settings']

const readSettings = () => call(api.settings.get())

export type Settings = Awaited<ReturnType<typeof readSettings>>
export type Limits = Settings['limits']

/** What holds for the whole instance; read anew whenever it is shown, since others may change it. */
export const useSettings = () => useQuery({ queryKey: KEY, queryFn: readSettings, staleTime: 0 })

export interface SettingsChange {
  defaultVisibility?: Visibility
  limits?: Partial<Limits>
}

export async function changeSettings(change: SettingsChange): Promise<void> {
  queryClient.setQueryData(KEY, await call(api.settings.put(change)))
}

/** Sets the visibility of every file there is; answers how many changed. */
export async function applyVisibilityToAll(visibility: Visibility): Promise<number> {
  const { updated } = await call(api.settings['apply-visibility'].post({ visibility }))
  await queryClient.invalidateQueries()
  return updated
}

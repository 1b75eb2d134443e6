import { useMutation, useQuery } from '@tanstack/react-query'
import { api, call } from './client.ts'
import type { Visibility } from './files.ts'
import { queryClient, SHOWN_IN_PLACE } from './query.ts'

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

export const useChangeSettings = () =>
  useMutation({
    mutationFn: (change: SettingsChange) => call(api.settings.put(change)),
    onSuccess: (settings) => queryClient.setQueryData(KEY, settings),
    meta: SHOWN_IN_PLACE,
  })

/** Sets the visibility of every file there is. */
export const useApplyVisibility = () =>
  useMutation({
    mutationFn: (visibility: Visibility) => call(api.settings['apply-visibility'].post({ visibility })),
    onSuccess: () => queryClient.invalidateQueries(),
    meta: SHOWN_IN_PLACE,
  })

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RestoredItem as Restored, TrashItem } from '../../src/client/types.ts'
import type { Api, Failure } from './api.ts'

export type { TrashItem }

/** Creates a client for the routes of the trash. */
export const trashOf = (api: Api) => ({
  put: (items: { fileIds?: string[]; folderIds?: string[] }) =>
    api.data<{ trashed: string[]; failed: Failure[] }>('POST', '/trash', items),
  list: (query = '') =>
    api.data<{ items: TrashItem[]; total: number; trashDays: number }>('GET', `/trash${query}`),
  restore: (...ids: string[]) =>
    api.data<{ restored: Restored[]; failed: Failure[] }>('POST', '/trash/restore', { ids }),
  remove: (...ids: string[]) => api.data<{ deleted: number; failed: Failure[] }>('DELETE', '/trash', { ids }),
  empty: () => api.data<{ deleted: number; failed: Failure[] }>('DELETE', '/trash', { all: true }),
})

/** Returns the paths of the files below `trash/`, relative to the folder of their deletion. */
export const heldFiles = ({ dataPath }: { dataPath: string }): string[] =>
  readdirSync(join(dataPath, 'trash'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(dataPath, 'trash').length + 1))
    .map((path) => path.split('/').slice(1).join('/'))
    .sort()

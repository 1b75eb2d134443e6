import { useQuery } from '@tanstack/react-query'
import type { Site, TrashItem } from '../../client/index.ts'
import { client } from './client.ts'
import { FOLDERS } from './files.ts'
import { refresh, refreshing } from './query.ts'

export type { Site }

/** Queries the websites that the account reaches, and the domain of their addresses. */
export const useSites = () => useQuery({ queryKey: ['sites'], queryFn: client.sites.list, staleTime: 0 })

/** Queries the paths that visitors of a website missed. */
export const useMisses = (id: string) =>
  useQuery({ queryKey: ['site-misses', id], queryFn: () => client.sites.misses(id), staleTime: 0 })

/** Folders that are looked for in the trash. */
const MOST_VERSIONS = 100

/** Queries the versions of a folder that others replaced, the latest first. */
export const useFolderVersions = (key: string) =>
  useQuery({
    queryKey: ['trash', 'versions', key],
    queryFn: async (): Promise<TrashItem[]> => {
      const { items } = await client.trash.list({ search: key, limit: MOST_VERSIONS })
      return items.filter((item) => item.kind === 'folder' && item.key === key)
    },
    staleTime: 0,
  })

/** Puts a version in the trash in the place of the folder that a website shows. */
export async function goBack(version: TrashItem, { folderId }: Site): Promise<void> {
  await client.folders.replace(version.id, folderId)
  await refresh(...FOLDERS, 'trash', 'sites')
}

export const signSite = (id: string) => client.sites.sign(id)
export const createSite = refreshing(client.sites.create, 'sites')
export const changeSite = refreshing(client.sites.change, 'sites')
export const removeSite = refreshing(client.sites.delete, 'sites')

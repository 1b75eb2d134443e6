import { useQuery } from '@tanstack/react-query'
import type { Version } from '../../client/index.ts'
import { client } from './client.ts'
import { refreshFolders } from './files.ts'

export type { Version }

/** Queries the earlier versions of a file, newest first. */
export const useVersions = (id: string) =>
  useQuery({
    queryKey: ['file-details', id, 'versions'],
    queryFn: () => client.files.versions(id),
    staleTime: 0,
  })

/** Returns the address at which a version is downloaded. */
export const versionAddress = ({ id }: Version): string =>
  `/api/files/versions/content?id=${encodeURIComponent(id)}`

export async function restoreVersion({ id }: Version): Promise<void> {
  await client.files.restoreVersion(id)
  await refreshFolders()
}

export async function deleteVersion({ id }: Version): Promise<void> {
  await client.files.deleteVersion(id)
  await refreshFolders()
}

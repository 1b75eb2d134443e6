import type { Changes } from '../../client/index.ts'
import { queryClient } from '../api/query.ts'
import { updateLists, updateSizes } from './lists.ts'

/** First parts of the keys of queries that show an area. */
const QUERIES: Record<Changes['areas'][number], readonly string[]> = {
  account: ['me', 'keys', 'shares', 'share-visits', 'storage'],
  settings: ['settings', 'link-lifetimes'],
  shares: ['shares', 'share-visits'],
  trash: ['trash'],
  users: ['users'],
  webhooks: ['webhooks', 'share-webhooks'],
}

/** Updates what is shown after changes elsewhere, and marks the rest of the cache as outdated. */
export async function apply(changes: Changes): Promise<void> {
  for (const area of changes.areas)
    for (const name of QUERIES[area] ?? []) void queryClient.invalidateQueries({ queryKey: [name] })
  if (changesFolders(changes)) void queryClient.invalidateQueries({ queryKey: ['subfolders'] })
  const files = new Set(changes.folders.flatMap((folder) => folder.files ?? []))
  void queryClient.invalidateQueries({
    queryKey: ['file-details'],
    predicate: ({ queryKey }) => files.has(String(queryKey[1])),
  })
  updateSizes(changes)
  await updateLists(changes)
}

const changesFolders = ({ folders, gone, below }: Changes) =>
  gone.folders.length + below.length > 0 || folders.some((folder) => folder.folders.length > 0)

/** Reads everything anew that is shown: changes may have been missed. */
export const applyAll = (): Promise<void> => queryClient.invalidateQueries()

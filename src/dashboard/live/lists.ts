import type { Query } from '@tanstack/react-query'
import type { Changes } from '../../client/index.ts'
import { client, hasStatus } from '../api/client.ts'
import { type Folder, type FolderList, type HoldfastFile, nextOffset } from '../api/files.ts'
import { queryClient } from '../api/query.ts'
import { isWithin, parentKey } from '../lib/paths.ts'

/** Number of files from which on a list is long. */
const LONG = 2000
/** Minimum time between two readings of a whole list, in milliseconds. */
const REST_MS = { short: 1000, long: 15_000 }
/** Time between two looks at a list that is being read, in milliseconds. */
const LOOK_MS = 200

/** Returns the key of the folder that a query lists. */
const keyOf = ({ queryKey }: Query) => String(queryKey[1])
const listOf = ({ queryKey }: Query) => queryClient.getQueryData<FolderList>(queryKey)
const lengthOf = (query: Query) => listOf(query)?.pages.reduce((sum, { files }) => sum + files.length, 0) ?? 0

/** Updates the lists of folders. Those that are shown are read anew as a whole only where changes have no ids. */
export async function updateLists(changes: Changes): Promise<void> {
  const shown: Query[] = []
  for (const query of queryClient.getQueryCache().findAll({ queryKey: ['folder'] })) {
    if (query.isActive()) shown.push(query)
    else if (concerns(query, changes)) query.invalidate()
  }
  await Promise.all(shown.map((query) => updateList(query, changes)))
}

/** Reads the sizes of the folders that are shown. A change anywhere below a folder is one of its size. */
export function updateSizes({ folders, gone, below }: Changes): void {
  if (folders.length + gone.files.length + gone.folders.length + below.length === 0) return
  for (const query of queryClient.getQueryCache().findAll({ queryKey: ['folder-sizes'] })) {
    if (query.isActive()) readLater(query, queryClient.getQueryData<unknown[]>(query.queryKey)?.length ?? 0)
    else query.invalidate()
  }
}

/** Returns true for a list that changes may concern. */
const concerns = (query: Query, changes: Changes): boolean =>
  isWholeChanged(query, changes) || hasOtherFolders(query, changes) || idsFor(query, changes).length > 0

async function updateList(query: Query, changes: Changes): Promise<void> {
  if (isWholeChanged(query, changes)) return readLater(query, lengthOf(query))
  if (hasOtherFolders(query, changes)) await updateFolders(query)
  if (!(await isRead(query))) return
  const ids = idsFor(query, changes)
  const gone = new Set(changes.gone.files)
  const present = ids.filter((id) => !gone.has(id))
  if (ids.length > 0) replaceFiles(query, ids, await client.changes.files(present))
}

/** Returns true when anything in a list may have changed. */
function isWholeChanged(query: Query, { folders, below }: Changes): boolean {
  const key = keyOf(query)
  return (
    below.some((folder) => isWithin(key, folder)) ||
    folders.some((folder) => folder.key === key && folder.files === null)
  )
}

/** Returns the ids of changed files that a list has, or may have now. */
function idsFor(query: Query, { folders, gone }: Changes): string[] {
  const key = keyOf(query)
  const known = new Set(listOf(query)?.pages.flatMap(({ files }) => files.map(({ id }) => id)))
  return [
    ...folders.flatMap(({ key: at, files }) => (files ?? []).filter((id) => at === key || known.has(id))),
    ...gone.files.filter((id) => known.has(id)),
  ]
}

/** Returns true when folders may have come to a list, or left it, or the folder itself may be gone. */
function hasOtherFolders(query: Query, { folders, gone, below }: Changes): boolean {
  const key = keyOf(query)
  const known = new Set(listOf(query)?.pages[0]?.folders.map(({ id }) => id))
  return (
    (key !== '' && gone.folders.length + below.length > 0) ||
    gone.folders.some((id) => known.has(id)) ||
    folders.some((at) => (at.key === key && at.folders.length > 0) || at.folders.some((id) => known.has(id)))
  )
}

/** Reads the folders of a list. If the folder itself is gone, the page says so. */
async function updateFolders(query: Query): Promise<void> {
  try {
    const folders = await client.folders.folders({ key: keyOf(query) })
    if (await isRead(query)) setFolders(query, folders)
  } catch (error) {
    if (hasStatus(error, 404)) await queryClient.resetQueries({ queryKey: query.queryKey, exact: true })
    else throw error
  }
}

/** Waits until a list is read to its end. Returns false for one that is not shown any more, or was not read. */
async function isRead(query: Query): Promise<boolean> {
  while (query.isActive()) {
    const { fetchStatus, status } = query.state
    const list = listOf(query)
    if (fetchStatus === 'idle' && list && nextOffset(list.pages.at(-1), list.pageParams.at(-1)) === undefined)
      return true
    if (fetchStatus === 'idle' && status === 'error') return false
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return false
}

const setFolders = ({ queryKey }: Query, folders: Folder[]) =>
  queryClient.setQueryData<FolderList>(
    queryKey,
    (list) =>
      list && {
        ...list,
        pages: list.pages.map((page, index) => (index === 0 ? { ...page, folders } : page)),
      },
  )

/** Puts files in the places of `ids`, of which those that are not in the folder any more leave the list. */
function replaceFiles(query: Query, ids: readonly string[], files: readonly HoldfastFile[]): void {
  const key = keyOf(query)
  const present = new Map(files.filter((file) => parentKey(file.key) === key).map((file) => [file.id, file]))
  const changed = new Set(ids)
  queryClient.setQueryData<FolderList>(query.queryKey, (list) => {
    if (!list) return list
    const pages = list.pages.map((page) => ({
      ...page,
      files: page.files.flatMap((known) => {
        if (!changed.has(known.id)) return known
        const file = present.get(known.id)
        present.delete(known.id)
        return file ?? []
      }),
    }))
    // New files come last. The page puts a whole list into order.
    pages.at(-1)?.files.push(...present.values())
    return { ...list, pages }
  })
}

/** Lists that wait to be read anew. */
const waiting = new Set<string>()

/** Reads a whole list anew, a long one not often. */
function readLater(query: Query, length: number): void {
  const { queryHash, queryKey } = query
  if (waiting.has(queryHash)) return
  const rest = length < LONG ? REST_MS.short : REST_MS.long
  waiting.add(queryHash)
  const read = () => {
    waiting.delete(queryHash)
    void queryClient.invalidateQueries({ queryKey, exact: true })
  }
  setTimeout(read, Math.max(0, query.state.dataUpdatedAt + rest - Date.now()))
}

/** First parts of the keys of queries that show an area. */
const QUERIES: Record<Changes['areas'][number], readonly string[]> = {
  fetches: [],
  account: ['me', 'keys', 'shares', 'share-visits', 'storage'],
  settings: ['settings', 'file-settings', 'link-lifetimes'],
  shares: ['shares', 'share-visits'],
  trash: ['trash', 'favorites'],
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

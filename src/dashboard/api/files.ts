import {
  type InfiniteData,
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import type {
  Folder,
  FolderPage,
  FolderSize,
  HoldfastFile,
  Items,
  Version,
  Visibility,
} from '../../client/index.ts'
import { ORDERS, type Order } from '../../views/orders.ts'
import { createStore } from '../lib/store.ts'
import { client, hasStatus } from './client.ts'
import { queryClient, refresh, refreshing, staleTimeOfLists } from './query.ts'

export type { Folder, HoldfastFile, Version, Visibility }

/** Queries that show folders and their files. */
export const FOLDERS = ['folder', 'subfolders', 'folder-sizes', 'file-details'] as const

/** Invalidates all queries that show folders and their files. */
export const refreshFolders = () => refresh(...FOLDERS)

/** Sizes of the pages: a small first one that appears at once, then few large ones. */
const FIRST_PAGE = 200
const FURTHER_PAGE = 5000

/**
 * Queries a folder's content. Call `fetchNextPage` until `hasNextPage` is false. A whole list in the cache is used in
 * whichever order it was read: its rows can be sorted here.
 */
export const useFolder = (key: string, wanted: Order) =>
  useInfiniteQuery(folderQuery(key, wholeListOf(key)?.order ?? wanted))

/** Starts to read the first page of a folder's list. */
export const prefetchFolder = (key: string, order: Order) =>
  queryClient.prefetchInfiniteQuery(folderQuery(key, order))

const folderQuery = (key: string, order: Order) =>
  infiniteQueryOptions({
    queryKey: ['folder', key, order],
    queryFn: ({ pageParam, signal }) => {
      const limit = pageParam === 0 ? FIRST_PAGE : FURTHER_PAGE
      const { by: orderBy, direction: orderDirection } = order
      return client.folders.page({ key }, { limit, offset: pageParam, orderBy, orderDirection, signal })
    },
    initialPageParam: 0,
    getNextPageParam: (page, _pages, offset) => nextOffset(page, offset),
    staleTime: staleTimeOfLists,
  })

/** Pages of a folder's list. */
export type FolderList = InfiniteData<FolderPage, number>

/** Returns the offset of the next page; undefined after the last. */
export function nextOffset(page: FolderPage | undefined, offset = 0): number | undefined {
  const limit = offset === 0 ? FIRST_PAGE : FURTHER_PAGE
  return (page?.files.length ?? 0) < limit ? undefined : offset + limit
}

/** Returns a folder's list in the cache that was read to its end, and the order in which it was read. */
function wholeListOf(key: string): { order: Order; content: () => FolderPage } | undefined {
  for (const order of ORDERS.values()) {
    const data = queryClient.getQueryData<FolderList>(['folder', key, order])
    const [first, ...others] = data?.pages ?? []
    if (!first || nextOffset(others.at(-1) ?? first, data?.pageParams.at(-1)) !== undefined) continue
    const content = () => ({
      files: [first, ...others].flatMap((page) => page.files),
      folders: first.folders,
    })
    return { order, content }
  }
  return undefined
}

/** Returns the query of the folders directly in a folder. */
export const subfoldersQuery = (key: string) =>
  queryOptions({
    queryKey: ['subfolders', key],
    queryFn: ({ signal }) => client.folders.folders({ key }, { signal }),
  })

export const useSubfolders = (key: string) => useQuery(subfoldersQuery(key))

/** Queries some of the items directly in a folder. */
export const useFirstItems = (id: string | undefined, limit: number) =>
  useQuery({
    queryKey: ['first-items', id, limit],
    queryFn: () => client.folders.page({ id: id ?? '' }, { limit, orderBy: 'name', orderDirection: 'ASC' }),
    enabled: id !== undefined,
    staleTime: 0,
  })

/** Returns the files and folders directly in a folder. Uses the cache for a long list. @throws {HoldfastError} */
export const contentOf = async (key: string, { isFresh = false } = {}): Promise<FolderPage> =>
  (isFresh ? undefined : knownContent(key)) ?? (await readAll(key))

/** Returns a folder's content, empty if it does not exist. */
async function readAll(key: string): Promise<FolderPage> {
  try {
    return await client.folders.page({ key })
  } catch (error) {
    if (hasStatus(error, 404)) return { files: [], folders: [] }
    throw error
  }
}

function knownContent(key: string): FolderPage | undefined {
  const content = wholeListOf(key)?.content()
  return content && content.files.length > FURTHER_PAGE ? content : undefined
}

/** Returns all files below a folder with their SHA-256. @throws {HoldfastError} */
export const checksumsBelow = (key: string) => client.folders.checksums({ key })

/** Returns a file's SHA-256. @throws {HoldfastError} */
export const checksumOf = async (id: string): Promise<string> => (await client.files.details({ id })).sha256

/** Queries a file's checksum and traffic, which lists leave out. */
export const useFileDetails = (id: string, isEnabled = true) =>
  useQuery({
    queryKey: ['file-details', id],
    queryFn: () => client.files.details({ id }),
    staleTime: 0,
    enabled: isEnabled,
  })

export const renameFile = async (id: string, name: string) =>
  replaceFiles([await client.files.rename(id, name)])

export async function setVisibilityOfAll(items: Items, visibility: Visibility): Promise<Outcome> {
  const { files, failed } = await client.items.setVisibility(items, visibility)
  replaceFiles(files)
  return { failed }
}

export const renameFolder = refreshing(client.folders.rename, ...FOLDERS)

export const createFolder = refreshing(client.folders.create, ...FOLDERS)

/** Creates an empty file in the folder at an object key. */
export const createFile = refreshing(
  async (folder: string, name: string, visibility: Visibility | undefined) => {
    const files = await client.files.upload([{ name, content: '' }], {
      folder,
      ...(visibility && { visibility }),
    })
    const [file] = files
    if (!file) throw new Error('No file was stored')
    return file
  },
  ...FOLDERS,
)

/** Queries the lifetimes that the instance allows for signed links. */
export const useLinkLifetimes = () =>
  useQuery({ queryKey: ['link-lifetimes'], queryFn: client.files.linkLifetimes })

export const signLink = (id: string, expiresIn: number) => client.files.sign({ id }, { expiresIn })

/** Items of a batch that failed, with the reason. */
export interface Outcome {
  failed: { id: string; message: string }[]
}

export const moveAll = (items: Items, folder: string) => client.items.move(items, { folder })

/** Copies files and folders into a folder. A name that is taken gets a number. */
export const copyAll = (items: Items, folder: string): Promise<Outcome> =>
  client.items.copy(items, { folder })

export const { delete: deleteAll } = client.items

export const reportCanceled = client.files.reportCanceled

/** Returns the query of what is in each folder of a folder and below it. */
const folderSizesOf = (parentId: string | null | undefined) => ({
  queryKey: ['folder-sizes', parentId],
  queryFn: ({ signal }: { signal: AbortSignal }) => client.folders.sizes({ id: parentId ?? '' }, { signal }),
  enabled: typeof parentId === 'string',
  retry: false,
})

/** Queries what is in a folder and below it; it is read with all folders beside it. */
export const useFolderSize = ({ id, parentId }: Folder): FolderSize | undefined =>
  useQuery({
    ...folderSizesOf(parentId),
    select: (folders) => folders.find((folder) => folder.id === id),
  }).data

/** Queries the bytes in each folder of a folder and below it, by its id. */
export const useFolderBytes = (parentId: string | null | undefined) =>
  useQuery({ ...folderSizesOf(parentId), select: bytesById }).data

const bytesById = (folders: readonly FolderSize[]) => new Map(folders.map(({ id, size }) => [id, size]))

/** Queries the sum of the files, folders and bytes below some folders. */
export const useFolderTotals = (ids: readonly string[]) =>
  useQuery({
    queryKey: ['folder-totals', ids],
    queryFn: async () => {
      const all = await Promise.all(ids.map((id) => client.folders.totals({ id })))
      const sum = (name: 'files' | 'folders' | 'size') => all.reduce((total, one) => total + one[name], 0)
      return { files: sum('files'), folders: sum('folders'), size: sum('size') }
    },
    // An empty sum needs no request.
    ...(ids.length === 0 && { initialData: { files: 0, folders: 0, size: 0 }, enabled: false }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })

/** Replaces changed files in the cache, so that a large folder is not read again. */
function replaceFiles(changed: readonly HoldfastFile[]): void {
  const byId = new Map(changed.map((file) => [file.id, file]))
  queryClient.setQueriesData<InfiniteData<FolderPage>>({ queryKey: ['folder'] }, (folder) =>
    folder
      ? {
          ...folder,
          pages: folder.pages.map((page) => ({
            ...page,
            files: page.files.map((known) => byId.get(known.id) ?? known),
          })),
        }
      : folder,
  )
  // A response on its way may carry the old file.
  if (queryClient.isFetching({ queryKey: ['folder'] }) > 0) void refreshFolders()
}

/** Ids of items that lists leave out while they go to the trash. */
export const hidden = createStore<ReadonlySet<string>>(new Set())

export const hideItems = (items: readonly { id: string }[]) =>
  hidden.set((now) => new Set([...now, ...items.map(({ id }) => id)]))

export function showItems(items: readonly { id: string }[]): void {
  const ids = new Set(items.map(({ id }) => id))
  hidden.set((now) => new Set([...now].filter((id) => !ids.has(id))))
}

/** Rows that lists show while they return from the trash, whatever the server said before. */
export const returning = createStore<readonly (HoldfastFile | Folder)[]>([])

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

export const restoreVersion = refreshing(client.files.restoreVersion, ...FOLDERS)
export const deleteVersion = refreshing(client.files.deleteVersion, ...FOLDERS)

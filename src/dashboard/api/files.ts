import { type InfiniteData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Folder, FolderPage, HoldfastFile, Visibility } from '../../client/index.ts'
import { client, hasStatus } from './client.ts'
import { queryClient } from './query.ts'

export type { Folder, HoldfastFile, Visibility }

/** The order of a folder's files, in the API's words. */
export interface Order {
  by: 'name' | 'size' | 'updatedAt'
  direction: 'ASC' | 'DESC'
}

/** The first page is small, so that something is there at once; the rest of a large folder follows in few. */
const FIRST_PAGE = 200
const FURTHER_PAGE = 5000

/** A folder's content in pages; `fetchNextPage` until `hasNextPage` is false has all of it. */
export const useFolder = (key: string, order: Order) =>
  useInfiniteQuery({
    queryKey: ['folder', key, order],
    queryFn: ({ pageParam, signal }) => {
      const limit = pageParam === 0 ? FIRST_PAGE : FURTHER_PAGE
      const { by: orderBy, direction: orderDirection } = order
      return client.folders.page({ key }, { limit, offset: pageParam, orderBy, orderDirection, signal })
    },
    initialPageParam: 0,
    getNextPageParam: (page, _pages, offset) => nextOffset(page, offset),
  })

/** Where the page after this one begins; undefined when there is none. */
function nextOffset(page: FolderPage | undefined, offset = 0): number | undefined {
  const limit = offset === 0 ? FIRST_PAGE : FURTHER_PAGE
  return (page?.files.length ?? 0) < limit ? undefined : offset + limit
}

/** The folders directly below one. */
export const useSubfolders = (key: string) =>
  useQuery({
    queryKey: ['subfolders', key],
    queryFn: ({ signal }) => client.folders.folders({ key }, { signal }),
  })

/** The names of what is directly in a folder. A long list is not read again when the page has it. @throws {ApiError} */
export async function namesIn(key: string, { isFresh = false } = {}) {
  const page = (isFresh ? undefined : knownContent(key)) ?? (await readAll(key))
  return {
    files: page.files.map(({ name }) => name),
    folders: page.folders.map(({ name }) => name),
  }
}

/** What is in a folder; nothing when there is no such folder. */
async function readAll(key: string): Promise<FolderPage> {
  try {
    return await client.folders.page({ key })
  } catch (error) {
    if (hasStatus(error, 404)) return { files: [], folders: [] }
    throw error
  }
}

function knownContent(key: string): FolderPage | undefined {
  const known = queryClient.getQueriesData<InfiniteData<FolderPage, number>>({ queryKey: ['folder', key] })
  for (const [, data] of known) {
    const pages = data?.pages ?? []
    const isWhole = nextOffset(pages.at(-1), data?.pageParams.at(-1)) === undefined
    const files = pages.flatMap((page) => page.files)
    if (pages[0] && isWhole && files.length > FURTHER_PAGE) return { files, folders: pages[0].folders }
  }
  return undefined
}

/** The keys of all files below a folder. @throws {ApiError} */
export const keysBelow = async (key: string): Promise<string[]> =>
  (await client.folders.checksums({ key })).map((file) => file.key)

/** A file's checksum and traffic, which lists do not carry. */
export const useFileDetails = (id: string) =>
  useQuery({
    queryKey: ['file-details', id],
    queryFn: () => client.files.details({ id }),
    staleTime: 0,
  })

export const renameFile = async (id: string, name: string) =>
  replaceFiles([await client.files.rename(id, name)])

/** Changes many files in one request. */
export async function setFilesVisibility(ids: string[], visibility: Visibility): Promise<Outcome> {
  const { files, failed } = await client.files.setVisibilityAll(ids, visibility)
  replaceFiles(files)
  return { failed }
}

export async function renameFolder(id: string, name: string): Promise<void> {
  await client.folders.rename(id, name)
  await refreshFolders()
}

/** Sets the visibility of every file in the folder and below it. */
export const setFolderVisibility = client.folders.setVisibility

export async function createFolder(key: string): Promise<void> {
  await client.folders.create(key)
  await refreshFolders()
}

/** The lifetimes that the instance allows for signed links. */
export const useLinkLifetimes = () =>
  useQuery({ queryKey: ['link-lifetimes'], queryFn: client.files.linkLifetimes })

export const signLink = (id: string, expiresIn: number) => client.files.sign({ id }, { expiresIn })

/** Items of a batch that failed, with the reason. */
export interface Outcome {
  failed: { id: string; message: string }[]
}

export const moveFiles = (ids: string[], folder: string): Promise<Outcome> =>
  client.files.moveAll(ids, { folder })

export const moveFolder = (id: string, folder: string) => client.folders.move(id, { folder })

export const deleteFiles = (ids: string[]): Promise<Outcome> => client.files.deleteAll(ids)

export const deleteFolder = client.folders.delete

export const reportCanceled = client.files.reportCanceled

/** Asks for everything that shows folders again. */
export async function refreshFolders(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['folder'] }),
    queryClient.invalidateQueries({ queryKey: ['subfolders'] }),
  ])
}

/** How much is below some folders together. */
export const useFolderTotals = (ids: readonly string[]) =>
  useQuery({
    queryKey: ['folder-totals', ids],
    queryFn: async () => {
      const all = await Promise.all(ids.map((id) => client.folders.totals({ id })))
      const sum = (name: 'files' | 'folders' | 'size') => all.reduce((total, one) => total + one[name], 0)
      return { files: sum('files'), folders: sum('folders'), size: sum('size') }
    },
    // Without folders there is nothing to wait for.
    ...(ids.length === 0 && { initialData: { files: 0, folders: 0, size: 0 }, enabled: false }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })

/** Puts changed files in their places, so that a large folder need not be read again. */
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
  // What is being read may have the file as it was.
  if (queryClient.isFetching({ queryKey: ['folder'] }) > 0) void refreshFolders()
}

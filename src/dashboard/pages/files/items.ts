import type { Folder, HoldfastFile, Order } from '../../api/files.ts'
import { type Kind, kindOf } from '../../lib/kinds.ts'

/** File or folder in a list. */
export type Item = ({ is: 'file' } & HoldfastFile) | ({ is: 'folder' } & Folder)
export type FileItem = Extract<Item, { is: 'file' }>
export type FolderItem = Extract<Item, { is: 'folder' }>

export const isFile = (item: Item): item is FileItem => item.is === 'file'
export const isFolder = (item: Item): item is FolderItem => item.is === 'folder'

export interface Filter {
  search: string
  kind: Kind | 'all'
}

export const isFiltering = ({ search, kind }: Filter) => search.trim() !== '' || kind !== 'all'

/**
 * Returns folders first, then files in the server's order. Folders have no size, so they are sorted by name where
 * files are sorted by size.
 */
export function toItems(
  { files, folders }: { files: readonly HoldfastFile[]; folders: readonly Folder[] },
  order: Order,
): Item[] {
  const sign = order.direction === 'ASC' ? 1 : -1
  const compare = (a: Folder, b: Folder) =>
    order.by === 'updatedAt'
      ? sign * (a.updatedAt < b.updatedAt ? -1 : 1)
      : (order.by === 'name' ? sign : 1) * a.name.localeCompare(b.name, undefined, { numeric: true })
  return [
    ...folders.toSorted(compare).map((folder): Item => ({ is: 'folder', ...folder })),
    ...files.map((file): Item => ({ is: 'file', ...file })),
  ]
}

export function filterItems(items: Item[], filter: Filter): Item[] {
  if (!isFiltering(filter)) return items
  const search = filter.search.trim().toLowerCase()
  return items.filter(
    (item) =>
      item.name.toLowerCase().includes(search) &&
      (filter.kind === 'all' || (isFile(item) && kindOf(item) === filter.kind)),
  )
}

/** Returns the id of the folder of several items; undefined for a single one. */
export function folderIdOf([first, ...others]: readonly Item[]): string | undefined {
  if (!first || others.length === 0) return undefined
  return isFile(first) ? first.folderId : (first.parentId ?? undefined)
}

export const countItems = (items: readonly Item[]) => ({
  files: items.filter(isFile).length,
  folders: items.filter(isFolder).length,
})

export const sizeOf = (items: readonly Item[]) =>
  items.reduce((sum, item) => sum + (isFile(item) ? item.size : 0), 0)

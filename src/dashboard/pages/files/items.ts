import { matches } from '../../../platform/fold.ts'
import { type Kind, kindOf } from '../../../platform/kinds.ts'
import type { Order } from '../../../views/orders.ts'
import type { Folder, HoldfastFile } from '../../api/files.ts'
import { compareNaturally } from '../../lib/natural.ts'
import { isWithin } from '../../lib/paths.ts'
import { createStore } from '../../lib/store.ts'

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

/** Content of a folder, as far as it is loaded. */
interface Content {
  files: readonly HoldfastFile[]
  folders: readonly Folder[]
  /** False while more files are loading. They stay in the server's order until then. */
  isComplete: boolean
  /** Bytes in the folders and below them, by their ids; undefined until they are known. */
  bytesInFolders?: ReadonlyMap<string, number> | undefined
}

const compareNames = (a: { name: string }, b: { name: string }) =>
  compareNaturally(a.name, b.name) || (a.name < b.name ? -1 : 1)

/** Returns the comparison of two items in an order. Equal ones go by their names. */
function comparison({ by, direction }: Order, bytes: Content['bytesInFolders']) {
  const sign = direction === 'ASC' ? 1 : -1
  const sizeIn = (item: HoldfastFile | Folder) => ('size' in item ? item.size : (bytes?.get(item.id) ?? 0))
  return (a: HoldfastFile | Folder, b: HoldfastFile | Folder): number => {
    switch (by) {
      case 'name':
        return sign * compareNames(a, b)
      case 'updatedAt':
        if (a.updatedAt === b.updatedAt) return compareNames(a, b)
        return a.updatedAt < b.updatedAt ? -sign : sign
      case 'size':
        return sign * (sizeIn(a) - sizeIn(b)) || compareNames(a, b)
    }
  }
}

/** Returns folders first, then files. */
export function toItems({ files, folders, isComplete, bytesInFolders }: Content, order: Order): Item[] {
  const compare = comparison(order, bytesInFolders)
  const sorted = isComplete ? files.toSorted(compare) : files
  return [
    ...folders.toSorted(compare).map((folder): Item => ({ is: 'folder', ...folder })),
    ...sorted.map((file): Item => ({ is: 'file', ...file })),
  ]
}

export function filterItems(items: Item[], filter: Filter): Item[] {
  if (!isFiltering(filter)) return items
  const search = filter.search.trim()
  return items.filter(
    (item) =>
      matches(item.name, search) && (filter.kind === 'all' || (isFile(item) && kindOf(item) === filter.kind)),
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

/** Returns the size of items, with that of folders by their ids. */
export const sizeOf = (items: readonly Item[], folders?: ReadonlyMap<string, number>) =>
  items.reduce((sum, item) => sum + (isFile(item) ? item.size : (folders?.get(item.id) ?? 0)), 0)

/** Items to paste. */
interface Held {
  items: Item[]
  /** True for items that move, false for those that are copied. */
  isCut: boolean
  /** Text on the system's clipboard. Another one means that something else was copied since. */
  text: string
}

export const held = createStore<Held | undefined>(undefined)

/** Releases what is cut if one of its items has another place now, to which an undo of the paste would not return. */
export function releaseCut(moved: readonly Item[]): void {
  const hasMoved = ({ id, key }: Item) =>
    moved.some((item) => item.id === id || (isFolder(item) && isWithin(key, item.key)))
  held.set((now) => (now?.isCut && now.items.some(hasMoved) ? undefined : now))
}

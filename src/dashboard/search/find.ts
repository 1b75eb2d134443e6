import type { SearchOptions, SearchPage } from '../../client/index.ts'
import { client } from '../api/client.ts'
import { isWithin, parentKey } from '../lib/paths.ts'
import { orderEqual } from './order.ts'

export interface SearchFilter {
  text: string
  kind?: SearchOptions['kind'] | undefined
  visibility?: SearchOptions['visibility'] | undefined
  /** Id of the account that uploaded a file. */
  uploader?: string | undefined
  /** Object key of a folder: only what is below it. */
  within?: string | undefined
  /** Object keys of folders to leave out with everything below them. */
  outside?: readonly string[]
}

/** File or folder that matches. */
export interface Found {
  id: string
  name: string
  /** Object key of its folder. */
  folder: string
  key: string
  is: 'file' | 'folder'
  mimeType?: string
  size?: number
  /** Time by which equal matches are in order: the newest comes first. */
  createdAt: string
  /** Start and end of the match in the name. */
  match: readonly number[] | null
}

/** Maximum results that are shown. */
const SHOWN = 50
/** Maximum pages that are read to find those outside folders. */
const MAX_PAGES = 5
const LARGE_PAGE = 200

/** Finds files and folders by name, the best first. @throws {HoldfastError} */
export async function findItems(
  { text, within, outside = [], kind, visibility, uploader }: SearchFilter,
  signal: AbortSignal,
): Promise<{ found: Found[]; hasMore: boolean }> {
  const filters = {
    ...(kind && { kind }),
    ...(visibility && { visibility }),
    ...(uploader && { uploader }),
    ...(within && { folder: within }),
    signal,
  }
  const isWanted = ({ key }: Found) => !outside.some((left) => isWithin(key, left))
  const limit = outside.length === 0 ? SHOWN : LARGE_PAGE
  const found: Found[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, next } = await client.search(text, {
      ...filters,
      limit,
      ...(cursor !== undefined && { cursor }),
    })
    found.push(...items.map(toFound).filter(isWanted))
    cursor = next ?? undefined
    if (cursor === undefined || found.length >= SHOWN) break
  }
  return {
    found: orderEqual(found.slice(0, SHOWN), text),
    hasMore: cursor !== undefined || found.length > SHOWN,
  }
}

function toFound(item: SearchPage['items'][number]): Found {
  const { match } = item
  const { id, name, key, createdAt } = item.kind === 'file' ? item.file : item.folder
  const place = { id, name, key, createdAt, folder: parentKey(key), match }
  if (item.kind === 'folder') return { ...place, is: 'folder' }
  return { ...place, is: 'file', mimeType: item.file.mimeType, size: item.file.size }
}

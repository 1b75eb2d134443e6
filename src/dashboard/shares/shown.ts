import type { Kind } from '../../platform/kinds.ts'
import type { Share } from '../api/shares.ts'
import { withMarks } from '../lib/marks.ts'
import { shareTexts } from '../texts/shares.ts'

/** Item of a share as the visitors see it. */
export interface Shown {
  id: string
  name: string
  kind: Kind | 'folder'
  /** Size in bytes, if it is known. */
  size?: number
}

/** Returns the items of a share that visitors find. */
export const shownItems = ({ items }: Share): Shown[] =>
  items.flatMap(({ fileId, folderId, name }) =>
    name === null
      ? []
      : [{ id: fileId ?? folderId ?? '', name, kind: folderId === undefined ? 'other' : 'folder' }],
  )

/** Names of items in the name of a share. */
const MAX_NAMES = 2

/** Returns the title of a share, or the names of its items. */
export function nameOf(share: Share): string {
  const names = shownItems(share).map(({ name }) => withMarks(name))
  if (share.title !== null) return withMarks(share.title)
  if (!share.canRead || names.length === 0)
    return share.folderName === null ? shareTexts.unnamed : shareTexts.boxOf(withMarks(share.folderName))
  const others = share.items.length - MAX_NAMES
  return names.slice(0, MAX_NAMES).join(', ') + (others > 0 ? shareTexts.andMore(others) : '')
}

import type { HTMLAttributes } from 'react'
import { isWithin, parentKey } from '../../../lib/paths.ts'
import type { Selection } from '../../../lib/selection.ts'
import { dragging, dropTarget } from '../../../uploads/drop-zone.tsx'
import type { FileCommands } from '../commands.ts'
import { type Item, isFolder } from '../items.ts'

interface Dragging {
  item: Item
  selection: Selection<Item>
  commands: Pick<FileCommands, 'moveInto' | 'mayMoveTo' | 'mayAddTo' | 'mayRemove' | 'remove'>
}

/**
 * Returns the properties of an item that can be dragged, with the selection if it is part of it. A folder accepts
 * drops. The dialog does the same without a mouse.
 */
export function dragProps({
  item,
  selection,
  commands: { moveInto, mayMoveTo, mayAddTo, mayRemove, remove },
}: Dragging): HTMLAttributes<HTMLElement> & Partial<ReturnType<typeof dropTarget>> {
  const takesDrops = isFolder(item) && mayAddTo(item.key) && dropTarget(item.key)
  if (!moveInto) return { ...takesDrops }
  return {
    ...takesDrops,
    onDragStart: ({ dataTransfer, defaultPrevented }) => {
      if (defaultPrevented) return
      const items = selection.has(item.id) ? selection.items : [item]
      if (!selection.has(item.id)) selection.selectOnly(item.id)
      dragging.now = {
        fits: (folder) => mayMoveTo(folder) && canMove(items, folder),
        moveInto: (folder) => moveInto(items, folder),
        remove: mayRemove ? () => remove(items) : undefined,
      }
      dataTransfer.effectAllowed = 'move'
      dataTransfer.setData('text/plain', item.name)
    },
  }
}

/** True if some of the items are elsewhere, and no folder would move into itself. */
export const canMove = (items: readonly Item[], folder: string): boolean =>
  items.some(({ key }) => parentKey(key) !== folder) &&
  !items.some((item) => isFolder(item) && isWithin(folder, item.key))

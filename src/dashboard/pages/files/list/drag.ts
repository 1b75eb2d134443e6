import type { DragEvent, HTMLAttributes } from 'react'
import type { Selection } from '../../../lib/selection.ts'
import { type Item, isFolder } from '../items.ts'

/** Items of the current drag. Events reveal them only at the drop. */
let dragged: Item[] = []

interface Dragging {
  item: Item
  selection: Selection<Item>
  moveInto: (items: Item[], folder: string) => void
}

/**
 * Returns the properties of an item that can be dragged, with the selection if it is part of it. A folder accepts
 * drops. The dialog does the same without a mouse.
 */
export function dragProps({ item, selection, moveInto }: Dragging): HTMLAttributes<HTMLElement> {
  // An item that scrolled out of view reports no end of its drag. Files may come from elsewhere then.
  const takes = ({ dataTransfer }: DragEvent) =>
    isFolder(item) &&
    !dataTransfer.types.includes('Files') &&
    dragged.length > 0 &&
    !dragged.some(({ id }) => id === item.id)
  const mark = (event: DragEvent, isOver: boolean) =>
    event.currentTarget.classList.toggle('is-drop-target', isOver)
  return {
    draggable: true,
    onDragStart: ({ dataTransfer }) => {
      dragged = selection.has(item.id) ? selection.items : [item]
      dataTransfer.effectAllowed = 'move'
      dataTransfer.setData('text/plain', item.name)
    },
    onDragEnd: () => {
      dragged = []
    },
    onDragOver: (event) => {
      if (!takes(event)) return
      event.preventDefault()
      mark(event, true)
    },
    onDragLeave: (event) => mark(event, false),
    onDrop: (event) => {
      mark(event, false)
      if (!takes(event)) return
      event.preventDefault()
      moveInto(dragged, item.key)
    },
  }
}

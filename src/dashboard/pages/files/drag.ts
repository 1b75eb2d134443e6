import type { DragEvent, HTMLAttributes } from 'react'
import { type Item, isFolder } from './items.ts'
import type { Selection } from './selection.ts'

/** What is being dragged: events tell it only at the end. */
let dragged: Item[] = []

interface Dragging {
  item: Item
  selection: Selection
  moveInto: (items: Item[], folder: string) => void
}

/**
 * Lets an item be dragged, with the whole selection when it is part of it, and lets a folder take what is
 * dropped on it. The picker does the same without a mouse.
 */
export function dragProps({ item, selection, moveInto }: Dragging): HTMLAttributes<HTMLElement> {
  // An item that scrolled out of view does not tell that its drag is over; then files may come from elsewhere.
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

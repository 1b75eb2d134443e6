/** Items of a list that are dragged. */
export interface Dragged {
  /** True if the items can move into the folder at an object key. */
  fits: (folder: string) => boolean
  moveInto: (folder: string) => void
  /** Moves the items to the trash; missing without permission. */
  remove?: (() => void) | undefined
}

/** Current drag. Events reveal what is dragged only at the drop. */
export const dragging: { now: Dragged | undefined } = { now: undefined }

/** Returns the attribute of an element that takes drops for a folder. */
export const dropTarget = (folder: string) => ({ 'data-drop-folder': folder })

/** Attribute of an element that takes dragged items to the trash. */
export const TRASH_TARGET = { 'data-drop-trash': '' }

/** Returns the element under the pointer that takes drops. */
export const findDropTarget = ({ target }: Event): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-drop-folder], [data-drop-trash]') : null

export const isTrash = (element: HTMLElement): boolean => element.dataset['dropTrash'] !== undefined

export const folderOf = (element: HTMLElement): string => element.dataset['dropFolder'] ?? ''

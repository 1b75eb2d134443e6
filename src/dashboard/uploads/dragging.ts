/** Items of a list that are dragged. */
export interface Dragged {
  /** True if the items can move into the folder at an object key. */
  fits: (folder: string) => boolean
  moveInto: (folder: string) => void
}

/** Current drag. Events reveal what is dragged only at the drop. */
export const dragging: { now: Dragged | undefined } = { now: undefined }

/** Returns the attribute of an element that takes drops for a folder. */
export const dropTarget = (folder: string) => ({ 'data-drop-folder': folder })

/** Returns the element under the pointer that takes drops for a folder. */
export const findDropTarget = ({ target }: Event): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-drop-folder]') : null

export const folderOf = (element: HTMLElement): string => element.dataset['dropFolder'] ?? ''

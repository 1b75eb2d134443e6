import type { Item } from '../items.ts'
import type { Point } from './band.ts'

/** Actions of the keyboard and of an item's parts. */
export interface ItemActions {
  open: (item: Item) => void
  rename: (item: Item) => void
  /** Moves items to the trash. */
  remove: (items: Item[]) => void
  removeForGood: (items: Item[]) => void
}

/** Opens a menu about an item, with the selection if it is part of it, or about the folder. */
export type OpenMenu = (at: Point, item?: Item) => void

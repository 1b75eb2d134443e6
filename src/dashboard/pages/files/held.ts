import { isWithin } from '../../lib/keys.ts'
import { createStore } from '../../lib/store.ts'
import { type Item, isFolder } from './items.ts'

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

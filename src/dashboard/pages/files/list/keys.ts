import type { KeyboardEvent } from 'react'
import { fold } from '../../../../platform/fold.ts'
import type { Selection } from '../../../lib/selection.ts'
import type { Item } from '../items.ts'
import type { ItemActions } from './rubber-band.ts'

interface Shape {
  columns: number
  count: number
  /** Items that Page Up and Page Down pass. */
  page: number
}

/** Returns the number of items that a key moves on. */
export function stepOf(key: string, { columns, count, page }: Shape): number | undefined {
  const steps: Record<string, number> = {
    ArrowDown: columns,
    ArrowUp: -columns,
    PageDown: page,
    PageUp: -page,
    Home: -count,
    End: count,
    ...(columns > 1 ? { ArrowRight: 1, ArrowLeft: -1 } : {}),
  }
  return steps[key]
}

interface Subject {
  item: Item
  selection: Selection<Item>
  actions: ItemActions
}

/** Returns the command of a key for the current item. */
export function commandOf(
  { key, altKey, shiftKey, repeat }: KeyboardEvent,
  { item, selection, actions }: Subject,
): (() => void) | undefined {
  if (altKey) return undefined
  const items = selection.items.length > 0 ? selection.items : [item]
  switch (key) {
    case 'Enter':
      return () => actions.open(item)
    case ' ':
      return () => (shiftKey ? selection.extendTo(item.id) : selection.toggle(item.id))
    case 'F2':
      return () => actions.rename(item)
    case '*':
      return repeat ? undefined : () => actions.star(items)
    case 'Delete':
      // The next item comes into the place of a deleted one. A key that is held must not take it as well.
      if (repeat) return undefined
      return () => (shiftKey ? actions.removeForGood(items) : actions.remove(items))
    default:
      return undefined
  }
}

/** True for the keys that open a context menu. */
export const isMenuKey = ({ key, shiftKey }: KeyboardEvent) =>
  key === 'ContextMenu' || (key === 'F10' && shiftKey)

/** Milliseconds after which typing begins a new word. */
const PAUSE_MS = 800

/** Finds items by the beginning of their names as it is typed. */
export class TypeAhead {
  #typed = ''
  #last = 0

  /** True while a word is typed: a space belongs to it. */
  get isTyping(): boolean {
    return this.#typed !== '' && performance.now() - this.#last < PAUSE_MS
  }

  /** True for a key that adds to the word. `/`, `?` and `*` are shortcuts. */
  takes({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
    if (ctrlKey || metaKey || altKey || [...key].length !== 1 || '/?*'.includes(key)) return false
    return key !== ' ' || this.isTyping
  }

  /** Adds a character and returns the index of the item that is meant; -1 for none. */
  find(character: string, names: readonly { name: string }[], current: number): number {
    this.#typed = this.isTyping ? this.#typed + character : character
    this.#last = performance.now()
    return findByStart(names, this.#typed, current)
  }
}

/**
 * Returns the index of the next name that starts with `typed`, without regard to case and accents; -1 for none. The
 * same character several times goes from one to the next.
 */
export function findByStart(names: readonly { name: string }[], typed: string, current: number): number {
  const [first = '', ...others] = [...fold(typed)]
  const isRepeated = others.every((character) => character === first)
  const start = isRepeated ? first : fold(typed)
  const from = isRepeated ? current + 1 : current
  for (let step = 0; step < names.length; step += 1) {
    const index = (from + step) % names.length
    if (fold(names[index]?.name ?? '').startsWith(start)) return index
  }
  return -1
}

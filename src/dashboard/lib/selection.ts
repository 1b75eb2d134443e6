import { useCallback, useMemo, useState } from 'react'

interface Selectable {
  id: string
}

/** Selected ids, and the anchor of a range. */
export interface SelectionState {
  ids: ReadonlySet<string>
  anchor: string | undefined
}

export const NOTHING: SelectionState = { ids: new Set(), anchor: undefined }

export function toggled({ ids }: SelectionState, id: string): SelectionState {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return { ids: next, anchor: id }
}

/** Returns the selection with everything between the anchor and `id`. */
export function extended(state: SelectionState, items: readonly Selectable[], id: string): SelectionState {
  const ends = [state.anchor ?? id, id].map((end) => items.findIndex((item) => item.id === end))
  const [first, last] = [Math.min(...ends), Math.max(...ends)]
  if (first === -1) return toggled(state, id)
  const range = items.slice(first, last + 1).map((item) => item.id)
  return { ids: new Set([...state.ids, ...range]), anchor: state.anchor ?? id }
}

export interface Selection<Item extends Selectable> {
  /** Selected items in their order on the page. */
  items: Item[]
  has: (id: string) => boolean
  toggle: (id: string) => void
  extendTo: (id: string) => void
  selectAll: () => void
  clear: () => void
}

/** Returns a selection among `items`. It loses those that disappear. */
export function useSelection<Item extends Selectable>(items: Item[]): Selection<Item> {
  const [state, setState] = useState(NOTHING)
  const selected = useMemo(
    () => (state.ids.size === 0 ? [] : items.filter(({ id }) => state.ids.has(id))),
    [items, state],
  )
  const toggle = useCallback((id: string) => setState((now) => toggled(now, id)), [])
  return {
    items: selected,
    has: (id) => state.ids.has(id),
    toggle,
    extendTo: (id) => setState((now) => extended(now, items, id)),
    selectAll: () => setState({ ids: new Set(items.map(({ id }) => id)), anchor: items[0]?.id }),
    clear: useCallback(() => setState(NOTHING), []),
  }
}

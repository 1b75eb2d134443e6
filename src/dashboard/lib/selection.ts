import { useCallback, useMemo, useState } from 'react'

interface Selectable {
  id: string
}

/** Selected ids, and the anchor of a range. */
export interface SelectionState {
  ids: ReadonlySet<string>
  anchor: string | undefined
  /** Ids selected before the range that `extended` added last. The next range replaces that one. */
  before?: ReadonlySet<string>
  /** True for the single item of a plain click: the arrow keys move such a selection. */
  followsFocus?: boolean
}

export const NOTHING: SelectionState = { ids: new Set(), anchor: undefined }

export function toggled({ ids }: SelectionState, id: string): SelectionState {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return { ids: next, anchor: id }
}

/** Returns the selection with everything between the anchor and `id`, in place of an earlier range. */
export function extended(state: SelectionState, items: readonly Selectable[], id: string): SelectionState {
  const ends = [state.anchor ?? id, id].map((end) => items.findIndex((item) => item.id === end))
  const [first, last] = [Math.min(...ends), Math.max(...ends)]
  if (first === -1) return toggled(state, id)
  const range = items.slice(first, last + 1).map((item) => item.id)
  const before = state.before ?? state.ids
  return { ids: new Set([...before, ...range]), anchor: state.anchor ?? id, before }
}

export interface Selection<Item extends Selectable> {
  /** Selected items in their order on the page. */
  items: Item[]
  followsFocus: boolean
  has: (id: string) => boolean
  toggle: (id: string) => void
  extendTo: (id: string) => void
  /** Selects one item in place of all others. */
  selectOnly: (id: string) => void
  /** Selects some items in place of all others. */
  select: (ids: readonly string[]) => void
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
  const select = (ids: readonly string[]) => setState({ ids: new Set(ids), anchor: ids[0] })
  return {
    items: selected,
    followsFocus: state.followsFocus ?? false,
    has: (id) => state.ids.has(id),
    toggle,
    extendTo: (id) => setState((now) => extended(now, items, id)),
    selectOnly: (id) => setState({ ids: new Set([id]), anchor: id, followsFocus: true }),
    select,
    selectAll: () => select(items.map(({ id }) => id)),
    clear: useCallback(() => setState(NOTHING), []),
  }
}

import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Selection } from '../../../lib/selection.ts'
import { texts } from '../../../texts.ts'
import type { Item } from '../items.ts'

/** Actions of the keyboard and of an item's parts. */
export interface ItemActions {
  open: (item: Item) => void
  rename: (item: Item) => void
  /** Moves items to the trash. */
  remove: (items: Item[]) => void
  removeForGood: (items: Item[]) => void
}

export interface CollectionProps {
  items: Item[]
  selection: Selection<Item>
  actions: ItemActions
  /** Renders one item. `isCurrent` marks the one that the Tab key reaches. */
  children: (item: Item, place: { index: number; isCurrent: boolean }) => ReactNode
}

interface Shape {
  /** Number of items side by side. */
  columns: number
  /** Height of a row in pixels. */
  rowHeight: number
  className: string
  header?: ReactNode
}

/**
 * Items in rows, of which only those in view are rendered. Arrow keys move, Space selects, Shift extends, Enter
 * opens, F2 renames, Delete moves to the trash, Shift+Delete deletes for good.
 */
export function Collection({
  items,
  selection,
  actions,
  children,
  columns,
  rowHeight,
  className,
  header,
}: CollectionProps & Shape) {
  const scroller = useRef<HTMLDivElement>(null)
  const { current, setCurrent, focusCurrent } = useCurrent(items, scroller)
  const rowOf = (index: number) => Math.floor(index / columns)
  const rows = useVirtualizer({
    count: Math.ceil(items.length / columns),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    // The current item stays rendered, or it would lose the focus and the Tab key would not find it.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), rowOf(current)])].toSorted((a, b) => a - b),
    overscan: 6,
    useFlushSync: false,
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const item = items[current]
    // Fields and buttons inside an item handle their own keys.
    if (!item || !isItem(event.target)) return
    const step = stepOf(event.key, { columns, count: items.length, page: 10 * columns })
    const act = step === undefined ? commandOf(event, { item, selection, actions }) : undefined
    if (step === undefined && !act) return
    event.preventDefault()
    if (act) return act()
    const next = Math.max(0, Math.min(items.length - 1, current + (step ?? 0)))
    const target = items[next]
    if (event.shiftKey && target) {
      if (!selection.has(item.id)) selection.toggle(item.id)
      selection.extendTo(target.id)
    }
    rows.scrollToIndex(rowOf(next))
    focusCurrent(next)
  }
  return (
    <div
      className={`collection ${className} ${selection.items.length > 0 ? 'is-selecting' : ''}`}
      ref={scroller}
      role="grid"
      aria-label={texts.files.contents}
      aria-rowcount={items.length + (header ? 1 : 0)}
      aria-multiselectable
      tabIndex={-1}
      style={{ '--rows': `${rows.getTotalSize()}px` }}
      onKeyDown={onKeyDown}
      onFocus={({ target }) => {
        isAmongItems = true
        const index = Number(target.closest('[data-index]')?.getAttribute('data-index') ?? Number.NaN)
        if (!Number.isNaN(index)) setCurrent(index)
      }}
      onBlur={({ relatedTarget }) => {
        isAmongItems = relatedTarget === null || relatedTarget.closest('[role=grid], [role=dialog]') !== null
      }}
    >
      {header}
      <div className="collection-rows" role="presentation" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => (
          <div
            key={row.key}
            className="collection-row"
            role="presentation"
            style={{ transform: `translateY(${row.start}px)`, height: rowHeight }}
          >
            {items.slice(row.index * columns, (row.index + 1) * columns).map((item, place) => {
              const index = row.index * columns + place
              return children(item, { index, isCurrent: index === current })
            })}
          </div>
        ))}
      </div>
    </div>
  )
}

const isItem = (target: EventTarget) => target instanceof HTMLElement && target.dataset['index'] !== undefined

/** True while the focus is at an item or in a dialog about one. It returns when its element disappears. */
let isAmongItems = false

/** Tracks the item with the keyboard focus. */
function useCurrent(items: readonly Item[], scroller: { current: HTMLElement | null }) {
  const [state, setState] = useState({ index: 0, isMoved: false })
  const current = Math.min(state.index, Math.max(0, items.length - 1))
  useEffect(() => {
    if (!state.isMoved) return
    // The item is rendered in the next frame.
    const frame = requestAnimationFrame(() =>
      scroller.current
        ?.querySelector<HTMLElement>(`[data-index="${current}"]`)
        ?.focus({ preventScroll: true }),
    )
    return () => cancelAnimationFrame(frame)
  }, [state, current, scroller])
  // biome-ignore lint/correctness/useExhaustiveDependencies: others may have come in the place of these
  useEffect(() => {
    if (isAmongItems && document.activeElement === document.body)
      setState(({ index }) => ({ index, isMoved: true }))
  }, [items])
  return {
    current,
    setCurrent: (index: number) => index !== state.index && setState({ index, isMoved: false }),
    focusCurrent: (index: number) => setState({ index, isMoved: true }),
  }
}

function stepOf(key: string, { columns, count, page }: { columns: number; count: number; page: number }) {
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

function commandOf(
  { key, ctrlKey, metaKey, shiftKey }: KeyboardEvent,
  { item, selection, actions }: Subject,
): (() => void) | undefined {
  if (key.toLowerCase() === 'a' && (ctrlKey || metaKey)) return selection.selectAll
  switch (key) {
    case 'Enter':
      return () => actions.open(item)
    case ' ':
      return () => (shiftKey ? selection.extendTo(item.id) : selection.toggle(item.id))
    case 'F2':
      return () => actions.rename(item)
    case 'Delete': {
      const items = selection.items.length > 0 ? selection.items : [item]
      return () => (shiftKey ? actions.removeForGood(items) : actions.remove(items))
    }
    case 'Escape':
      return selection.clear
    default:
      return undefined
  }
}

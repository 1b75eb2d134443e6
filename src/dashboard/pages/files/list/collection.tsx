import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import type { Selection } from '../../../lib/selection.ts'
import { texts } from '../../../texts.ts'
import type { Item } from '../items.ts'
import { noteFocus, useCurrent, useScrollMemory } from './current.ts'
import { commandOf, isMenuKey, stepOf, TypeAhead } from './keys.ts'
import { usePointer } from './pointer.ts'
import type { ItemActions, OpenMenu } from './rubber-band.ts'

export interface CollectionProps {
  items: Item[]
  selection: Selection<Item>
  actions: ItemActions
  openMenu: OpenMenu
  /** Id of the item whose preview is open, which the current item follows. */
  shownId?: string | undefined
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
  /** Pixels between two items. */
  gap?: number
}

/**
 * Items in rows, of which only those in view are rendered. Arrow keys and letters move, Space selects, Shift
 * extends, Enter opens, F2 renames, Delete moves to the trash, Shift+Delete deletes for good.
 */
export function Collection({
  items,
  selection,
  actions,
  openMenu,
  shownId,
  children,
  columns,
  rowHeight,
  className,
  header,
  gap = 0,
}: CollectionProps & Shape) {
  const scroller = useRef<HTMLDivElement>(null)
  const rowsElement = useRef<HTMLDivElement>(null)
  const [typeAhead] = useState(() => new TypeAhead())
  const { current, setCurrent, focusCurrent } = useCurrent({
    ...{ items, scroller, shownId },
    onFollow: (index) => rows.scrollToIndex(rowOf(index)),
  })
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
  const onScroll = useScrollMemory(scroller, rows.getTotalSize())
  const onKeyDown = (event: KeyboardEvent) => {
    const item = items[current]
    // Fields and buttons inside an item handle their own keys.
    if (!item || !isItem(event.target)) return
    if (isMenuKey(event)) {
      event.preventDefault()
      const { left, bottom } = event.target.getBoundingClientRect()
      return openMenu({ x: left + MENU_INSET, y: Math.min(bottom, window.innerHeight) - 4 }, item)
    }
    const next = typeAhead.takes(event) ? typeAhead.find(event.key, items, current) : nextOf(event)
    const act = next === undefined ? commandOf(event, { item, selection, actions }) : undefined
    if (next === undefined && !act) return
    event.preventDefault()
    if (act) return act()
    if (next !== undefined && next >= 0) goTo(next, event)
  }
  const nextOf = ({ key, altKey }: KeyboardEvent) => {
    const step = altKey ? undefined : stepOf(key, { columns, count: items.length, page: 10 * columns })
    return step === undefined ? undefined : Math.max(0, Math.min(items.length - 1, current + step))
  }
  const goTo = (next: number, event: KeyboardEvent) => {
    const [item, target] = [items[current], items[next]]
    if (stepsWithShift(event) && item && target) {
      if (!selection.has(item.id)) selection.toggle(item.id)
      selection.extendTo(target.id)
    } else if (target && selection.followsFocus) selection.selectOnly(target.id)
    rows.scrollToIndex(rowOf(next))
    focusCurrent(next)
  }
  const { band, handlers } = usePointer({
    ...{
      items,
      selection,
      open: actions.open,
      openMenu,
      columns,
      rowHeight,
      gap,
      scroller,
      rows: rowsElement,
    },
    refocus: () => focusCurrent(current),
  })
  const grid = (
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
      onScroll={onScroll}
      onFocus={({ target }) => {
        noteFocus(true)
        const index = Number(target.closest('[data-index]')?.getAttribute('data-index') ?? Number.NaN)
        if (!Number.isNaN(index)) setCurrent(index)
      }}
      onBlur={({ relatedTarget }) => {
        noteFocus(relatedTarget === null || relatedTarget.closest('[role=grid], [role=dialog]') !== null)
      }}
    >
      {header}
      <div
        ref={rowsElement}
        className="collection-rows"
        role="presentation"
        style={{ height: rows.getTotalSize() }}
      >
        {rows.getVirtualItems().flatMap(({ index: row, start }) =>
          items.slice(row * columns, (row + 1) * columns).map((item, column) => {
            const index = row * columns + column
            const style = { transform: `translateY(${start}px)`, height: rowHeight, '--column': column }
            return (
              // By the item: one that moves retains its elements, such as the field of a rename.
              <div key={item.id} className="collection-item" role="presentation" style={style}>
                {children(item, { index, isCurrent: index === current })}
              </div>
            )
          }),
        )}
      </div>
    </div>
  )
  return (
    <div className="collection-place column gap-0" {...handlers}>
      {grid}
      {band && <div className="rubber-band" style={{ ...band }} />}
    </div>
  )
}

/** Pixels from the left edge of an item at which the keyboard opens its menu. */
const MENU_INSET = 48

/** True for a step with Shift. A capital letter has it as well. */
const stepsWithShift = ({ key, shiftKey }: KeyboardEvent) => shiftKey && [...key].length > 1

const isItem = (target: EventTarget): target is HTMLElement =>
  target instanceof HTMLElement && target.dataset['index'] !== undefined

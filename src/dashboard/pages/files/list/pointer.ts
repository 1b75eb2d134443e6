import { type MouseEvent, type PointerEvent, type RefObject, useRef, useState } from 'react'
import type { Selection } from '../../../lib/selection.ts'
import type { Item } from '../items.ts'
import { type OpenMenu, type Rectangle, RubberBand } from './rubber-band.ts'

interface PointerOptions {
  items: readonly Item[]
  selection: Selection<Item>
  open: (item: Item) => void
  openMenu: OpenMenu
  columns: number
  rowHeight: number
  /** Pixels between two items. */
  gap: number
  scroller: RefObject<HTMLElement | null>
  rows: RefObject<HTMLElement | null>
  /** Returns the focus to the list after a click beside its items. */
  refocus: () => void
}

/** Press of a button or a finger, until the next one. */
interface Press {
  isTouch: boolean
  /** True once a finger has stayed long enough to select. */
  isLong?: boolean
  band?: RubberBand | undefined
}

/**
 * Returns the handlers of the area around a list, and the rubber band to draw. A click selects, a double click
 * opens, a press beside the items draws a band. A tap opens, and a long press selects.
 */
export function usePointer(options: PointerOptions) {
  const [band, setBand] = useState<Rectangle>()
  const press = useRef<Press>({ isTouch: false })

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const isTouch = event.pointerType === 'touch'
    press.current = { isTouch }
    if (isTouch) watchLongPress(event, () => holdItem(itemAt(event, options)))
    else if (event.button === 0 && mayBegin(event)) press.current.band = beginBand(event, options, setBand)
  }
  const holdItem = (item: Item | undefined) => {
    press.current.isLong = true
    if (item && !options.selection.has(item.id)) options.selection.toggle(item.id)
  }

  const onClick = (event: MouseEvent<HTMLElement>) => {
    const { isTouch, isLong, band: drawn } = press.current
    if (isLong || drawn?.isDrawn || isControl(event)) return
    const { selection, open, refocus } = options
    const item = itemAt(event, options)
    if (!item) {
      selection.clear()
      refocus()
      return
    }
    // The keys act on the item, not on the name in it.
    elementAt(event)?.focus({ preventScroll: true })
    const isByKey = event.detail === 0
    if (isByKey || (isTouch && selection.items.length === 0)) open(item)
    else if (event.shiftKey) selection.extendTo(item.id)
    else if (isTouch || event.ctrlKey || event.metaKey) selection.toggle(item.id)
    else selection.selectOnly(item.id)
  }
  const onDoubleClick = (event: MouseEvent<HTMLElement>) => {
    const item = itemAt(event, options)
    const isPlain = !press.current.isTouch && !event.ctrlKey && !event.metaKey && !event.shiftKey
    if (item && isPlain && !isControl(event)) options.open(item)
  }
  const onDragStartCapture = (event: MouseEvent<HTMLElement>) => {
    // A long press would drag, and a band the rows that it selects.
    if (press.current.isTouch || press.current.band) event.preventDefault()
  }
  const onContextMenu = (event: MouseEvent<HTMLElement>) => {
    if (isField(event)) return
    event.preventDefault()
    // A long press selects.
    if (press.current.isTouch) return
    elementAt(event)?.focus({ preventScroll: true })
    options.openMenu({ x: event.clientX, y: event.clientY }, itemAt(event, options))
  }
  return { band, handlers: { onPointerDown, onClick, onDoubleClick, onDragStartCapture, onContextMenu } }
}

/** Returns the handlers of an area without items: a right click or a long press opens the menu of the folder. */
export function useAreaMenu(openMenu: OpenMenu) {
  const isTouch = useRef(false)
  const open = ({ clientX, clientY }: MouseEvent) => openMenu({ x: clientX, y: clientY })
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      isTouch.current = event.pointerType === 'touch'
      if (isTouch.current && !isControl(event)) watchLongPress(event, () => open(event))
    },
    onContextMenu: (event: MouseEvent<HTMLElement>) => {
      if (isControl(event)) return
      event.preventDefault()
      if (!isTouch.current) open(event)
    },
  }
}

type Happening = Pick<MouseEvent<HTMLElement>, 'target' | 'currentTarget'>

const isControl = ({ target }: Happening) =>
  target instanceof Element && target.closest('a, button, input, label, pre, .file-list-header') !== null

const isField = ({ target }: Happening) => target instanceof HTMLInputElement && target.type !== 'checkbox'

const elementAt = ({ target }: Happening) =>
  target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null

function itemAt(event: Happening, { items }: PointerOptions): Item | undefined {
  const index = elementAt(event)?.dataset['index']
  return index === undefined ? undefined : items[Number(index)]
}

/** True for a press beside the items, their names and the scroll bar. */
function mayBegin(event: PointerEvent<HTMLElement>): boolean {
  const { target, nativeEvent } = event
  if (isControl(event) || !(target instanceof HTMLElement)) return false
  return target.closest('[draggable=true]') === null && nativeEvent.offsetX < target.clientWidth
}

function beginBand(
  event: PointerEvent<HTMLElement>,
  options: PointerOptions,
  onDraw: (rectangle: Rectangle | undefined) => void,
): RubberBand | undefined {
  const { items, selection, columns, rowHeight, gap } = options
  const [scroller, rows] = [options.scroller.current, options.rows.current]
  if (!scroller || !rows) return undefined
  const before = selection.items.map(({ id }) => id)
  const others = event.shiftKey || event.ctrlKey || event.metaKey ? before : []
  return new RubberBand(
    {
      ...{ scroller, rows, columns, rowHeight, gap, onDraw },
      place: event.currentTarget,
      count: items.length,
      onSelect: (indexes) => selection.select([...others, ...indexes.flatMap((at) => items[at]?.id ?? [])]),
      onCancel: () => selection.select(before),
    },
    event,
  )
}

/** Milliseconds of a long press. */
const LONG_MS = 500
/** Pixels that a finger may slip meanwhile. */
const SLIP = 10

function watchLongPress({ clientX, clientY }: PointerEvent, onLong: () => void): void {
  const listeners = new AbortController()
  const stop = () => {
    clearTimeout(timer)
    listeners.abort()
  }
  const timer = setTimeout(() => {
    stop()
    onLong()
  }, LONG_MS)
  const { signal } = listeners
  for (const type of ['pointerup', 'pointercancel', 'scroll'])
    window.addEventListener(type, stop, { signal, capture: true })
  window.addEventListener(
    'pointermove',
    (event) => Math.hypot(event.clientX - clientX, event.clientY - clientY) > SLIP && stop(),
    { signal },
  )
}

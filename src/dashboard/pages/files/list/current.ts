import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { placeNow } from '../../../lib/router.tsx'
import type { Item } from '../items.ts'

/** True while the focus is at an item or in a dialog about one. It returns when its element disappears. */
let isAmongItems = false

export const noteFocus = (isAmong: boolean) => {
  isAmongItems = isAmong
}

interface Current {
  index: number
  /** Id of the item, which may move when it is renamed or others arrive. */
  id?: string | undefined
  /** True if the focus moves there. */
  isMoved: boolean
}

interface CurrentOptions {
  items: readonly Item[]
  scroller: RefObject<HTMLElement | null>
  /** Id of the item whose preview is open. */
  shownId: string | undefined
  /** Called when the item with the focus has moved, or another one is shown. */
  onFollow: (index: number) => void
}

/** Tracks the item with the keyboard focus. When it disappears, the one in its place follows. */
export function useCurrent({ items, scroller, shownId, onFollow }: CurrentOptions) {
  const [state, setState] = useState<Current>({ index: 0, isMoved: false })
  const current = Math.min(state.index, Math.max(0, items.length - 1))
  useEffect(() => {
    if (!state.isMoved) return
    const focus = () => {
      const item = scroller.current?.querySelector<HTMLElement>(`[data-index="${current}"]`)
      item?.focus({ preventScroll: true })
      return item
    }
    // A key that follows at once belongs to the item. One out of view is rendered in the next frame.
    if (focus()) return
    const frame = requestAnimationFrame(focus)
    return () => cancelAnimationFrame(frame)
  }, [state, current, scroller])
  // biome-ignore lint/correctness/useExhaustiveDependencies: others may have come in the place of these
  useEffect(() => {
    const hasLostFocus = isAmongItems && document.activeElement === document.body
    const { index, id } = state
    const isElsewhere = id !== undefined && items[index]?.id !== id
    const moved = isElsewhere ? items.findIndex((item) => item.id === id) : -1
    if (moved === -1 && !hasLostFocus) return
    const next = moved === -1 ? index : moved
    if (hasLostFocus && moved !== -1) onFollow(next)
    setState({ index: next, id: items[next]?.id, isMoved: hasLostFocus })
  }, [items])
  const place = (index: number, isMoved: boolean) => setState({ index, id: items[index]?.id, isMoved })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another preview, or its file in a list that loads
  useEffect(() => {
    const shown = items.findIndex(({ id }) => id === shownId)
    if (shown === -1) return
    onFollow(shown)
    place(shown, false)
  }, [items, shownId])
  return {
    current,
    setCurrent: (index: number) => (index !== state.index || state.id === undefined) && place(index, false),
    focusCurrent: (index: number) => place(index, true),
  }
}

/** Milliseconds between two notes of a position while a list scrolls. */
const NOTE_MS = 150

/**
 * Restores the scroll position that an element had at this entry of the history, after Back or a reload.
 *
 * @param height Height of its content. A long list is as high as that only when it is loaded.
 * @returns Listener to its scrolling.
 */
export function useScrollMemory(element: RefObject<HTMLElement | null>, height: number): () => void {
  const [key] = useState(() => `holdfast:scroll:${placeNow().state.key ?? ''}`)
  const wanted = useRef(Number(read(key)))
  const timer = useRef<Timer>(undefined)
  useLayoutEffect(() => {
    const { current } = element
    if (!current || wanted.current === 0 || height < wanted.current) return
    current.scrollTop = wanted.current
    wanted.current = 0
  }, [element, height])
  return () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => element.current && write(key, element.current.scrollTop), NOTE_MS)
  }
}

type Timer = ReturnType<typeof setTimeout> | undefined

// Private windows may refuse to store. Positions are then lost.
function read(key: string): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}

function write(key: string, position: number): void {
  try {
    sessionStorage.setItem(key, String(Math.round(position)))
  } catch {}
}

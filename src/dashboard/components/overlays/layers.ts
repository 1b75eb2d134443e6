import type * as Radix from '@radix-ui/react-dropdown-menu'
import { createContext, useContext, useLayoutEffect, useRef, useState } from 'react'

/** Open layers above the page, the top one last. */
const layers: symbol[] = []

/**
 * Adds a layer above all others, which alone gets the Escape key, and returns the function that removes it. Radix
 * listens only after a later render: until then, Escape would close the layer below.
 */
export function addLayer(onEscape: () => void): () => void {
  const layer = Symbol()
  const listeners = new AbortController()
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || layers.at(-1) !== layer) return
    event.stopImmediatePropagation()
    // An input method ends its own composition.
    if (event.isComposing) return
    event.preventDefault()
    onEscape()
  }
  layers.push(layer)
  window.addEventListener('keydown', onKeyDown, { capture: true, signal: listeners.signal })
  return () => {
    listeners.abort()
    layers.splice(layers.indexOf(layer), 1)
  }
}

/** Handles Escape for a layer while it is open and the top one. */
export function useEscape(onEscape: () => void, isOpen = true): void {
  const latest = useRef(onEscape)
  latest.current = onEscape
  useLayoutEffect(() => (isOpen ? addLayer(() => latest.current()) : undefined), [isOpen])
}

/** Components and functions of an open menu, for its entries: their code loads with the menu's list. */
interface MenuParts {
  radix: typeof Radix
  /** Defers the action of an item until the menu has closed. */
  choose: (act: () => void) => void
}

export const Parts = createContext<MenuParts | undefined>(undefined)

export function useParts(): MenuParts {
  const parts = useContext(Parts)
  if (!parts) throw new Error('No menu')
  return parts
}

/** Returns the function that focuses what had the focus before. Radix returns it only to a trigger of its own. */
export function useFocusOfOpener(): (event: Event) => void {
  const [opener] = useState(() => document.activeElement)
  return (event) => {
    event.preventDefault()
    returnFocus(opener)
  }
}

/** True after the element with the focus has disappeared, until something else has it. */
export const isFocusLost = () => document.activeElement === document.body

/** Focuses what opened a layer that has closed. Radix calls in a later task: a key may have moved the focus meanwhile. */
export function returnFocus(opener: Element | null): void {
  if (opener instanceof HTMLElement && isFocusLost()) opener.focus()
}

/** Focuses an opened layer itself instead of its first button. */
export function focusItself(event: Event): void {
  event.preventDefault()
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
}

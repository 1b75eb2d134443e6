import { useLayoutEffect, useRef } from 'react'

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

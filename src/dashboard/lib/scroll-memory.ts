import { useRouter } from '@tanstack/react-router'
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** Milliseconds between two notes of a position while a list scrolls. */
const NOTE_MS = 150

/**
 * Restores the scroll position that an element had at this entry of the history, after Back or a reload.
 *
 * @param height Height of its content. A long list is as high as that only when it is loaded.
 * @returns Listener to its scrolling.
 */
export function useScrollMemory(element: RefObject<HTMLElement | null>, height: number): () => void {
  const { history } = useRouter()
  const [key] = useState(() => `holdfast:scroll:${history.location.state.__TSR_key ?? ''}`)
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

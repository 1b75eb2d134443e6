import { useState } from 'react'

/** Returns the function that focuses what had the focus before. Radix returns it only to a trigger of its own. */
export function useFocusOfOpener(): (event: Event) => void {
  const [opener] = useState(() => document.activeElement)
  return (event) => {
    event.preventDefault()
    if (opener instanceof HTMLElement) opener.focus()
  }
}

/** Focuses an opened layer itself instead of its first button. */
export function focusItself(event: Event): void {
  event.preventDefault()
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
}

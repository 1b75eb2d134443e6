import type { PointerEvent } from 'react'

/** Minimum pixels of a swipe, and how much further it goes sideways than up or down. */
const MIN_DISTANCE = 56
const MIN_SLOPE = 1.6

interface Swipes {
  onLeft: () => void
  onRight: () => void
}

/** Places where a finger came down, by the element that listens. */
const starts = new WeakMap<Element, { id: number; x: number; y: number }>()

/** Returns the listeners of an element that one finger swipes over. What moves by itself stops the events. */
export const swipeProps = ({ onLeft, onRight }: Swipes) => ({
  onPointerDown: ({ currentTarget, pointerId, pointerType, isPrimary, clientX, clientY }: PointerEvent) => {
    if (pointerType !== 'touch') return
    if (isPrimary) starts.set(currentTarget, { id: pointerId, x: clientX, y: clientY })
    // A second finger makes it a pinch.
    else starts.delete(currentTarget)
  },
  onPointerUp: ({ currentTarget, pointerId, clientX, clientY }: PointerEvent) => {
    const start = starts.get(currentTarget)
    starts.delete(currentTarget)
    if (start?.id !== pointerId) return
    const [x, y] = [clientX - start.x, clientY - start.y]
    if (Math.abs(x) < MIN_DISTANCE || Math.abs(x) < MIN_SLOPE * Math.abs(y)) return
    if (x < 0) onLeft()
    else onRight()
  },
  onPointerCancel: ({ currentTarget }: PointerEvent) => void starts.delete(currentTarget),
})

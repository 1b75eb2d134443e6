import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { keep } from '../lib/store.ts'
import { searchTexts } from '../texts/search.ts'

/** Widths of the navigation in pixels. */
const MIN = 200
const MAX = 480
const USUAL = 240
const STEP = 16

const limit = (width: number) => Math.round(Math.min(MAX, Math.max(MIN, width)))

const widthNow = () =>
  limit(parseInt(document.documentElement.style.getPropertyValue('--side-width'), 10) || USUAL)

/** Edge of the navigation, which changes its width by pointer or arrow keys. A double click resets it. */
export function SideWidth() {
  const [width, setWidth] = useState(widthNow)
  const resize = (wanted: number) => {
    const next = limit(wanted)
    setWidth(next)
    document.documentElement.style.setProperty('--side-width', `${next}px`)
    keep('side', String(next))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: -STEP, ArrowRight: STEP }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    resize(width + step)
  }
  const onPointerMove = ({ currentTarget, pointerId, clientX }: PointerEvent) => {
    if (currentTarget.hasPointerCapture(pointerId)) resize(clientX)
  }
  return (
    <div
      role="separator"
      tabIndex={0}
      className="side-width"
      aria-label={searchTexts.sideWidth}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      onKeyDown={onKeyDown}
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={onPointerMove}
      onDoubleClick={() => resize(USUAL)}
    />
  )
}

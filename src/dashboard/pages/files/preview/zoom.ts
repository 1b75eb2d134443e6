import { useEffect, useLayoutEffect, useState } from 'react'

/** Width and height, or a distance, in CSS pixels. */
export interface Size {
  width: number
  height: number
}

export interface Point {
  x: number
  y: number
}

/** Part of a picture that is in view. */
export interface View extends Point {
  /** Size relative to the whole picture fitted into the stage: 1 shows all of it. */
  zoom: number
}

export const FITTED: View = { zoom: 1, x: 0, y: 0 }

/** Maximum width of a pixel of the picture, in CSS pixels. */
const MAX_PIXEL = 8
const MIN_MAX_ZOOM = 4

/** A picture and the room for it. */
export interface Frame {
  /** Size of the picture at zoom 1. */
  fitted: Size
  stage: Size
  /** Maximum zoom. */
  most: number
}

/**
 * Returns the frame of a picture on a stage.
 *
 * @param mayGrow True for a drawing without pixels, which fills the stage.
 */
export function frameOf(picture: Size, stage: Size, mayGrow = false): Frame {
  const scale = Math.min(stage.width / picture.width, stage.height / picture.height)
  const fit = mayGrow ? scale : Math.min(1, scale)
  const fitted = { width: picture.width * fit, height: picture.height * fit }
  return { fitted, stage, most: Math.max(MIN_MAX_ZOOM, MAX_PIXEL / fit) }
}

/** Moves a view by some pixels, as far as there is more of the picture. */
export function moveBy(view: View, { x, y }: Point, { fitted, stage }: Frame): View {
  const spare = (length: number, room: number) => Math.max(0, (length * view.zoom - room) / 2)
  const within = (value: number, limit: number) => Math.max(-limit, Math.min(limit, value))
  return {
    zoom: view.zoom,
    x: within(view.x + x, spare(fitted.width, stage.width)),
    y: within(view.y + y, spare(fitted.height, stage.height)),
  }
}

/** Changes the zoom by a factor. What is at a point, measured from the middle of the stage, stays there. */
export function zoomBy(view: View, factor: number, at: Point, frame: Frame): View {
  const zoom = Math.max(1, Math.min(frame.most, view.zoom * factor))
  const ratio = zoom / view.zoom
  const shift = { x: (at.x - view.x) * (1 - ratio), y: (at.y - view.y) * (1 - ratio) }
  return moveBy({ ...view, zoom }, shift, frame)
}

const MIDDLE: Point = { x: 0, y: 0 }
/** Zoom of a double click on a picture that is shown in its own size already. */
const TOGGLED = 2.5
/** Pixels that an arrow key moves a zoomed picture. */
const ARROW_STEP = 80
const KEY_STEP = 1.5
/** Zoom by one pixel of the wheel, as an exponent. */
const WHEEL = 0.0018
const LINE = 24
const PINCH = 4

const ARROWS: Record<string, Point> = {
  ArrowLeft: { x: ARROW_STEP, y: 0 },
  ArrowRight: { x: -ARROW_STEP, y: 0 },
  ArrowUp: { x: 0, y: ARROW_STEP },
  ArrowDown: { x: 0, y: -ARROW_STEP },
}

type Stage = React.RefObject<HTMLElement | null>

/**
 * Tracks the part of a picture that is in view.
 *
 * @param natural Size of the picture in its own pixels; undefined until it is loaded.
 */
export function useZoom(stage: Stage, natural: Size | undefined, mayGrow: boolean) {
  const room = useSize(stage)
  const [wanted, setView] = useState<View>(FITTED)
  const frame = natural && room && frameOf(natural, room, mayGrow)
  const view = frame ? moveBy(wanted, MIDDLE, frame) : wanted
  const change = (next: (now: View, frame: Frame) => View) => frame && setView((now) => next(now, frame))
  /** Changes the zoom by a factor; 0 shows the whole picture. */
  const zoomTo = (factor: number, at = MIDDLE) =>
    change((now, within) => (factor === 0 ? FITTED : zoomBy(now, factor, at, within)))
  const move = (by: Point) => change((now, within) => moveBy(now, by, within))
  const toggle = (at: Point) => {
    if (!frame || !natural) return
    const own = natural.width / frame.fitted.width
    zoomTo(view.zoom > 1.01 ? 0 : own > 1.1 ? own : TOGGLED, at)
  }
  useKeys(stage, { zoomTo, move, isZoomed: view.zoom > 1 })
  useWheel(stage, zoomTo)
  const percent = natural && frame ? Math.round((frame.fitted.width * view.zoom * 100) / natural.width) : 100
  return { view, frame, percent, zoomTo, move, toggle }
}

/** Returns the size of an element; undefined until it is rendered. */
function useSize(element: Stage): Size | undefined {
  const [size, setSize] = useState<Size>()
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const observer = new ResizeObserver(() =>
      setSize({ width: current.clientWidth, height: current.clientHeight }),
    )
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return size
}

interface Target {
  zoomTo: (factor: number, at?: Point) => void
  move: (by: Point) => void
  isZoomed: boolean
}

/** Listens to the keys of the whole preview, before it does. */
function useKeys(stage: Stage, { zoomTo, move, isZoomed }: Target): void {
  useEffect(() => {
    const viewer = stage.current?.closest<HTMLElement>('[role=dialog]')
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      // Fields of the details have their own keys.
      if (event.target instanceof Element && event.target.closest('aside')) return
      const arrow = isZoomed ? ARROWS[event.key] : undefined
      if (event.key === '+' || event.key === '=') zoomTo(KEY_STEP)
      else if (event.key === '-') zoomTo(1 / KEY_STEP)
      else if (event.key === '0') zoomTo(0)
      else if (arrow) move(arrow)
      else return
      event.preventDefault()
      event.stopPropagation()
    }
    viewer?.addEventListener('keydown', onKeyDown, { capture: true })
    return () => viewer?.removeEventListener('keydown', onKeyDown, { capture: true })
  })
}

function useWheel(stage: Stage, zoomTo: Target['zoomTo']): void {
  useEffect(() => {
    const { current } = stage
    if (!current) return
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      const { left, top, width, height } = current.getBoundingClientRect()
      const at = { x: event.clientX - left - width / 2, y: event.clientY - top - height / 2 }
      // Firefox counts lines of a mouse. A pinch on a touchpad is a wheel with Ctrl in small steps.
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * LINE : event.deltaY
      zoomTo(Math.exp(-pixels * WHEEL * (event.ctrlKey ? PINCH : 1)), at)
    }
    // A passive listener could not keep the page from zooming as well.
    current.addEventListener('wheel', onWheel, { passive: false })
    return () => current.removeEventListener('wheel', onWheel)
  })
}

import { Minus, Plus } from 'lucide-react'
import { type CSSProperties, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { IconButton } from '../../../components/fields/button.tsx'
import { previewTexts } from '../../../texts/preview.ts'
import type { FileItem } from '../items.ts'
import { earlyPictureOf } from '../pictures.ts'
import { sourceOf } from './kind.ts'
import { type Point, type Size, useZoom } from './zoom.ts'

/** Factor of one step of the buttons and keys. */
const STEP = 1.5
/** Types with transparency. */
const TRANSPARENT = /png|webp|gif|svg|avif|icon/

interface PictureProps {
  file: FileItem
  /** Address of the content; the hosted one by default. */
  src?: string
  /** Shown for what the browser cannot decode. */
  fallback: ReactNode
}

/** Picture that is zoomed and moved by wheel, fingers, pointer and keys. */
export function Picture({ file, src, fallback }: PictureProps) {
  const stage = useRef<HTMLDivElement>(null)
  const [natural, setNatural] = useState<Size>()
  const [failures, setFailures] = useState(0)
  const isDrawing = file.mimeType.includes('svg')
  const { view, frame, percent, zoomTo, move, toggle } = useZoom(stage, natural, isDrawing)
  const drag = useDrag({ move, zoomTo, isZoomed: view.zoom > 1 })
  const early = isDrawing || src !== undefined ? undefined : earlyPictureOf(file)
  // The server may decode what this browser cannot, such as HEIC.
  const source = [src ?? sourceOf(file), early][failures]
  if (source === undefined) return fallback
  const style: CSSProperties = frame
    ? {
        width: frame.fitted.width * view.zoom,
        height: frame.fitted.height * view.zoom,
        translate: `${view.x}px ${view.y}px`,
      }
    : {}
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: buttons and keys do the same */}
      <div
        ref={stage}
        className={`picture stack in-middle grow full ${view.zoom > 1 ? 'is-zoomed' : ''}`}
        onDoubleClick={(event) => toggle(pointOf(event))}
        {...drag}
      >
        {!natural && early && <img className="picture-early" src={early} alt="" draggable={false} />}
        <img
          className={TRANSPARENT.test(file.mimeType) ? 'has-transparency' : ''}
          hidden={!frame}
          src={source}
          alt={file.name}
          draggable={false}
          style={style}
          onLoad={({ currentTarget }) => void decoded(currentTarget).then(setNatural)}
          onError={() => setFailures(failures + 1)}
        />
      </div>
      {frame && (
        <div className="zoom row gap-0">
          <IconButton icon={Minus} label={previewTexts.zoomOut} onClick={() => zoomTo(1 / STEP)} />
          <button
            type="button"
            className="zoom-level small digits"
            aria-label={previewTexts.fit(percent)}
            onClick={() => zoomTo(0)}
          >
            {previewTexts.zoomed(percent)}
          </button>
          <IconButton icon={Plus} label={previewTexts.zoomIn} onClick={() => zoomTo(STEP)} />
        </div>
      )}
    </>
  )
}

/**
 * Decodes a loaded picture, because a large one would hold up the frame that shows it.
 *
 * @returns Its size. A drawing may have none of its own.
 */
async function decoded(image: HTMLImageElement): Promise<Size> {
  await image.decode().catch(() => undefined)
  return { width: image.naturalWidth || 300, height: image.naturalHeight || 150 }
}

interface Positioned {
  currentTarget: Element
  clientX: number
  clientY: number
}

/** Returns the place of an event, measured from the middle of the stage. */
export function pointOf({ currentTarget, clientX, clientY }: Positioned): Point {
  const { left, top, width, height } = currentTarget.getBoundingClientRect()
  return { x: clientX - left - width / 2, y: clientY - top - height / 2 }
}

interface DragTarget {
  move: (by: Point) => void
  zoomTo: (factor: number, at?: Point) => void
  isZoomed: boolean
}

const middleOf = (points: Point[]): Point => ({
  x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
  y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
})

const distanceOf = ([a, b]: Point[]): number => (a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0)

/** Returns the listeners by which pointers move a picture, and two fingers zoom it. */
function useDrag({ move, zoomTo, isZoomed }: DragTarget) {
  const pointers = useRef(new Map<number, Point>())
  const end = ({ pointerId }: PointerEvent) => void pointers.current.delete(pointerId)
  useEffect(() => () => pointers.current.clear(), [])
  return {
    onPointerDown: (event: PointerEvent) => {
      // The release of another button may go to the browser's menu.
      if (event.button !== 0) return
      pointers.current.set(event.pointerId, pointOf(event))
      event.currentTarget.setPointerCapture(event.pointerId)
      // A finger on a picture that is whole may swipe to the next one.
      if (isZoomed) event.stopPropagation()
    },
    onPointerMove: (event: PointerEvent) => {
      const known = pointers.current
      if (!known.has(event.pointerId)) return
      const before = [...known.values()]
      known.set(event.pointerId, pointOf(event))
      const after = [...known.values()]
      const [from, to] = [middleOf(before), middleOf(after)]
      if (after.length > 1) zoomTo(distanceOf(after) / (distanceOf(before) || 1), to)
      move({ x: to.x - from.x, y: to.y - from.y })
    },
    onPointerUp: end,
    onPointerCancel: end,
  }
}

import { addLayer } from '../../../components/overlays/layers.ts'
import type { Item } from '../items.ts'

interface RubberBandOptions {
  /** Area in which a band can begin and is drawn. */
  place: HTMLElement
  scroller: HTMLElement
  /** Element of all rows, which moves when the list scrolls. */
  rows: HTMLElement
  count: number
  columns: number
  rowHeight: number
  gap: number
  onSelect: (indexes: readonly number[]) => void
  /** Called with the rectangle to draw, or undefined at the end. */
  onDraw: (rectangle: Rectangle | undefined) => void
  /** Called when Escape cancels it. */
  onCancel: () => void
}

/** Rectangle in the window. */
export type Rectangle = {
  left: number
  top: number
  width: number
  height: number
}

/** Pixels that the pointer moves before a press becomes a band. */
const THRESHOLD = 5
/** Pixels from the upper and lower edge in which the list scrolls. */
const EDGE = 32
/** Share of the distance into the edge that the list scrolls in a frame. */
const SCROLL_RATE = 0.3

/** Rectangle that a pressed mouse draws over the list, which selects what it touches. */
export class RubberBand {
  readonly #options: RubberBandOptions
  readonly #listeners = new AbortController()
  /** Corner where it began, which scrolls with the rows. */
  readonly #start: Point
  #pointer: Point
  #isDrawn = false
  /** Items that it touched last, in short. */
  #touched = ''

  constructor(options: RubberBandOptions, { clientX, clientY }: { clientX: number; clientY: number }) {
    this.#options = options
    this.#pointer = { x: clientX, y: clientY }
    this.#start = this.#inRows(this.#pointer)
    const { signal } = this.#listeners
    window.addEventListener('pointermove', (event) => this.#move(event), { signal })
    for (const type of ['pointerup', 'pointercancel', 'blur'])
      window.addEventListener(type, () => this.#end(), { signal })
  }

  /** True once it is drawn. The click at its end then has no meaning of its own. */
  get isDrawn(): boolean {
    return this.#isDrawn
  }

  #inRows({ x, y }: Point): Point {
    const { left, top } = this.#options.rows.getBoundingClientRect()
    return { x: x - left, y: y - top }
  }

  #move({ clientX: x, clientY: y }: PointerEvent): void {
    const start = this.#pointer
    if (!this.#isDrawn && Math.hypot(x - start.x, y - start.y) < THRESHOLD) return
    this.#pointer = { x, y }
    if (!this.#isDrawn) {
      this.#isDrawn = true
      this.#listeners.signal.addEventListener(
        'abort',
        addLayer(() => this.#cancel()),
      )
      requestAnimationFrame(() => this.#scroll())
    }
    this.#update()
  }

  #update(): void {
    const { rows, count, columns, rowHeight, gap, onSelect, onDraw } = this.#options
    const now = this.#inRows(this.#pointer)
    const touched = itemsInBand([this.#start, now], {
      count,
      columns,
      rowHeight,
      gap,
      width: rows.clientWidth,
    })
    const summary = `${touched[0]} ${touched.at(-1)} ${touched.length}`
    if (summary !== this.#touched) onSelect(touched)
    this.#touched = summary
    onDraw(this.#rectangle())
  }

  /** Returns the band's part inside its place. */
  #rectangle(): Rectangle {
    const offset = this.#options.rows.getBoundingClientRect()
    const room = this.#options.place.getBoundingClientRect()
    const x = spanOf(this.#start.x + offset.left, this.#pointer.x, [room.left, room.right])
    const y = spanOf(this.#start.y + offset.top, this.#pointer.y, [room.top, room.bottom])
    return { left: x.from, top: y.from, width: x.length, height: y.length }
  }

  #scroll(): void {
    if (this.#listeners.signal.aborted) return
    const { scroller } = this.#options
    const { top, bottom } = scroller.getBoundingClientRect()
    const { y } = this.#pointer
    const into = Math.max(0, y - (bottom - EDGE)) - Math.max(0, top + EDGE - y)
    const before = scroller.scrollTop
    scroller.scrollBy({ top: into * SCROLL_RATE, behavior: 'instant' })
    if (scroller.scrollTop !== before) this.#update()
    requestAnimationFrame(() => this.#scroll())
  }

  #cancel(): void {
    this.#options.onCancel()
    this.#end()
  }

  #end(): void {
    this.#listeners.abort()
    this.#options.onDraw(undefined)
  }
}

function spanOf(a: number, b: number, [least, most]: readonly [number, number]) {
  const within = (value: number) => Math.max(least, Math.min(most, value))
  const [from, to] = [within(Math.min(a, b)), within(Math.max(a, b))]
  return { from, length: to - from }
}

/** Point or corner in pixels, from the top left corner of the first row. */
export interface Point {
  x: number
  y: number
}

interface Grid {
  /** Number of items. */
  count: number
  /** Number of items side by side. */
  columns: number
  rowHeight: number
  /** Width of a row in pixels. */
  width: number
  /** Pixels between two items. */
  gap: number
}

/** Returns the indexes of the items that a rectangle touches. Items out of view count as well. */
export function itemsInBand([from, to]: readonly [Point, Point], grid: Grid): number[] {
  const { count, columns, rowHeight, width, gap } = grid
  const rows = touched([from.y, to.y], rowHeight, gap)
  const places = touched([from.x, to.x], width / columns, gap)
  const indexes: number[] = []
  const lastRow = Math.min(rows.last, Math.ceil(count / columns) - 1)
  for (let row = Math.max(0, rows.first); row <= lastRow; row += 1) {
    for (let place = Math.max(0, places.first); place <= Math.min(places.last, columns - 1); place += 1) {
      const index = row * columns + place
      if (index < count) indexes.push(index)
    }
  }
  return indexes
}

/** Returns the first and the last of equal steps that a line touches, where each step ends with a gap. */
function touched(ends: readonly number[], step: number, gap: number): { first: number; last: number } {
  const [start, end] = [Math.min(...ends), Math.max(...ends)]
  const first = Math.floor(start / step)
  return { first: start - first * step > step - gap ? first + 1 : first, last: Math.floor(end / step) }
}

/** Actions of the keyboard and of an item's parts. */
export interface ItemActions {
  open: (item: Item) => void
  rename: (item: Item) => void
  /** Moves items to the trash. */
  remove: (items: Item[]) => void
  removeForGood: (items: Item[]) => void
  /** Makes items favorites, and no favorites again. */
  star: (items: Item[]) => void
}

/** Opens a menu about an item, with the selection if it is part of it, or about the folder. */
export type OpenMenu = (at: Point, item?: Item) => void

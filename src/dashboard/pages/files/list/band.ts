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

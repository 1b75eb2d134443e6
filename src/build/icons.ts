import { encodePng } from '../commands/demo/png.ts'

type Point = readonly [x: number, y: number]

/** Width and height of the logo's coordinates. */
const SIDE = 32
const HALF_STROKE = 1.2
const GROUND = [13, 92, 84]
const STROKE = [244, 247, 243]
/** Size of the logo, which fits into the circle that systems may cut out of a maskable icon. */
const SCALE = 0.9
/** Straight pieces of a drawn curve. */
const PIECES = 24
const CHANNELS = 3

/** Draws the paths of the logo on its ground as a square PNG picture. Each path is an `M` with a `v` or `c`. */
export function drawIcon(svg: string, size: number): Uint8Array<ArrayBuffer> {
  const lines = [...svg.matchAll(/ d="([^"]+)"/g)].map(([, path = '']) => pointsOf(path))
  const unit = SIDE / size / SCALE
  const stride = 1 + size * CHANNELS
  const bytes = Buffer.alloc(size * stride)
  const place = (pixel: number) => SIDE / 2 + (pixel + 0.5 - size / 2) * unit
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) {
      const nearest = Math.min(...lines.map((line) => distanceTo(line, [place(x), place(y)])))
      // A pixel at the edge is covered in part.
      const ink = Math.max(0, Math.min(1, (HALF_STROKE - nearest) / unit + 0.5))
      const colour = GROUND.map((channel, at) => channel + ((STROKE[at] ?? 0) - channel) * ink)
      bytes.set(colour, y * stride + 1 + x * CHANNELS)
    }
  return encodePng({ width: size, height: size, channels: CHANNELS }, bytes)
}

function pointsOf(path: string): Point[] {
  const [x = 0, y = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0] = (
    path.match(/-?\d+(\.\d+)?/g) ?? []
  ).map(Number)
  if (path.includes('v'))
    return [
      [x, y],
      [x, y + x1],
    ]
  const at = (t: number, a: number, b: number, c: number) =>
    3 * (1 - t) ** 2 * t * a + 3 * (1 - t) * t ** 2 * b + t ** 3 * c
  return Array.from({ length: PIECES + 1 }, (_, n): Point => {
    const t = n / PIECES
    return [x + at(t, x1, x2, x3), y + at(t, y1, y2, y3)]
  })
}

function distanceTo(line: readonly Point[], [x, y]: Point): number {
  let least = Number.POSITIVE_INFINITY
  for (const [at, [x2, y2]] of line.entries()) {
    const [x1, y1] = line[at - 1] ?? [x2, y2]
    const [dx, dy] = [x2 - x1, y2 - y1]
    const share = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)))
    least = Math.min(least, Math.hypot(x - x1 - share * dx, y - y1 - share * dy))
  }
  return least
}

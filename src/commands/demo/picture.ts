import { encodePng } from './png.ts'

/** Colours of a landscape, as CSS writes them: its sky from top to horizon, and its hills from far to near. */
export interface Palette {
  sky: readonly [string, string]
  hills: readonly [string, string]
}

const HILLS = 5
const CHANNELS = 3
/** Height of the horizon, as a share of the picture. */
const HORIZON = 0.55

/** Paints a landscape of hills as a PNG picture. The same seed gives the same picture. */
export function paintHills(
  { width, height }: { width: number; height: number },
  { seed, palette }: { seed: number; palette: Palette },
): Uint8Array<ArrayBuffer> {
  // Each line begins with the number of its filter, 0 for none.
  const stride = 1 + width * CHANNELS
  const lines = Buffer.alloc(height * stride)
  const skyAt = Array.from({ length: height }, (_, y) => mix(palette.sky, Math.min(1, y / height / HORIZON)))
  const hillColours = Array.from({ length: HILLS }, (_, hill) => mix(palette.hills, hill / (HILLS - 1)))
  for (let x = 0; x < width; x += 1) {
    const tops = topsAt(x / width, seed).map((top) => top * height)
    for (let y = 0; y < height; y += 1) {
      const hill = tops.findLastIndex((top) => y >= top)
      lines.set(hillColours[hill] ?? skyAt[y] ?? [], y * stride + 1 + x * CHANNELS)
    }
  }
  return encodePng({ width, height, channels: CHANNELS }, lines)
}

/** Returns the tops of the hills at a place from 0 to 1 across the picture, the farthest first. */
const topsAt = (across: number, seed: number): number[] =>
  Array.from({ length: HILLS }, (_, hill) => {
    const phase = seed * 7.3 + hill * 2.1
    const wave = Math.sin(across * (5 + hill) + phase) + 0.5 * Math.sin(across * (11 + 2 * hill) + 2 * phase)
    return 0.42 + 0.12 * hill + wave * 0.05
  })

/** Returns the red, green and blue of a colour between two others. */
function mix([from, to]: readonly [string, string], share: number): number[] {
  const end = Bun.color(to, '[rgb]') ?? []
  return (Bun.color(from, '[rgb]') ?? []).map((part, at) => part + ((end[at] ?? part) - part) * share)
}

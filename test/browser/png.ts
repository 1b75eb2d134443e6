import { encodePng } from '../../src/commands/demo/png.ts'

/** Creates a grey picture. */
export function makePng(width: number, height: number): Uint8Array<ArrayBuffer> {
  const lines = Buffer.alloc(height * (width + 1), 0x80)
  for (let line = 0; line < height; line += 1) lines[line * (width + 1)] = 0
  return encodePng({ width, height, channels: 1 }, lines)
}

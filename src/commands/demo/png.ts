import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Colour types by the number of channels. */
const COLOUR_TYPES = { 1: 0, 3: 2 } as const

interface Picture {
  width: number
  height: number
  /** Channels of eight bits: grey, or red, green and blue. */
  channels: keyof typeof COLOUR_TYPES
}

/**
 * Encodes a picture as PNG (ISO/IEC 15948).
 *
 * @param lines The lines one after another, each behind the number of its filter: 0 for none.
 * @param level Level of compression, if not zlib's default.
 */
export function encodePng(
  { width, height, channels }: Picture,
  lines: Uint8Array,
  level?: number,
): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, COLOUR_TYPES[channels]], 8)
  const data = deflateSync(lines, level === undefined ? {} : { level })
  const chunks = [chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]
  return new Uint8Array(Buffer.concat([SIGNATURE, ...chunks]))
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

/** Values of the tags of a made picture, as ASCII, as a SHORT or as a fraction. */
type Value = string | { short: number } | [numerator: number, denominator: number]

const EXIF_IFD = 0x8769
const [ASCII, SHORT, LONG, RATIONAL] = [2, 3, 4, 5]

/** Returns a directory of tags (TIFF 6.0 §2) that begins at an offset, with its values behind it. */
function directory(at: number, tags: [tag: number, value: Value | number][]): Buffer {
  const head = Buffer.alloc(2 + tags.length * 12 + 4)
  head.writeUInt16LE(tags.length)
  const values: Buffer[] = []
  let next = at + head.length
  for (const [index, [tag, value]] of tags.entries()) {
    const entry = 2 + index * 12
    const [type, bytes] = encode(value)
    head.writeUInt16LE(tag, entry)
    head.writeUInt16LE(type, entry + 2)
    head.writeUInt32LE(type === ASCII ? bytes.length : 1, entry + 4)
    if (bytes.length <= 4) bytes.copy(head, entry + 8)
    else {
      head.writeUInt32LE(next, entry + 8)
      values.push(bytes)
      next += bytes.length
    }
  }
  return Buffer.concat([head, ...values])
}

function encode(value: Value | number): [type: number, bytes: Buffer] {
  if (typeof value === 'string') return [ASCII, Buffer.from(`${value}\0`, 'latin1')]
  if (typeof value === 'object' && 'short' in value)
    return [SHORT, Buffer.from([value.short & 0xff, value.short >> 8])]
  const numbers = typeof value === 'number' ? [value] : value
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [index, number] of numbers.entries()) bytes.writeUInt32LE(number, index * 4)
  return [typeof value === 'number' ? LONG : RATIONAL, bytes]
}

/** Creates the beginning of a JPEG with the facts that a camera writes (Exif 2.32 §4.5). */
export function makePhoto(image: [number, string][], exif: [number, Value][]): Uint8Array<ArrayBuffer> {
  // Its length does not depend on the offset.
  const length = directory(8, [...image, [EXIF_IFD, 0]]).length
  const tiff = Buffer.concat([
    Buffer.from('II*\0\x08\0\0\0', 'latin1'),
    directory(8, [...image, [EXIF_IFD, 8 + length]]),
    directory(8 + length, exif),
  ])
  const segment = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xe1, (segment.length + 2) >> 8, (segment.length + 2) & 0xff])
  return new Uint8Array(Buffer.concat([head, segment, Buffer.from([0xff, 0xd9])]))
}

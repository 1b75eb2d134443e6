import { dlopen, ptr, toArrayBuffer } from 'bun:ffi'
import { encodePng } from './demo/png.ts'

/** Maximum pixels: those of the largest photos of phones. */
const MAX_PIXELS = 50_000_000
const CHANNELS = 3
/** Level of compression, for a picture that is read at once. */
const FAST = 1

/** `heif_colorspace_RGB`, `heif_chroma_interleaved_RGB` and `heif_channel_interleaved` (libheif/heif.h). */
const RGB = 1
const INTERLEAVED_RGB = 10
const INTERLEAVED = 10

/**
 * Functions of libheif. Those that return a `heif_error` by value have its code in the lower half of the register, on
 * x86-64 and AArch64 alike.
 */
const FUNCTIONS = {
  heif_context_alloc: { args: [], returns: 'u64' },
  heif_context_read_from_memory_without_copy: { args: ['u64', 'ptr', 'u64', 'ptr'], returns: 'i32' },
  heif_context_get_primary_image_handle: { args: ['u64', 'ptr'], returns: 'i32' },
  heif_image_handle_get_width: { args: ['u64'], returns: 'i32' },
  heif_image_handle_get_height: { args: ['u64'], returns: 'i32' },
  heif_decode_image: { args: ['u64', 'ptr', 'i32', 'i32', 'ptr'], returns: 'i32' },
  heif_image_get_width: { args: ['u64', 'i32'], returns: 'i32' },
  heif_image_get_height: { args: ['u64', 'i32'], returns: 'i32' },
  heif_image_get_plane_readonly: { args: ['u64', 'i32', 'ptr'], returns: 'ptr' },
} as const

/**
 * Decodes the main picture of a HEIC or AVIF file by the system's libheif. The process frees nothing, because it makes one
 * thumbnail.
 *
 * @returns A PNG, reduced by the largest whole number that leaves it as large as `edge`.
 * @throws {Error} without libheif, and for a file that it cannot read.
 */
export function readHeif(bytes: Uint8Array<ArrayBuffer>, edge: number): Uint8Array<ArrayBuffer> {
  const { symbols: heif } = dlopen('libheif.so.1', FUNCTIONS)
  const out = new BigUint64Array(1)
  /** Returns the pointer that a function has written. */
  const made = (code: number): bigint => {
    const [pointer = 0n] = out
    if (code !== 0 || pointer === 0n) throw new Error(`libheif cannot read it: ${code}`)
    return pointer
  }
  const context = heif.heif_context_alloc()
  heif.heif_context_read_from_memory_without_copy(context, ptr(bytes), BigInt(bytes.length), null)
  const handle = made(heif.heif_context_get_primary_image_handle(context, ptr(out)))
  const pixels = heif.heif_image_handle_get_width(handle) * heif.heif_image_handle_get_height(handle)
  if (pixels > MAX_PIXELS) throw new Error('The picture is too large')
  const image = made(heif.heif_decode_image(handle, ptr(out), RGB, INTERLEAVED_RGB, null))
  const [width, height] = [
    heif.heif_image_get_width(image, INTERLEAVED),
    heif.heif_image_get_height(image, INTERLEAVED),
  ]
  const stride = new Int32Array(1)
  const plane = heif.heif_image_get_plane_readonly(image, INTERLEAVED, ptr(stride))
  if (!plane) throw new Error('libheif has no pixels')
  const [lineBytes = 0] = stride
  const data = new Uint8Array(toArrayBuffer(plane, 0, lineBytes * height))
  const factor = Math.max(1, Math.floor(Math.max(width, height) / edge))
  return reduced({ width, height, stride: lineBytes, data }, factor)
}

interface Pixels {
  width: number
  height: number
  /** Bytes from one line to the next. */
  stride: number
  data: Uint8Array
}

/** Returns a picture reduced by a whole factor, as PNG. Each pixel is the mean of a square. */
function reduced({ data, stride, ...large }: Pixels, factor: number): Uint8Array<ArrayBuffer> {
  const [width, height] = [Math.floor(large.width / factor) || 1, Math.floor(large.height / factor) || 1]
  const lines = new Uint8Array(height * (1 + width * CHANNELS))
  let at = 0
  for (let y = 0; y < height; y += 1) {
    at += 1
    for (let x = 0; x < width; x += 1)
      for (let channel = 0; channel < CHANNELS; channel += 1) {
        let sum = 0
        for (let line = y * factor; line < (y + 1) * factor; line += 1) {
          const first = line * stride + x * factor * CHANNELS + channel
          for (let step = 0; step < factor * CHANNELS; step += CHANNELS) sum += data[first + step] ?? 0
        }
        lines[at++] = sum / (factor * factor)
      }
  }
  return encodePng({ width, height, channels: CHANNELS }, lines, FAST)
}

import { writeFileSync } from 'node:fs'

/** Maximum pixels of a picture. A JPEG is decoded at a fraction of its size, */
const MAX_PIXELS = 40_000_000
const MAX_JPEG_PIXELS = 100_000_000
/** but all coefficients of a progressive one are held, two bytes each. */
const MAX_COEFFICIENT_BYTES = 256 * 1024 ** 2

/** Width below which a thumbnail is only shown enlarged. */
const SMALL = 100

/**
 * Reads a picture from standard input and writes its thumbnails to standard output, as WebP. The server runs it as a
 * process of its own, because decoders of strangers' bytes may crash.
 *
 * @returns Exit code: 1 for a picture that cannot be read.
 */
export async function runThumbnail(widths: readonly number[]): Promise<number> {
  try {
    // Short of memory, the system ends this process and not the server (proc(5), oom_score_adj).
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // It is no Linux, or not allowed.
  }
  try {
    const sent = await Bun.stdin.bytes()
    const bytes = isHeif(sent) ? await readHeifFor(sent, Math.max(...widths)) : sent
    const { format } = await new Bun.Image(bytes).metadata()
    if (format === 'jpeg' && coefficientBytes(bytes) > MAX_COEFFICIENT_BYTES) return 1
    const maxPixels = format === 'jpeg' ? MAX_JPEG_PIXELS : MAX_PIXELS
    const made = []
    for (const width of widths) {
      const image = new Bun.Image(bytes, { maxPixels }).resize(width, width, {
        fit: 'inside',
        withoutEnlargement: true,
      })
      made.push(await image.webp({ quality: width < SMALL ? 30 : 78 }).bytes())
    }
    await Bun.write(Bun.stdout, Buffer.concat(made))
    return 0
  } catch {
    return 1
  }
}

/** Returns true for a file that begins as HEIC and AVIF do (ISO/IEC 14496-12 §4.3). macOS has a decoder of its own. */
const isHeif = (bytes: Uint8Array): boolean =>
  process.platform === 'linux' && Buffer.from(bytes.subarray(4, 8)).toString('latin1') === 'ftyp'

/** Decodes a HEIC or AVIF picture. The code is loaded for those only. */
const readHeifFor = async (bytes: Uint8Array<ArrayBuffer>, edge: number) =>
  (await import('./heif.ts')).readHeif(bytes, edge)

/**
 * Returns the bytes that the coefficients of a progressive JPEG take; 0 for another one.
 * (ITU-T T.81, B.1.1.3 and B.2.2: markers and the frame header.)
 */
export function coefficientBytes(jpeg: Uint8Array): number {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength)
  for (let at = 2; at + 10 < jpeg.length; at += 2 + view.getUint16(at + 2)) {
    // A marker may follow any number of fill bytes.
    while (view.getUint8(at + 1) === 0xff && at + 10 < jpeg.length - 1) at += 1
    const marker = view.getUint8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker % 4 !== 0
    if (isFrame || marker === 0xc0) return marker % 4 === 2 ? sizeOfFrame(view, at + 4) : 0
    if (marker === 0xda) return 0
  }
  return 0
}

/** Adds up the samples of all components, of which some have fewer than the picture has pixels. */
function sizeOfFrame(view: DataView, at: number): number {
  const pixels = view.getUint16(at + 1) * view.getUint16(at + 3)
  const count = Math.min(view.getUint8(at + 5), 4, Math.floor((view.byteLength - at - 6) / 3))
  const factors = Array.from({ length: count }, (_, index) => view.getUint8(at + 7 + 3 * index))
  const [across, down] = [factors.map((both) => both >> 4), factors.map((both) => both & 15)]
  const samples = factors.reduce((sum, _, index) => sum + (across[index] ?? 0) * (down[index] ?? 0), 0)
  return (2 * pixels * samples) / (Math.max(...across) * Math.max(...down))
}

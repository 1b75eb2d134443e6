import { writeFileSync } from 'node:fs'

/** Maximum pixels of a picture. A JPEG is decoded at a fraction of its size. */
const MAX_PIXELS = 40_000_000
const MAX_JPEG_PIXELS = 100_000_000

/**
 * Reads a picture from standard input and writes its thumbnail to standard output, as WebP. The server runs it as a
 * process of its own, because decoders of strangers' bytes may crash.
 *
 * @returns Exit code: 1 for a picture that cannot be read.
 */
export async function runThumbnail(width: number): Promise<number> {
  try {
    // Short of memory, the system ends this process and not the server (proc(5), oom_score_adj).
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // It is no Linux, or not allowed.
  }
  try {
    const bytes = await Bun.stdin.bytes()
    const { format } = await new Bun.Image(bytes).metadata()
    const maxPixels = format === 'jpeg' ? MAX_JPEG_PIXELS : MAX_PIXELS
    const image = new Bun.Image(bytes, { maxPixels }).resize(width, width, {
      fit: 'inside',
      withoutEnlargement: true,
    })
    await Bun.write(Bun.stdout, await image.webp({ quality: 78 }).bytes())
    return 0
  } catch {
    return 1
  }
}

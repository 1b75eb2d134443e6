import { extensionOf } from '../../../lib/format.ts'
import type { FileItem } from '../items.ts'

/** Ways to show a file. What is `unknown` is text or not by its content. */
export type ContentKind = 'picture' | 'video' | 'audio' | 'pdf' | 'unknown'

/** Extensions with the media type of something else, such as TypeScript with that of MPEG transport streams. */
const NOT_MEDIA = new Set(['ts', 'mts', 'cts'])

/** Returns how a file is shown, by its name and media type. */
export function kindOfContent({ name, mimeType }: Pick<FileItem, 'name' | 'mimeType'>): ContentKind {
  if (NOT_MEDIA.has(extensionOf(name).toLowerCase())) return 'unknown'
  if (mimeType === 'application/pdf') return 'pdf'
  if (mimeType.startsWith('image/')) return 'picture'
  if (mimeType.startsWith('video/')) return 'video'
  return mimeType.startsWith('audio/') ? 'audio' : 'unknown'
}

/** Returns the hosted address, which also serves private files to a signed-in browser without counting traffic. */
export const sourceOf = ({ url }: Pick<FileItem, 'url'>) => `/${url}`

/** Content by its first bytes: the way to show it, and its media type. */
export interface Sniffed {
  is: 'picture' | 'video' | 'audio' | 'pdf'
  type: string
}

/** Texts at the beginning of a file. SVG is not among them: it is a document with scripts. */
const BEGINNINGS: readonly [text: string, is: Sniffed['is'], type: string][] = [
  ['\x89PNG\r\n\x1a\n', 'picture', 'image/png'],
  ['\xff\xd8\xff', 'picture', 'image/jpeg'],
  ['GIF87a', 'picture', 'image/gif'],
  ['GIF89a', 'picture', 'image/gif'],
  ['%PDF-', 'pdf', 'application/pdf'],
  ['ID3', 'audio', 'audio/mpeg'],
  ['OggS', 'audio', 'audio/ogg'],
  ['fLaC', 'audio', 'audio/flac'],
]
/** Beginnings of the frames of an MP3 without a heading: its layer, with and without a checksum. */
const MP3 = /^\xff[\xfb\xfa\xf3\xf2\xe3\xe2]/
/** Brands of MPEG-4 files (ISO 14496-12 §4.3) that browsers play. */
const FILMS = /^(isom|iso\d|mp4\d|avc1|M4V |dash|qt {2}|mmp4|3gp\d)/
/** Bytes that have the brands and the type of a container. */
const HEADING = 64

/** Returns what the first bytes of a file say that it is; undefined if they say nothing that browsers show. */
export function sniff(bytes: Uint8Array): Sniffed | undefined {
  const heading = String.fromCharCode(...bytes.subarray(0, HEADING))
  const found = BEGINNINGS.find(([text]) => heading.startsWith(text))
  if (found) return { is: found[1], type: found[2] }
  if (MP3.test(heading)) return { is: 'audio', type: 'audio/mpeg' }
  const format = heading.slice(8, 12)
  if (heading.startsWith('RIFF') && format === 'WEBP') return { is: 'picture', type: 'image/webp' }
  if (heading.startsWith('RIFF') && format === 'WAVE') return { is: 'audio', type: 'audio/wav' }
  if (heading.startsWith('\x1aE\xdf\xa3') && heading.includes('webm'))
    return { is: 'video', type: 'video/webm' }
  return heading.slice(4, 8) === 'ftyp' ? sniffBrands(bytes, heading) : undefined
}

/** Returns the content of a container of MPEG-4 by its brands, which the size at its beginning bounds. */
function sniffBrands(bytes: Uint8Array, heading: string): Sniffed | undefined {
  const brands = heading.slice(8, Math.min(HEADING, bytes[3] ?? 0))
  if (/avi[fs]/.test(brands)) return { is: 'picture', type: 'image/avif' }
  if (/^M4[AB] /.test(brands)) return { is: 'audio', type: 'audio/mp4' }
  return FILMS.test(brands) ? { is: 'video', type: 'video/mp4' } : undefined
}

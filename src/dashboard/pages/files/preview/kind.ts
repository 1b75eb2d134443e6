import { extensionOf } from '../../../lib/names.ts'
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

import { kindOf } from '../../../platform/kinds.ts'
import type { FileItem } from './items.ts'

/** Types and maximum size of pictures that the server makes thumbnails of. */
const SERVER_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/bmp'])
const SERVER_BYTES = 64 * 1024 ** 2
/** Maximum size of any other image that is loaded whole. */
const WHOLE_BYTES = 4 * 1024 ** 2

/** Types of videos that the server makes posters of, if it has ffmpeg. */
const POSTER_TYPES = new Set([
  'video/mp4',
  'video/x-m4v',
  'video/quicktime',
  'video/3gpp',
  'video/3gpp2',
  'video/webm',
  'video/x-matroska',
  'video/x-msvideo',
  'video/ogg',
])

/** Width of the picture that is shown while the whole one loads, in pixels. */
const EARLY_WIDTH = 1600

const thumbnailOf = ({ id }: FileItem, width: number) => `/api/files/thumbnail/${id}?width=${width}`

/** Returns the address of a small picture of a file: a thumbnail, a video's poster, or a small image itself. */
export function pictureOf(file: FileItem, width = 400): string | undefined {
  const { mimeType, size, url } = file
  if (SERVER_TYPES.has(mimeType) && size <= SERVER_BYTES) return thumbnailOf(file, width)
  if (POSTER_TYPES.has(mimeType)) return posterOf(file, width)
  return kindOf(file) === 'image' && size <= WHOLE_BYTES ? `/${url}` : undefined
}

/** Returns the address of the picture that is shown while the whole one loads. */
export const earlyPictureOf = (file: FileItem): string | undefined => pictureOf(file, EARLY_WIDTH)

/** Returns the address of a video's poster. The server has none without ffmpeg. */
export const posterOf = (file: FileItem, width = EARLY_WIDTH): string | undefined =>
  POSTER_TYPES.has(file.mimeType) && file.size > 0 ? thumbnailOf(file, width) : undefined

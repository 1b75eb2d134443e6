import { BYTES, ETAG, FILE_ID } from '../../api/openapi/bytes.ts'
import { documented } from '../../api/openapi/described.ts'
import type { Answer } from '../../api/openapi/document.ts'

/** Responses with a thumbnail. */
export const THUMBNAIL: Record<number, Answer> = {
  200: {
    description: 'The thumbnail, of at most that width and height.',
    headers: { ETag: ETAG },
    content: { 'image/webp': BYTES },
  },
  304: { description: 'The caller’s copy is current.', headers: { ETag: ETAG } },
}

export const NO_THUMBNAIL = 'This file has no thumbnail'

/** `GET /api/files/thumbnail/:id` */
export const getThumbnail = documented(
  'Files',
  {
    id: 'getThumbnail',
    summary: 'Get a thumbnail of a picture or a video',
    description:
      'For JPEG, PNG, WebP, GIF and BMP of up to 64 MiB; for MP4, MOV, WebM, Matroska, AVI and Ogg where the server has ffmpeg. Any other file has none. It is made when it is requested first.',
    parameters: [FILE_ID],
    responses: THUMBNAIL,
    refusals: { 404: ['File not found', NO_THUMBNAIL], 503: [] },
  },
  { limit: 'hosting' },
)

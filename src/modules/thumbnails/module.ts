import { Elysia } from 'elysia'
import * as T from 'typebox'
import type { Context } from '../../access/context.ts'
import { auth, READ } from '../../access/plugin.ts'
import { within } from '../../access/reach.ts'
import { route } from '../../access/route.ts'
import { BYTES, ETAG, FILE_ID } from '../../api/openapi/bytes.ts'
import type { Answer } from '../../api/openapi/document.ts'
import { queryParameters } from '../../api/schema.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import { onEachServer } from '../../platform/jobs.ts'
import { locateFile } from '../../views/files.ts'
import { Thumbnails } from './thumbnails.ts'

const DEFAULT_WIDTH = 400

const MAX_WIDTH = 1600

export const ThumbnailQuery = queryParameters(
  T.Object({
    width: T.Optional(
      T.String({
        description: `Pixels, 1 to ${MAX_WIDTH}; rounded up to 200, 400 or 1600. Default: ${DEFAULT_WIDTH}.`,
        examples: ['200'],
      }),
    ),
  }),
)

/** Parses a width in pixels. @throws {Refusal} `invalid`. */
export function readWidth(sent: string | undefined): number {
  if (sent === undefined) return DEFAULT_WIDTH
  const width = /^[1-9]\d{0,3}$/.test(sent) ? Number(sent) : Number.NaN
  if (width <= MAX_WIDTH) return width
  throw refuseInvalid(`"width" must be a whole number from 1 to ${MAX_WIDTH}`)
}

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

const GET_THUMBNAIL = route('Files', READ, {
  id: 'getThumbnail',
  summary: 'Get a thumbnail of a picture or a video',
  description:
    'For JPEG, PNG, WebP, GIF and BMP of up to 64 MiB; for HEIC and AVIF where the server has libheif, and for MP4, MOV, WebM, Matroska, AVI and Ogg where it has ffmpeg. Any other file has none.',
  parameters: [FILE_ID],
  query: ThumbnailQuery,
  facts: { limit: 'hosting' },
  responses: THUMBNAIL,
  refusals: { 404: ['File not found', NO_THUMBNAIL], 503: [] },
})

/** Creates the module of thumbnails. */
export function createThumbnails(context: Context) {
  const thumbnails = new Thumbnails(context)
  return {
    thumbnails,
    routes: new Elysia({ prefix: '/api/files/thumbnail' }).use(auth(context)).get(
      '/:id',
      async ({ caller, params: { id }, query, request }) => {
        const width = readWidth(query.width)
        const { row, key } = await locateFile(within(context, caller), { id })
        return thumbnails.respond(request, { ...row, key }, width)
      },
      { ...GET_THUMBNAIL },
    ),
    jobs: [
      onEachServer('23 * * * *', 'Removing old thumbnails', () => thumbnails.cache.prune()),
      onEachServer('* * * * * *', 'Making thumbnails', thumbnails.makeArrived),
    ],
    stop: thumbnails.stop,
  }
}

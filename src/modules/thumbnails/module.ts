import { Elysia } from 'elysia'
import * as T from 'typebox'
import type { Context } from '../../access/context.ts'
import { auth, READ } from '../../access/plugin.ts'
import { within } from '../../access/reach.ts'
import { route } from '../../access/route.ts'
import { BYTES, ETAG, FILE_ID } from '../../api/openapi/bytes.ts'
import type { Answer } from '../../api/openapi/document.ts'
import { FILE } from '../../api/openapi/samples.ts'
import { envelope, queryParameters, success } from '../../api/schema.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import { onEachServer } from '../../platform/jobs.ts'
import { FileIdsQuery, locateFile } from '../../views/files.ts'
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

const PlaceholdersAnswer = envelope(
  T.Object({
    placeholders: T.Record(T.String(), T.String(), {
      description: 'WebP pictures of at most 16 by 16 pixels in Base64, by the ids of their files.',
      examples: [{ [FILE.id]: 'UklGRjoAAABXRUJQ' }],
    }),
  }),
)

const GET_PLACEHOLDERS = route('Files', READ, {
  id: 'getPlaceholders',
  summary: 'Get what stands in for thumbnails while they load',
  description:
    'Returns a picture of about 80 bytes for each file that has had a thumbnail on this server. Enlarged, it shows the colours of the picture. Other files are left out.',
  query: FileIdsQuery,
  answer: PlaceholdersAnswer,
  facts: { limit: 'hosting' },
  returns: 'The placeholders.',
})

/** Creates the module of thumbnails. */
export function createThumbnails(context: Context) {
  const thumbnails = new Thumbnails(context)
  return {
    thumbnails,
    routes: new Elysia({ prefix: '/api/files' })
      .use(auth(context))
      .get(
        '/thumbnail/:id',
        async ({ caller, params: { id }, query, request }) => {
          const width = readWidth(query.width)
          const { row, key } = await locateFile(within(context, caller), { id })
          return thumbnails.respond(request, { ...row, key }, width)
        },
        { ...GET_THUMBNAIL },
      )
      .get(
        '/placeholders',
        async ({ caller, query: { ids } }) => {
          const rows = await within(context, caller).store.files.byIds(ids.split(','))
          const placeholders: Record<string, string> = {}
          for (const row of rows) {
            const bytes = await thumbnails.placeholder(row)
            if (bytes.length > 0) placeholders[row.id] = bytes.toBase64()
          }
          return success({ placeholders })
        },
        { ...GET_PLACEHOLDERS },
      ),
    jobs: [
      onEachServer('23 * * * *', 'Removing old thumbnails', () => thumbnails.cache.prune()),
      onEachServer('* * * * * *', 'Making thumbnails', thumbnails.makeArrived),
    ],
    stop: thumbnails.stop,
  }
}

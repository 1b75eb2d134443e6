import { Elysia } from 'elysia'
import type { Context } from '../../../access/context.ts'
import { openRoute } from '../../../access/route.ts'
import {
  attachment,
  FILE_ID,
  filesForm,
  RANGE_REQUEST,
  rangedAnswers,
  ZIP_ANSWER,
} from '../../../api/openapi/bytes.ts'
import type { Parameter } from '../../../api/openapi/document.ts'
import { FILE, SHARE } from '../../../api/openapi/samples.ts'
import { orPage } from '../../../api/page.ts'
import { english } from '../../../api/pages/en.ts'
import { wordsFor } from '../../../api/pages/texts.ts'
import { emptyEnvelope, success } from '../../../api/schema.ts'
import type { Refusal } from '../../../platform/errors.ts'
import type { ArchiveResponder } from '../../archives/respond.ts'
import { NO_THUMBNAIL, readWidth, THUMBNAIL, ThumbnailQuery } from '../../thumbnails/module.ts'
import type { Thumbnails } from '../../thumbnails/thumbnails.ts'
import { openShare, requireFile, visit, visitOpened } from '../access.ts'
import { serveArchive } from '../archive.ts'
import { folderContent, itemsOf, serveFile } from '../content.ts'
import type { Downloads } from '../downloads.ts'
import { busyPage, closedPage, lockedPage } from '../page/page.ts'
import { receiveFiles } from '../receive.ts'
import { recordOpened, uploadsOf } from '../visits.ts'
import {
  ArchiveQuery,
  FileQuery,
  OpenBody,
  ReceivedAnswer,
  VisitAnswer,
  VisitQuery,
  visitView,
} from './model.ts'

export const NO_SHARE = 'Share not found'

export const LOCKED = 'This share has a password'

/** Sample, made without the formatters of a language: at the start they would take a megabyte. */
const TAKEN = english({
  number: String,
  count: String,
  bytes: String,
  clock: () => '11:00:00 UTC',
}).taken(0)

export const SLUG: Parameter = {
  name: 'slug',
  in: 'path',
  required: true,
  description: 'Name of the share in its URL.',
  schema: { type: 'string' },
  example: SHARE.slug,
}

const { id, name, mimeType, size, createdAt, updatedAt } = FILE

const SHARED_FILE = { id, name, mimeType, size, createdAt, updatedAt }

/** Services of the routes for visitors. */
interface Visiting {
  downloads: Downloads
  respondWithArchive: ArchiveResponder
  thumbnails: Thumbnails
}

/** Returns what a browser sees instead of a file: the same page whatever is not found. */
const pageFor =
  (deps: Context, slug: string, request: Request) =>
  ({ status, reason, headers }: Refusal) => {
    const words = wordsFor(deps, request)
    if (status === 404) return { status, page: closedPage(words) }
    if (status === 401) return { status, page: lockedPage(words, slug) }
    const until = deps.clock.now() + Number(headers['Retry-After']) * 1000
    return reason === 'share-busy' ? { status, page: busyPage(words, slug, until) } : undefined
  }

const VISIT_SHARE = openRoute('Shares', {
  id: 'visitShare',
  summary: 'Show a share to a visitor',
  description:
    'The items of the share, or the content of a folder in it, by name, up to 1000 at a time. Before the password was ' +
    'sent it shows the title alone. A share that has ended or expired, or is used up, is 404 like one that never was.',
  parameters: [SLUG],
  query: VisitQuery,
  answer: VisitAnswer,
  returns: {
    description: 'Files and folders. Ids lead to them; keys and folders above the share are not shown.',
    examples: {
      open: success({
        title: SHARE.title,
        note: null,
        canRead: true,
        canWrite: false,
        needsPassword: false,
        files: [SHARED_FILE],
        folders: [],
        uploads: [],
        next: null,
      }),
      'before the password': success({
        title: SHARE.title,
        note: null,
        canRead: true,
        canWrite: false,
        needsPassword: true,
        files: [],
        folders: [],
        uploads: [],
        next: null,
      }),
    },
  },
  refusals: { 404: [NO_SHARE, 'Folder not found'] },
})

const OPEN_SHARE = openRoute('Shares', {
  id: 'openShare',
  summary: 'Open a share with its password',
  description:
    'Sets cookies for the paths of this share, for 12 hours or until the password changes. Ten wrong passwords in a ' +
    'minute for one address are 429; past 50 in an hour a share accepts one a second.',
  parameters: [SLUG],
  example: { password: 'low tide at noon' },
  takes: OpenBody,
  answer: emptyEnvelope,
  returns: 'Opened.',
  refusals: { 401: ['Wrong password'], 404: [NO_SHARE] },
})

const SEND_TO_SHARE = openRoute('Shares', {
  id: 'sendToShare',
  summary: 'Send files to a share',
  description:
    'For a share with `canWrite`. Every file of the form goes to its folder, or none. The files are private, and a taken ' +
    'name gets a number. A cookie lets the visitor see what it has sent, and nothing else of the folder.',
  parameters: [SLUG],
  stream: filesForm(),
  answer: ReceivedAnswer,
  returns: 'The stored files, with the names that they got.',
  refusals: {
    400: ['Choose at least one file'],
    401: [LOCKED],
    403: ["This share doesn't accept files"],
    404: [NO_SHARE],
    413: ['This drop box has no room for these files'],
    415: ['This share only accepts image/*, so it refuses "notes.txt"'],
  },
})

const GET_SHARED_FILE = openRoute('Shares', {
  id: 'getSharedFile',
  summary: 'Get a file of a share',
  description:
    'Supports ranges and conditional requests. A download counts when a visitor was sent every byte, in any ranges, ' +
    'once for a visitor and file in 24 hours. Downloads under way take places under `maxDownloads`.',
  parameters: [
    SLUG,
    {
      name: 'id',
      in: 'path',
      required: true,
      description: 'The file’s id.',
      schema: { type: 'string' },
      example: FILE.id,
    },
    ...RANGE_REQUEST,
  ],
  query: FileQuery,
  facts: { kind: 'download', limit: 'hosting' },
  responses: rangedAnswers({ 'Content-Disposition': attachment(FILE.name) }),
  refusals: { 401: [LOCKED], 404: [NO_SHARE, 'File not found'], 412: [], 416: [], 503: [TAKEN] },
  pages: [401, 404, 503],
})

const GET_SHARED_THUMBNAIL = openRoute('Shares', {
  id: 'getSharedThumbnail',
  summary: 'Get a thumbnail of a picture in a share',
  description: 'It counts as no download.',
  parameters: [SLUG, FILE_ID],
  query: ThumbnailQuery,
  facts: { limit: 'hosting' },
  responses: THUMBNAIL,
  refusals: { 401: [LOCKED], 404: [NO_SHARE, 'File not found', NO_THUMBNAIL], 503: [] },
})

const DOWNLOAD_SHARE = openRoute('Shares', {
  id: 'downloadShare',
  summary: 'Download a share as a ZIP archive',
  description:
    'Files and folders keep their names; a name that occurs twice gets a number. It counts as one download when all ' +
    'of it has left.',
  parameters: [SLUG],
  query: ArchiveQuery,
  facts: { limit: 'hosting' },
  responses: { 200: ZIP_ANSWER },
  refusals: { 401: [LOCKED], 404: [NO_SHARE, 'File not found'], 503: [TAKEN] },
  pages: [401, 404, 503],
})

/** Builds `/api/s`: shares as their visitors use them. */
export const visitorRoutes = (deps: Context, visiting: Visiting) =>
  new Elysia({ prefix: '/api/s' }).use(pageRoutes(deps)).use(contentRoutes(deps, visiting))

function pageRoutes(deps: Context) {
  return new Elysia()
    .get(
      '/:slug',
      async ({ params: { slug }, query: { folder, after }, request }) => {
        const found = await visit(deps, slug, request)
        const { tree, share } = found
        if (!found.isOpen) return success(visitView(share, undefined))
        await recordOpened(deps, found)
        const content = await deps.store.read(() =>
          folder === undefined ? itemsOf(tree, share) : folderContent(tree, share, { folder, after }),
        )
        return success(visitView(share, content, await uploadsOf(deps, found)))
      },
      { ...VISIT_SHARE },
    )
    .post(
      '/:slug/open',
      async ({ params: { slug }, body: { password }, request, set }) => {
        set.headers['set-cookie'] = await openShare(deps, { slug, password, request })
        return success(null)
      },
      { ...OPEN_SHARE },
    )
    .post(
      '/:slug/files',
      async ({ params: { slug }, request, set }) => {
        const { files, cookies } = await receiveFiles(deps, slug, request)
        if (cookies.length > 0) set.headers['set-cookie'] = cookies
        return success({ files })
      },
      { ...SEND_TO_SHARE },
    )
}

function contentRoutes(deps: Context, { downloads, respondWithArchive, thumbnails }: Visiting) {
  return new Elysia()
    .get(
      '/:slug/files/:id',
      ({ params, query, request }) =>
        orPage(
          request,
          () => serveFile(deps, downloads, { ...params, isDownload: query.download === '1', request }),
          pageFor(deps, params.slug, request),
        ),
      { ...GET_SHARED_FILE },
    )
    .get(
      '/:slug/thumbs/:id',
      async ({ params: { slug, id }, query, request }) => {
        const width = readWidth(query.width)
        const { tree, share } = await visitOpened(deps, slug, request)
        const file = await deps.store.read(() => requireFile(tree, share, id))
        return thumbnails.respond(request, file, width, share.id)
      },
      { ...GET_SHARED_THUMBNAIL },
    )
    .get(
      '/:slug/archive',
      ({ params: { slug }, query: { ids }, request }) =>
        orPage(
          request,
          () =>
            serveArchive(deps, { downloads, respondWithArchive }, { slug, ids: ids?.split(','), request }),
          pageFor(deps, slug, request),
        ),
      { ...DOWNLOAD_SHARE },
    )
}

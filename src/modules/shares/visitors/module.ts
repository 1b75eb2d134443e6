import { Elysia } from 'elysia'
import type { Context } from '../../../access/context.ts'
import { openToAll } from '../../../access/plugin.ts'
import { takes } from '../../../api/body.ts'
import { orPage } from '../../../api/page.ts'
import { emptyEnvelope, success } from '../../../api/schema.ts'
import type { Refusal } from '../../../platform/errors.ts'
import type { ArchiveResponder } from '../../archives/respond.ts'
import { readWidth, ThumbnailQuery } from '../../thumbnails/model.ts'
import type { Thumbnails } from '../../thumbnails/thumbnails.ts'
import { openShare, requireFile, visit, visitOpened } from '../access.ts'
import { serveArchive } from '../archive.ts'
import { folderContent, itemsOf, serveFile } from '../content.ts'
import type { Downloads } from '../downloads.ts'
import { closedPage, lockedPage } from '../page/page.ts'
import { receiveFiles } from '../receive.ts'
import { recordOpened, uploadsOf } from '../visits.ts'
import * as docs from './docs.ts'
import {
  ArchiveQuery,
  FileQuery,
  OpenBody,
  ReceivedAnswer,
  VisitAnswer,
  VisitQuery,
  visitView,
} from './model.ts'

/** Services of the routes for visitors. */
export interface Visiting {
  downloads: Downloads
  respondWithArchive: ArchiveResponder
  thumbnails: Thumbnails
}

/** Returns what a browser sees instead of a file: the same page whatever is not found. */
const pageFor =
  (slug: string) =>
  ({ reason }: Refusal) =>
    reason === 'not_found'
      ? { status: 404, page: closedPage() }
      : reason === 'unauthorized'
        ? { status: 401, page: lockedPage(slug) }
        : undefined

/** Builds `/api/s`: shares as their visitors use them. */
export function visitorRoutes(deps: Context, { downloads, respondWithArchive, thumbnails }: Visiting) {
  return new Elysia({ prefix: '/api/s' })
    .get(
      '/:slug',
      async ({ params: { slug }, query: { folder, after }, request }) => {
        const found = await visit(deps, slug, request)
        const { share } = found
        if (!found.isOpen) return success(visitView(share, undefined))
        await recordOpened(deps, found)
        const content = await deps.store.read(() =>
          folder === undefined ? itemsOf(deps, share) : folderContent(deps, share, { folder, after }),
        )
        return success(visitView(share, content, await uploadsOf(deps, found)))
      },
      openToAll({ ...docs.visitShare, query: VisitQuery, response: { 200: VisitAnswer } }),
    )
    .post(
      '/:slug/open',
      async ({ params: { slug }, body: { password }, request, set }) => {
        set.headers['set-cookie'] = await openShare(deps, { slug, password, request })
        return success(null)
      },
      openToAll({ ...docs.openShare, ...takes(OpenBody), response: { 200: emptyEnvelope } }),
    )
    .post(
      '/:slug/files',
      async ({ params: { slug }, request, set }) => {
        const { files, cookies } = await receiveFiles(deps, slug, request)
        if (cookies.length > 0) set.headers['set-cookie'] = cookies
        return success({ files })
      },
      openToAll({
        ...docs.sendToShare,
        parse: 'none' as const, // receiveFiles reads request.body as a stream
        response: { 200: ReceivedAnswer },
      }),
    )
    .get(
      '/:slug/files/:id',
      ({ params, query, request }) =>
        orPage(
          request,
          () => serveFile(deps, downloads, { ...params, isDownload: query.download === '1', request }),
          pageFor(params.slug),
        ),
      openToAll({ ...docs.getSharedFile, query: FileQuery }),
    )
    .get(
      '/:slug/thumbs/:id',
      async ({ params: { slug, id }, query, request }) => {
        const width = readWidth(query.width)
        const { share } = await visitOpened(deps, slug, request)
        const file = await deps.store.read(() => requireFile(deps, share, id))
        return thumbnails.respond(request, file, width)
      },
      openToAll({ ...docs.getSharedThumbnail, query: ThumbnailQuery }),
    )
    .get(
      '/:slug/archive',
      ({ params: { slug }, query: { ids }, request }) =>
        orPage(
          request,
          () =>
            serveArchive(deps, { downloads, respondWithArchive }, { slug, ids: ids?.split(','), request }),
          pageFor(slug),
        ),
      openToAll({ ...docs.downloadShare, query: ArchiveQuery }),
    )
}

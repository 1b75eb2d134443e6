import { Elysia } from 'elysia'
import { auth, openToAll, WRITE } from '../../access/plugin.ts'
import { success } from '../../api/envelope.ts'
import { exchangeOf } from '../../http/exchange.ts'
import type { ResumableRow } from '../../store/rows.ts'
import type { UploadsContext } from './context.ts'
import { beginUpload } from './create.ts'
import * as docs from './docs.ts'
import { UploadAnswer, uploadHeaders, viewUpload } from './model.ts'
import {
  assertPiece,
  assertVersion,
  CHECKSUM_ALGORITHMS,
  readChecksum,
  readCount,
  TUS_EXTENSIONS,
  TUS_VERSION,
} from './protocol.ts'
import { continueUpload, endUpload, requireUpload } from './service.ts'

const UPLOADS_PATH = '/api/uploads'

/** Builds `/api/uploads`: resumable uploads by tus 1.0.0. */
export function uploadRoutes(deps: UploadsContext) {
  const respond = () => new Response(null, { status: 204, headers: abilities(deps) })
  return new Elysia({ prefix: UPLOADS_PATH })
    .use(auth(deps))
    .options('/', respond, openToAll(docs.getUploadAbilities))
    .options('/:id', respond, openToAll(docs.getAbilitiesOfUpload))
    .post(
      '/',
      async ({ caller, request, set }) => {
        assertVersion(request.headers)
        const row = await beginUpload(deps, caller, request)
        set.status = 201
        Object.assign(set.headers, uploadHeaders(row), { Location: `${UPLOADS_PATH}/${row.id}` })
        return success({ upload: await viewUpload(deps, row) })
      },
      { ...docs.createUpload, access: WRITE, parse: 'none', response: { 201: UploadAnswer } },
    )
    .get(
      '/:id',
      async ({ caller, params: { id }, request, set }) => {
        const row = await lookUp(deps, request, () => requireUpload(deps, caller, id))
        Object.assign(set.headers, uploadHeaders(row), { 'Upload-Length': String(row.length) })
        if (row.metadata !== '') set.headers['Upload-Metadata'] = row.metadata
        return success({ upload: await viewUpload(deps, row) })
      },
      { ...docs.getUpload, access: WRITE, response: { 200: UploadAnswer } },
    )
    .patch(
      '/:id',
      async ({ caller, params: { id }, request }) => {
        assertVersion(request.headers)
        assertPiece(request.headers)
        const [offset, checksum] = [
          readCount(request.headers, 'Upload-Offset'),
          readChecksum(request.headers),
        ]
        const row = await continueUpload(deps, caller, id, { request, offset, checksum, canGoOn: true })
        return new Response(null, { status: 204, headers: uploadHeaders(row) })
      },
      { ...docs.continueUpload, access: WRITE, parse: 'none' },
    )
    .delete(
      '/:id',
      async ({ caller, params: { id }, request }) => {
        assertVersion(request.headers)
        await endUpload(deps, caller, id)
        return new Response(null, { status: 204 })
      },
      { ...docs.endUpload, access: WRITE, parse: 'none' },
    )
}

/**
 * Returns the progress of an upload. A HEAD comes from a client about to continue, so whatever it sent before
 * must be finished.
 */
async function lookUp(
  deps: UploadsContext,
  request: Request,
  find: () => Promise<ResumableRow>,
): Promise<ResumableRow> {
  if (!exchangeOf(request).isHead) return find()
  assertVersion(request.headers)
  return deps.resumables.whenFree((await find()).id, find)
}

const abilities = ({ store: { settings } }: UploadsContext) => ({
  'Tus-Version': TUS_VERSION,
  'Tus-Extension': TUS_EXTENSIONS,
  'Tus-Max-Size': String(settings.current().maxUploadBytes),
  'Tus-Checksum-Algorithm': CHECKSUM_ALGORITHMS.join(','),
})

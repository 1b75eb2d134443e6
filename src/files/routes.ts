import { Elysia } from 'elysia'
import type { Access } from '../auth/plugin.ts'
import { auth } from '../auth/plugin.ts'
import { takes } from '../body.ts'
import type { Deps } from '../deps.ts'
import { emptyEnvelope, success } from '../envelope.ts'
import { downloadFile } from './download.ts'
import { DeleteBody, FileAnswer, FileQuery, FilesAnswer, LinkAnswer, SignBody } from './model.ts'
import { deleteFile, requireFile, signFile, viewFile } from './service.ts'
import { uploadFiles } from './upload.ts'

/** Where single files are downloaded; the transport sends what lies below with exact lengths. */
export const DOWNLOAD_PREFIX = '/api/files/download/'

const READ: Access = { scope: 'files:read', by: 'key or session' }
const WRITE: Access = { scope: 'files:write', by: 'key or session' }
const DELETE: Access = { scope: 'files:delete', by: 'key or session' }

/** `/api/files`: upload, look up, sign, download, delete. */
export function fileRoutes(deps: Deps) {
  return new Elysia({ prefix: '/api/files' })
    .use(auth(deps))
    .get('/', ({ query }) => success({ file: viewFile(deps, requireFile(deps, query)) }), {
      access: READ,
      query: FileQuery,
      response: { 200: FileAnswer },
    })
    .post('/', async ({ caller, request }) => success({ files: await uploadFiles(deps, caller, request) }), {
      access: WRITE,
      parse: 'none', // uploadFiles reads request.body as a stream
      response: { 200: FilesAnswer },
    })
    .delete(
      '/',
      async ({ caller, body }) => {
        await deleteFile(deps, caller, body.id)
        return success(null)
      },
      { access: DELETE, ...takes(DeleteBody), response: { 200: emptyEnvelope } },
    )
    .post('/sign', ({ body }) => success(signFile(deps, requireFile(deps, body), body.expiresIn)), {
      access: READ,
      ...takes(SignBody),
      response: { 200: LinkAnswer },
    })
    .get('/download/:id', ({ params, request }) => downloadFile(deps, params.id, request), { access: READ })
}

import { Elysia } from 'elysia'
import { type Access, auth } from '../auth/plugin.ts'
import { takesForm } from '../body.ts'
import type { Deps } from '../deps.ts'
import { success } from '../envelope.ts'
import { contentDisposition } from '../http/disposition.ts'
import { exchangeOf } from '../http/exchange.ts'
import { importArchive } from './import.ts'
import { FilesBody, FolderQuery, ImportAnswer, ImportQuery } from './model.ts'
import { begin, streamOf } from './send.ts'
import { type Archive, archiveFiles, archiveFolder } from './service.ts'

/** Where an archive is unpacked; its body is as large as an upload's. */

const READ: Access = { scope: 'files:read', by: 'key or session' }
const WRITE: Access = { scope: 'files:write', by: 'key or session' }

/** Downloads of several files, and of folders, as one archive, and the way back. */
export function archiveRoutes(deps: Deps) {
  return new Elysia({ prefix: '/api' })
    .use(auth(deps))
    .post(
      '/files/download',
      ({ body, request }) => archiveResponse(request, async () => archiveFiles(deps, body.ids)),
      { access: READ, ...takesForm(FilesBody) },
    )
    .get(
      '/folders/download',
      ({ query, request }) => archiveResponse(request, () => archiveFolder(deps, query)),
      { access: READ, query: FolderQuery },
    )
    .post(
      '/folders/import',
      async ({ caller, query: { folder, visibility }, request }) =>
        success(await importArchive(deps, caller, { request, folder, visibility })),
      {
        access: WRITE,
        query: ImportQuery,
        parse: 'none', // importArchive reads request.body as a stream
        response: { 200: ImportAnswer },
      },
    )
}

async function archiveResponse(request: Request, make: () => Promise<Archive>): Promise<Response> {
  if (exchangeOf(request).isHead) {
    const archive = await make()
    archive.close()
    return new Response(null, { headers: headersOf(archive) })
  }
  const archive = await begin(make)
  return new Response(streamOf(archive), { headers: headersOf(archive) })
}

const headersOf = ({ name, length }: Archive) => ({
  'Content-Type': 'application/zip',
  'Content-Length': String(length),
  'Content-Disposition': contentDisposition('attachment', name),
  'Cache-Control': 'private, no-store',
})

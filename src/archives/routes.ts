import { Elysia } from 'elysia'
import { type Access, auth } from '../auth/plugin.ts'
import { takesForm } from '../body.ts'
import type { Deps } from '../deps.ts'
import { success } from '../envelope.ts'
import { contentDisposition } from '../http/disposition.ts'
import { exchangeOf } from '../http/exchange.ts'
import { writeZip } from '../zip/writer.ts'
import { importArchive } from './import.ts'
import { FilesBody, FolderQuery, ImportAnswer, ImportQuery } from './model.ts'
import { type Archive, archiveFiles, archiveFolder } from './service.ts'

/** Where an archive is unpacked; its body is as large as an upload's. */
export const IMPORT_PATH = '/api/folders/import'

const READ: Access = { scope: 'files:read', by: 'key or session' }
const WRITE: Access = { scope: 'files:write', by: 'key or session' }

/** Downloads of several files, and of folders, as one archive, and the way back. */
export function archiveRoutes(deps: Deps) {
  return new Elysia({ prefix: '/api' })
    .use(auth(deps))
    .post('/files/download', ({ body, request }) => archiveResponse(request, archiveFiles(deps, body.ids)), {
      access: READ,
      ...takesForm(FilesBody),
    })
    .get(
      '/folders/download',
      async ({ query, request }) => archiveResponse(request, await archiveFolder(deps, query)),
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

function archiveResponse(request: Request, archive: Archive): Response {
  const { name, length, close } = archive
  const headers = {
    'Content-Type': 'application/zip',
    'Content-Length': String(length),
    'Content-Disposition': contentDisposition('attachment', name),
    'Cache-Control': 'private, no-store',
  }
  if (!exchangeOf(request).isHead) return new Response(streamOf(archive), { headers })
  close()
  return new Response(null, { headers })
}

/** A stream that writes the archive only as fast as it is read. */
function streamOf({ entries, close }: Archive): ReadableStream<Uint8Array> {
  const chunks = writeZip(entries)
  return new ReadableStream(
    {
      pull: async (controller) => {
        try {
          const { value, done } = await chunks.next()
          if (!done) return controller.enqueue(value)
          close()
          controller.close()
        } catch (error) {
          close()
          throw error
        }
      },
      cancel: async () => {
        await chunks.return(undefined)
        close()
      },
    },
    { highWaterMark: 0 },
  )
}

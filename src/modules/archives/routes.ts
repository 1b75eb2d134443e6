import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { auth, READ, WRITE } from '../../access/plugin.ts'
import { takesForm } from '../../api/body.ts'
import { success } from '../../api/envelope.ts'
import { exchangeOf, leavingOf } from '../../http/exchange.ts'
import { contentDisposition } from '../../http/file-response.ts'
import { Slots } from '../../platform/slots.ts'
import { downloadFiles } from '../files/docs.ts'
import type { Archive, Attempt } from './archive.ts'
import * as docs from './docs.ts'
import { archiveFiles } from './files.ts'
import { archiveFolder } from './folder.ts'
import { importArchive } from './import.ts'
import { FilesBody, FolderQuery, ImportAnswer, ImportQuery } from './model.ts'
import { begin, streamOf } from './send.ts'

/** Maximum archives planned at a time: more would not be ready sooner. */
const MAX_MEASURED = 4
/** Maximum requests that wait for that. */
const MAX_WAITING = 64
const MAX_WAIT_MS = 20_000

/** Routes that download files and folders as one archive, and import one. */
export function archiveRoutes(deps: Context) {
  const measuring = new Slots({
    count: MAX_MEASURED,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    busy: 'Too many archives are being prepared, try again soon',
  })
  const respond = (request: Request, make: (attempt: Attempt) => Promise<Archive>) =>
    archiveResponse(request, measuring, make)
  return new Elysia({ prefix: '/api' })
    .use(auth(deps))
    .post(
      '/files/download',
      ({ body, request }) => respond(request, (attempt) => archiveFiles(deps, body.ids, attempt)),
      { ...downloadFiles, access: READ, ...takesForm(FilesBody) },
    )
    .get(
      '/folders/download',
      ({ query, request }) => respond(request, (attempt) => archiveFolder(deps, query, attempt)),
      { ...docs.downloadFolder, access: READ, query: FolderQuery },
    )
    .post(
      '/folders/import',
      async ({ caller, query: { folder, visibility, onConflict = 'fail' }, request }) =>
        success(await importArchive(deps, caller, { request, folder, visibility, onConflict })),
      {
        ...docs.importArchive,
        access: WRITE,
        query: ImportQuery,
        parse: 'none', // importArchive reads request.body as a stream
        response: { 200: ImportAnswer },
      },
    )
}

async function archiveResponse(
  request: Request,
  measuring: Slots,
  make: (attempt: Attempt) => Promise<Archive>,
): Promise<Response> {
  const leaving = leavingOf(request)
  const release = await measuring.take(leaving)
  try {
    if (exchangeOf(request).isHead) {
      const archive = await make({ leaving, unreadable: new Set(), isLast: true })
      archive.close()
      return new Response(null, { headers: headersOf(archive) })
    }
    const archive = await begin(make, leaving)
    return new Response(streamOf(archive), { headers: headersOf(archive) })
  } finally {
    release()
  }
}

const headersOf = ({ name, length }: Archive) => ({
  'Content-Type': 'application/zip',
  'Content-Length': String(length),
  'Content-Disposition': contentDisposition('attachment', name),
  'Cache-Control': 'private, no-store',
})

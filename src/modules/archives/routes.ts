import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { auth, READ, WRITE } from '../../access/plugin.ts'
import { takesForm } from '../../api/body.ts'
import { success } from '../../api/schema.ts'
import * as docs from './docs.ts'
import { archiveFiles } from './files.ts'
import { archiveFolder } from './folder.ts'
import { importArchive } from './import.ts'
import { FilesBody, FolderQuery, ImportAnswer, ImportQuery } from './model.ts'
import type { ArchiveResponder } from './respond.ts'

/** Routes that download files and folders as one archive, and import one. */
export function archiveRoutes(deps: Context, respond: ArchiveResponder) {
  return new Elysia({ prefix: '/api' })
    .use(auth(deps))
    .post(
      '/files/download',
      ({ body, request }) => respond(request, (attempt) => archiveFiles(deps, body.ids, attempt)),
      { ...docs.downloadFiles, access: READ, ...takesForm(FilesBody) },
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

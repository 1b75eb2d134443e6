import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { auth, READ, WRITE } from '../../access/plugin.ts'
import { within } from '../../access/reach.ts'
import { route } from '../../access/route.ts'
import { BYTES, ZIP_ANSWER } from '../../api/openapi/bytes.ts'
import { success } from '../../api/schema.ts'
import { archiveFiles } from './files.ts'
import { archiveFolder } from './folder.ts'
import { importArchive } from './import.ts'
import { FilesBody, FolderQuery, ImportAnswer, ImportQuery } from './model.ts'
import type { ArchiveResponder } from './respond.ts'

const NO_FOLDER = 'Folder not found'

const DOWNLOAD_FILES = route('Files', READ, {
  id: 'downloadFiles',
  summary: 'Download several files as a ZIP archive',
  description:
    'Entries keep their path below the deepest folder that all files share, which names the archive. An archive ' +
    'has an exact length and no ranges.',
  takesForm: true,
  takes: FilesBody,
  responses: { 200: ZIP_ANSWER },
  refusals: { 400: ['"ids" must not be empty'], 404: ['File not found'], 503: [] },
})

const DOWNLOAD_FOLDER = route('Folders', READ, {
  id: 'downloadFolder',
  summary: 'Download a folder as a ZIP archive',
  description:
    'Contains everything below it, private files included; the root without `id` and `key`. An archive has an exact ' +
    'length and no ranges. Files with missing bytes are left out.',
  query: FolderQuery,
  responses: { 200: ZIP_ANSWER },
  refusals: { 404: [NO_FOLDER], 503: ['Too many archives are being prepared, try again soon'] },
})

const IMPORT_ARCHIVE = route('Folders', WRITE, {
  id: 'importArchive',
  summary: 'Unpack a ZIP archive into a folder',
  description:
    'The body is the archive itself. Its files and folders appear at once, or none do. An existing file refuses the ' +
    'whole archive, unless `onConflict` says otherwise. Existing folders are used.',
  stream: { required: true, content: { 'application/zip': BYTES } },
  query: ImportQuery,
  answer: ImportAnswer,
  returns: 'The folder, and the number of new files and folders.',
  refusals: {
    400: ['The archive has "index.html" twice'],
    404: [NO_FOLDER],
    409: ['A file named "index.html" exists in this folder already'],
    413: ['An archive may have at most 10000 files and folders'],
  },
})

/** Routes that download files and folders as one archive, and import one. */
export function archiveRoutes(deps: Context, respond: ArchiveResponder) {
  return new Elysia({ prefix: '/api' })
    .use(auth(deps))
    .post(
      '/files/download',
      ({ caller, body, request }) =>
        respond(request, (attempt) => archiveFiles(within(deps, caller), body.ids, attempt)),
      { ...DOWNLOAD_FILES },
    )
    .get(
      '/folders/download',
      ({ caller, query, request }) =>
        respond(request, (attempt) => archiveFolder(within(deps, caller), query, attempt)),
      { ...DOWNLOAD_FOLDER },
    )
    .post(
      '/folders/import',
      async ({ caller, query: { folder, visibility, onConflict = 'fail' }, request }) =>
        success(
          await importArchive(within(deps, caller), caller, { request, folder, visibility, onConflict }),
        ),
      { ...IMPORT_ARCHIVE },
    )
}

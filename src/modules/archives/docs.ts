import { BYTES, ZIP_ANSWER } from '../../api/openapi/bytes.ts'
import { documented } from '../../api/openapi/described.ts'

const NO_FOLDER = 'Folder not found'

/** `GET /api/folders/download` */
export const downloadFolder = documented('Folders', {
  id: 'downloadFolder',
  summary: 'Download a folder as a ZIP archive',
  description:
    'Contains everything below it, private files included; the root without `id` and `key`. An archive has an exact ' +
    'length and no ranges. Files with missing bytes are left out.',
  responses: { 200: ZIP_ANSWER },
  refusals: { 404: [NO_FOLDER], 503: ['Too many archives are being prepared, try again soon'] },
})

/** `POST /api/folders/import` */
export const importArchive = documented('Folders', {
  id: 'importArchive',
  summary: 'Unpack a ZIP archive into a folder',
  description:
    'The body is the archive itself. Its files and folders appear at once, or none do. An existing file refuses the ' +
    'whole archive, unless `onConflict` says otherwise. Existing folders are used.',
  stream: { required: true, content: { 'application/zip': BYTES } },
  returns: 'The folder, and the number of new files and folders.',
  refusals: {
    400: ['The archive has "index.html" twice'],
    409: ['A file named "index.html" exists in this folder already'],
    413: ['An archive may have at most 10000 files and folders'],
  },
})

/** `POST /api/files/download` */
export const downloadFiles = documented('Files', {
  id: 'downloadFiles',
  summary: 'Download several files as a ZIP archive',
  description:
    'Entries keep their path below the deepest folder that all files share, which names the archive. An archive ' +
    'has an exact length and no ranges.',
  takesForm: true,
  responses: { 200: ZIP_ANSWER },
  refusals: { 400: ['"ids" must not be empty'], 404: ['File not found'], 503: [] },
})

import { downloadAnswers, RANGE_REQUEST } from '../../api/openapi/bytes.ts'
import { documented } from '../../api/openapi/described.ts'
import { FILE } from '../../api/openapi/samples.ts'

const NO_FILE = 'File not found'
const NO_VERSION = 'Version not found'

/** `GET /api/files/versions` */
export const listVersions = documented('Files', {
  id: 'listVersions',
  summary: 'List the versions of a file',
  description:
    'Bytes that were replaced, newest first, at most 1000 of them. They are kept for `versionDays` of the settings.',
  returns: 'The versions.',
  refusals: { 404: [NO_FILE] },
})

/** `GET /api/files/versions/content` */
export const downloadVersion = documented(
  'Files',
  {
    id: 'downloadVersion',
    summary: 'Download a version',
    description: 'Supports ranges and conditional requests.',
    parameters: RANGE_REQUEST,
    responses: downloadAnswers(FILE.name),
    refusals: { 404: [NO_VERSION], 412: [], 416: [], 503: [] },
  },
  { kind: 'download' },
)

/** `POST /api/files/versions/restore` */
export const restoreVersion = documented('Files', {
  id: 'restoreVersion',
  summary: 'Restore a version',
  description: 'Replaces the bytes of the file by those of the version. The present bytes become a version.',
  returns: 'The file.',
  refusals: {
    404: [NO_VERSION],
    409: ['The bytes of this version are damaged, so it cannot be restored'],
  },
})

/** `DELETE /api/files/versions` */
export const deleteVersion = documented('Files', {
  id: 'deleteVersion',
  summary: 'Delete a version',
  returns: 'The version is deleted for good.',
  refusals: { 404: [NO_VERSION] },
})

import { downloadAnswers, RANGE_REQUEST } from '../../api/openapi/bytes.ts'
import { documented } from '../../api/openapi/described.ts'
import { EXAMPLE_ID, FILE, OTHER_ID, SHA256 } from '../../api/openapi/samples.ts'
import { success } from '../../api/schema.ts'

const NO_FILE = 'File not found'
const NO_VERSION = 'Version not found'

const VERSION = {
  id: OTHER_ID,
  size: 479_020,
  mimeType: FILE.mimeType,
  sha256: SHA256,
  writtenAt: '2026-11-02 09:30:00',
  replacedAt: '2026-11-21 16:04:12',
  uploadedBy: EXAMPLE_ID,
}

/** `GET /api/files/versions` */
export const listVersions = documented('Files', {
  id: 'listVersions',
  summary: 'List the versions of a file',
  description:
    'Bytes that were replaced, newest first, at most 1000 of them. They are kept for `versionDays` of the settings.',
  returns: { description: 'The versions.', examples: { one: success({ versions: [VERSION] }) } },
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
  body: { id: OTHER_ID },
  returns: { description: 'The file.', examples: { 'the file': success({ file: FILE }) } },
  refusals: {
    404: [NO_VERSION],
    409: ['The bytes of this version are damaged, so it cannot be restored'],
  },
})

/** `DELETE /api/files/versions` */
export const deleteVersion = documented('Files', {
  id: 'deleteVersion',
  summary: 'Delete a version',
  returns: { description: 'The version is deleted for good.', examples: { deleted: success(null) } },
  refusals: { 404: [NO_VERSION] },
})

import { BYTES } from '../../api/openapi/bytes.ts'
import { type Described, documented } from '../../api/openapi/described.ts'
import type { Header, Parameter } from '../../api/openapi/document.ts'
import { FILE, OTHER_ID } from '../../api/openapi/samples.ts'

const TEXT = { type: 'string' }

const COUNT = { type: 'integer', minimum: 0 }

const PIECE_TYPE = 'application/offset+octet-stream'

const header = (name: string, required: boolean, description: string, example: string): Parameter => ({
  name,
  in: 'header',
  required,
  description,
  schema: TEXT,
  example,
})

const VERSION = header('Tus-Resumable', true, 'The version of the protocol.', '1.0.0')

const CHECKSUM = header(
  'Upload-Checksum',
  false,
  'Algorithm (sha1 or sha256) and checksum of the body in Base64.',
  'sha256 n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=',
)

const OFFSET: Parameter = {
  ...header('Upload-Offset', true, 'How many bytes the client knows to have arrived.', ''),
  schema: COUNT,
  example: 0,
}

const ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The upload’s id.',
  schema: TEXT,
  example: OTHER_ID,
}

const answerHeader = (description: string, example: string, required = false): Header => ({
  description,
  required,
  schema: TEXT,
  example,
})

const SPOKEN = { 'Tus-Resumable': answerHeader('The version of the protocol.', '1.0.0', true) }

const PROGRESS = {
  ...SPOKEN,
  'Upload-Offset': { description: 'Number of bytes received.', required: true, schema: COUNT, example: 0 },
  'Upload-Expires': answerHeader('Time until which it may be continued.', 'Tue, 03 Nov 2026 09:30:00 GMT'),
  'Holdfast-File-Id': answerHeader('Id of the file that it became.', FILE.id),
}

const abilities = (id: string, summary: string): Described => ({
  id,
  summary,
  responses: {
    204: {
      description: 'Supported versions, extensions and checksums, and the maximum file size.',
      headers: {
        ...SPOKEN,
        'Tus-Version': answerHeader('The versions.', '1.0.0', true),
        'Tus-Extension': answerHeader('The extensions.', 'creation,expiration,checksum', true),
        'Tus-Max-Size': answerHeader('In bytes.', '5368709120', true),
        'Tus-Checksum-Algorithm': answerHeader('The checksums.', 'sha1,sha256', true),
      },
    },
  },
})

const NO_UPLOAD = 'Upload not found'

const TAKEN = `A file named "${FILE.name}" exists in this folder already`

const VERSION_REFUSED = '"Tus-Resumable" must be 1.0.0'

const SIZE_REFUSED = 'A file is larger than the maximum upload size of 5368709120 bytes'

/** `OPTIONS /api/uploads` */
export const getUploadAbilities = documented(
  'Resumable uploads',
  abilities('getUploadAbilities', 'Describe the supported protocol'),
  { kind: 'upload' },
)

/** `POST /api/uploads` */
export const createUpload = documented(
  'Resumable uploads',
  {
    id: 'createUpload',
    summary: 'Begin an upload',
    description: 'The body may contain its first bytes.',
    parameters: [
      VERSION,
      {
        ...header('Upload-Length', true, 'The file’s size in bytes.', ''),
        schema: COUNT,
        example: FILE.size,
      },
      header(
        'Upload-Metadata',
        true,
        '`filename`, and perhaps `folder` and `visibility`, each with its value in Base64. Or `replaces`, the id of a ' +
          'file that gets the new bytes: it retains its name, folder and visibility, whatever else is sent.',
        'filename aGFyYm91ci5qcGc=,folder cGhvdG9z',
      ),
      CHECKSUM,
    ],
    stream: { content: { [PIECE_TYPE]: BYTES } },
    returns: {
      description: 'The upload.',
      headers: { ...PROGRESS, Location: answerHeader('Where it is.', `/api/uploads/${OTHER_ID}`, true) },
    },
    refusals: {
      404: ['Folder not found', 'File not found', NO_UPLOAD],
      409: [TAKEN],
      412: [VERSION_REFUSED],
      413: [SIZE_REFUSED],
      415: [],
      460: [],
    },
  },
  { kind: 'upload' },
)

/** `OPTIONS /api/uploads/:id` */
export const getAbilitiesOfUpload = documented(
  'Resumable uploads',
  {
    ...abilities('getAbilitiesOfUpload', 'Describe the supported protocol for an upload'),
    parameters: [ID],
  },
  { kind: 'upload', limit: 'upload' },
)

/** `GET /api/uploads/:id` */
export const getUpload = documented(
  'Resumable uploads',
  {
    id: 'getUpload',
    summary: 'Get the progress of an upload',
    description: 'A HEAD, which must name the version, also ends an earlier request that is still sending.',
    parameters: [ID],
    returns: {
      description: 'The upload.',
      headers: {
        ...PROGRESS,
        'Upload-Length': answerHeader('The file’s size in bytes.', String(FILE.size), true),
        'Upload-Metadata': answerHeader('Metadata that it was created with.', 'filename aGFyYm91ci5qcGc='),
      },
    },
    refusals: {
      400: ['The header "Tus-Resumable: 1.0.0" is required'],
      404: [NO_UPLOAD],
      412: [VERSION_REFUSED],
    },
  },
  { kind: 'upload', limit: 'upload' },
)

/** `PATCH /api/uploads/:id` */
export const continueUpload = documented(
  'Resumable uploads',
  {
    id: 'continueUpload',
    summary: 'Continue an upload',
    description:
      'Appends at the current offset. The last byte turns the upload into a file. A client that cannot send PATCH or ' +
      'DELETE sends a POST with `X-HTTP-Method-Override`.',
    parameters: [ID, VERSION, OFFSET, CHECKSUM],
    stream: { required: true, content: { [PIECE_TYPE]: BYTES } },
    responses: { 204: { description: 'The bytes were stored.', headers: PROGRESS } },
    refusals: {
      404: [NO_UPLOAD],
      409: ['"Upload-Offset" must be 1024: that many bytes have arrived', TAKEN],
      412: [VERSION_REFUSED],
      413: [SIZE_REFUSED],
      415: [],
      460: [],
    },
  },
  { kind: 'upload', limit: 'upload' },
)

/** `DELETE /api/uploads/:id` */
export const endUpload = documented(
  'Resumable uploads',
  {
    id: 'endUpload',
    summary: 'Cancel an upload',
    parameters: [ID, VERSION],
    responses: {
      204: {
        description: 'Its received bytes were removed. The file of a finished upload stays.',
        headers: SPOKEN,
      },
    },
    refusals: {
      400: ['The header "Tus-Resumable: 1.0.0" is required'],
      404: [NO_UPLOAD],
      409: [],
      412: [VERSION_REFUSED],
    },
  },
  { kind: 'upload', limit: 'upload' },
)

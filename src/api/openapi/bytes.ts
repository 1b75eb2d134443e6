import type { Answer, Header, JsonSchema, Media, Parameter, RequestBody } from './document.ts'
import { FILE } from './samples.ts'

/** Schema of text bodies. This file describes bodies that are bytes, and their headers. */
const TEXT = { type: 'string' } as const

/** Media type of arbitrary bytes, which JSON Schema cannot describe (OpenAPI 3.1.1 §4.8.14.3). */
export const BYTES: Media = { schema: {}, example: 'the bytes' }

const DATE: Header = {
  description: 'When its bytes last changed.',
  schema: TEXT,
  example: 'Mon, 02 Nov 2026 09:30:00 GMT',
}

const LENGTH: Header = {
  description: 'The exact number of bytes.',
  schema: { type: 'integer', minimum: 0 },
  example: 482_113,
}

export const ETAG: Header = {
  description: 'Changes with the bytes; strong.',
  schema: TEXT,
  example: '"75b41-19a43f5c240"',
}

export const attachment = (name: string): Header => ({
  description: 'The name to save it under.',
  required: true,
  schema: TEXT,
  example: `attachment; filename="${name}"; filename*=UTF-8''${name}`,
})

const requestHeader = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: TEXT,
  example,
})

/** Path parameter of a file's id. */
export const FILE_ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The file’s id.',
  schema: TEXT,
  example: FILE.id,
}

/** Describes a form with files, and with other fields. */
export const filesForm = (
  fields: Record<string, JsonSchema> = {},
  example: Record<string, string> = {},
): RequestBody => ({
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['files'],
        properties: {
          files: {
            type: 'array',
            minItems: 1,
            items: { type: 'string', contentMediaType: 'application/octet-stream' },
            description: 'One or more files, each in a separate part.',
          },
          ...fields,
        },
      },
      example: { files: ['the bytes of harbour.jpg'], ...example },
    },
  },
})

/** Request headers that select the range and version of a file. */
export const RANGE_REQUEST: Parameter[] = [
  requestHeader(
    'Range',
    'One part of the file. A request for several ranges returns the whole file.',
    'bytes=0-1023',
  ),
  requestHeader(
    'If-Range',
    'The range only if the file has this ETag or date, else all of it.',
    '"75b41-19a43f5c240"',
  ),
  requestHeader('If-None-Match', 'The file unless it has this ETag.', '"75b41-19a43f5c240"'),
  requestHeader('If-Modified-Since', 'The file if it changed since.', 'Mon, 02 Nov 2026 09:30:00 GMT'),
  requestHeader('If-Match', 'The file only if it has this ETag.', '"75b41-19a43f5c240"'),
  requestHeader('If-Unmodified-Since', 'The file unless it changed since.', 'Mon, 02 Nov 2026 09:30:00 GMT'),
]

/** Request headers that bind a replacement to the present bytes, and to the digests of the new ones. */
export const WRITE_CONDITIONS: Parameter[] = [
  requestHeader('If-Match', 'Only if the file has this ETag.', '"75b41-19a43f5c240"'),
  requestHeader('If-None-Match', 'Only if the file does not have this ETag.', '"75b41-19a43f5c240"'),
  requestHeader('If-Unmodified-Since', 'Only if it did not change since.', 'Mon, 02 Nov 2026 09:30:00 GMT'),
  requestHeader(
    'Content-Digest',
    'SHA-256 of the body (RFC 9530). `Repr-Digest` and `Content-MD5` are compared, too.',
    'sha-256=:6XsjFXqaT3kQRCvHRjkLzbvNz3Qn3Z8Dh0Cs4yI0SmM=:',
  ),
]

/** Describes the successful responses for a file: all of it, a range, or not modified. */
export function rangedAnswers(headers: Record<string, Header>): Record<number, Answer> {
  const ofFile = { ...headers, ETag: ETAG }
  const body = { 'Content-Length': LENGTH, 'Accept-Ranges': ACCEPT_RANGES, ...ofFile }
  const content = { '*/*': BYTES }
  return {
    200: { description: 'The file, with the media type of its name.', headers: body, content },
    206: {
      description: 'The requested part of the file.',
      headers: { 'Content-Range': contentRange('bytes 0-1023/482113'), ...body },
      content,
    },
    304: { description: 'The caller’s copy of the file is current.', headers: ofFile },
  }
}

/** Describes the successful responses of a download, saved as `name`. */
export const downloadAnswers = (name: string): Record<number, Answer> =>
  rangedAnswers({
    'Content-Disposition': attachment(name),
    'Cache-Control': {
      description: 'Caches must revalidate.',
      required: true,
      schema: TEXT,
      example: 'private, max-age=0, must-revalidate',
    },
    'Last-Modified': { ...DATE, required: true },
  })

const ACCEPT_RANGES: Header = {
  description: 'Ranges are counted in bytes.',
  schema: { const: 'bytes' },
  example: 'bytes',
}

export const contentRange = (example: string): Header => ({
  description: 'Position of these bytes, and the total size.',
  required: true,
  schema: TEXT,
  example,
})

export const ZIP_ANSWER: Answer = {
  description:
    'The archive. The connection closes early if a file in it is deleted or damaged during the download.',
  headers: {
    'Content-Length': { ...LENGTH, required: true },
    'Content-Disposition': attachment('photos.zip'),
    'Cache-Control': {
      description: 'No cache may store it.',
      required: true,
      schema: TEXT,
      example: 'private, no-store',
    },
  },
  content: { 'application/zip': BYTES },
}

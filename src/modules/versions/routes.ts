import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { auth, DELETE, READ, WRITE } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { downloadAnswers, RANGE_REQUEST } from '../../api/openapi/bytes.ts'
import { documented } from '../../api/openapi/described.ts'
import { FILE } from '../../api/openapi/samples.ts'
import { emptyEnvelope, success } from '../../api/schema.ts'
import { FileAnswer } from '../../views/files.ts'
import { FileQuery, RestoreBody, VersionQuery, VersionsAnswer, versionView } from './model.ts'
import { deleteVersion, downloadVersion, listVersions, restoreVersion } from './service.ts'

const NO_FILE = 'File not found'

const NO_VERSION = 'Version not found'

/** Builds `/api/files/versions`: bytes that were replaced. */
export function versionRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/files/versions' })
    .use(auth(deps))
    .get(
      '/',
      async ({ query }) => success({ versions: (await listVersions(deps, query)).map(versionView) }),
      {
        ...documented('Files', {
          id: 'listVersions',
          summary: 'List the versions of a file',
          description:
            'Bytes that were replaced, newest first, at most 1000 of them. They are kept for `versionDays` of the settings.',
          returns: 'The versions.',
          refusals: { 404: [NO_FILE] },
        }),
        access: READ,
        query: FileQuery,
        response: { 200: VersionsAnswer },
      },
    )
    .get('/content', ({ query, request }) => downloadVersion(deps, query.id, request), {
      ...documented(
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
      ),
      access: READ,
      query: VersionQuery,
    })
    .post(
      '/restore',
      async ({ caller, body }) => success({ file: await restoreVersion(deps, caller, body.id) }),
      {
        ...documented('Files', {
          id: 'restoreVersion',
          summary: 'Restore a version',
          description:
            'Replaces the bytes of the file by those of the version. The present bytes become a version.',
          returns: 'The file.',
          refusals: {
            404: [NO_VERSION],
            409: ['The bytes of this version are damaged, so it cannot be restored'],
          },
        }),
        access: WRITE,
        ...takes(RestoreBody),
        response: { 200: FileAnswer },
      },
    )
    .delete(
      '/',
      async ({ caller, query }) => {
        await deleteVersion(deps, caller, query.id)
        return success(null)
      },
      {
        ...documented('Files', {
          id: 'deleteVersion',
          summary: 'Delete a version',
          returns: 'The version is deleted for good.',
          refusals: { 404: [NO_VERSION] },
        }),
        access: DELETE,
        query: VersionQuery,
        response: { 200: emptyEnvelope },
      },
    )
}

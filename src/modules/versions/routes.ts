import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { auth, DELETE, READ, WRITE } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { emptyEnvelope, success } from '../../api/schema.ts'
import { FileAnswer } from '../../views/files.ts'
import * as docs from './docs.ts'
import { FileQuery, RestoreBody, VersionQuery, VersionsAnswer, versionView } from './model.ts'
import { deleteVersion, downloadVersion, listVersions, restoreVersion } from './service.ts'

/** Builds `/api/files/versions`: bytes that were replaced. */
export function versionRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/files/versions' })
    .use(auth(deps))
    .get(
      '/',
      async ({ query }) => success({ versions: (await listVersions(deps, query)).map(versionView) }),
      { ...docs.listVersions, access: READ, query: FileQuery, response: { 200: VersionsAnswer } },
    )
    .get('/content', ({ query, request }) => downloadVersion(deps, query.id, request), {
      ...docs.downloadVersion,
      access: READ,
      query: VersionQuery,
    })
    .post(
      '/restore',
      async ({ caller, body }) => success({ file: await restoreVersion(deps, caller, body.id) }),
      { ...docs.restoreVersion, access: WRITE, ...takes(RestoreBody), response: { 200: FileAnswer } },
    )
    .delete(
      '/',
      async ({ caller, query }) => {
        await deleteVersion(deps, caller, query.id)
        return success(null)
      },
      { ...docs.deleteVersion, access: DELETE, query: VersionQuery, response: { 200: emptyEnvelope } },
    )
}

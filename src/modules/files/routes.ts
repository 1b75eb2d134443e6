import { Elysia } from 'elysia'
import { selected } from '../../access/batch.ts'
import type { Context } from '../../access/context.ts'
import { auth } from '../../access/plugin.ts'
import { within } from '../../access/reach.ts'
import { jsonResponse } from '../../api/json-stream.ts'
import { done, success } from '../../api/schema.ts'
import { leavingOf } from '../../http/exchange.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import { locateFile, readDestination, viewAt } from '../../views/files.ts'
import { listResponse, toFileList } from '../../views/lists.ts'
import {
  changeFile,
  deleteFile,
  deleteFiles,
  moveFile,
  moveFiles,
  recordCanceled,
  setVisibility,
} from './change.ts'
import { copyItems } from './copy.ts'
import * as docs from './docs.ts'
import { downloadFile, type Files, linkLifetimes, readDetails, signFile } from './read.ts'
import { replaceContent } from './replace.ts'
import { uploadFiles } from './upload.ts'

/** Builds `/api/files`: list and look up, upload, change, move, sign, download, delete. */
export function fileRoutes(deps: Context & Files) {
  return new Elysia({ prefix: '/api/files' })
    .use(auth(deps))
    .get(
      '/',
      async ({ caller, query, request }) => {
        const seen = within(deps, caller)
        const isOne = query.id !== undefined || query.key !== undefined
        if (isOne) return jsonResponse(success({ file: viewAt(await locateFile(seen, query)) }))
        return listResponse(seen, request, toFileList(query, { name: query.name }))
      },
      { ...docs.listFiles },
    )
    .post(
      '/',
      async ({ caller, request }) => success(await uploadFiles(within(deps, caller), caller, request)),
      {
        ...docs.uploadFiles,
      },
    )
    .put(
      '/',
      async ({ caller, body }) => success({ file: await changeFile(within(deps, caller), caller, body) }),
      {
        ...docs.changeFile,
      },
    )
    .put(
      '/content',
      async ({ caller, query: { id }, request, set }) => {
        const { file, etag } = await replaceContent(within(deps, caller), caller, { id, request })
        set.headers['etag'] = etag
        return success({ file })
      },
      { ...docs.replaceContent },
    )
    .delete(
      '/',
      async ({ caller, body: { id, ids } }) => {
        if (ids !== undefined) {
          const { done, failed } = await deleteFiles(within(deps, caller), caller, ids)
          return success({ deleted: done.map(({ id }) => id), failed })
        }
        if (id === undefined) throw refuseInvalid('"id" or "ids" is required')
        await deleteFile(within(deps, caller), caller, id)
        return success(null)
      },
      { ...docs.deleteFiles },
    )
    .post(
      '/move',
      async ({ caller, body: { id, ids, ...place } }) => {
        const destination = readDestination(place)
        if (ids !== undefined) {
          const { done, failed } = await moveFiles(within(deps, caller), caller, ids, destination)
          return success({ files: done, failed })
        }
        if (id === undefined) throw refuseInvalid('"id" or "ids" is required')
        return success({ file: await moveFile(within(deps, caller), caller, id, destination) })
      },
      { ...docs.moveFiles },
    )
    .post(
      '/copy',
      async ({ caller, body: { fileIds, folderIds, ...place }, request }) => {
        const items = selected({ fileIds, folderIds }, deps.config.maxMoveIds)
        const destination = readDestination(place)
        return success(
          await copyItems(within(deps, caller), caller, { ...items, destination }, leavingOf(request)),
        )
      },
      { ...docs.copyFiles },
    )
    .put(
      '/visibility',
      async ({ caller, body: { ids, visibility } }) => {
        const { done, failed } = await setVisibility(within(deps, caller), caller, { ids, visibility })
        return success({ files: done, failed })
      },
      { ...docs.setVisibility },
    )
    .post('/canceled', ({ caller, body }) => done(recordCanceled(deps, caller, body.names)), {
      ...docs.reportCanceledUploads,
    })
    .post(
      '/sign',
      async ({ caller, body }) =>
        success(signFile(deps, await locateFile(within(deps, caller), body), body.expiresIn)),
      { ...docs.signFile },
    )
    .get('/sign', () => success(linkLifetimes(deps)), { ...docs.getLinkLifetimes })
    .get(
      '/details',
      async ({ caller, query }) =>
        success(await readDetails(deps, await locateFile(within(deps, caller), query))),
      {
        ...docs.getFileDetails,
      },
    )
    .get(
      '/download/:id',
      ({ caller, params, request }) => downloadFile(within(deps, caller), params.id, request),
      {
        ...docs.downloadFile,
      },
    )
}

import { Elysia } from 'elysia'
import { selected } from '../../access/batch.ts'
import { auth } from '../../access/plugin.ts'
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
import { downloadFile, type FilesContext, linkLifetimes, readDetails, signFile } from './read.ts'
import { replaceContent } from './replace.ts'
import { uploadFiles } from './upload.ts'

/** Builds `/api/files`: list and look up, upload, change, move, sign, download, delete. */
export function fileRoutes(deps: FilesContext) {
  return new Elysia({ prefix: '/api/files' })
    .use(auth(deps))
    .get(
      '/',
      async ({ query, request }) => {
        const isOne = query.id !== undefined || query.key !== undefined
        if (isOne) return Response.json(success({ file: viewAt(await locateFile(deps, query)) }))
        return listResponse(deps, request, toFileList(query, { name: query.name }))
      },
      { ...docs.listFiles },
    )
    .post('/', async ({ caller, request }) => success(await uploadFiles(deps, caller, request)), {
      ...docs.uploadFiles,
    })
    .put('/', async ({ caller, body }) => success({ file: await changeFile(deps, caller, body) }), {
      ...docs.changeFile,
    })
    .put(
      '/content',
      async ({ caller, query: { id }, request, set }) => {
        const { file, etag } = await replaceContent(deps, caller, { id, request })
        set.headers['etag'] = etag
        return success({ file })
      },
      { ...docs.replaceContent },
    )
    .delete(
      '/',
      async ({ caller, body: { id, ids } }) => {
        if (ids !== undefined) {
          const { done, failed } = await deleteFiles(deps, caller, ids)
          return success({ deleted: done.map(({ id }) => id), failed })
        }
        if (id === undefined) throw refuseInvalid('"id" or "ids" is required')
        await deleteFile(deps, caller, id)
        return success(null)
      },
      { ...docs.deleteFiles },
    )
    .post(
      '/move',
      async ({ caller, body: { id, ids, ...place } }) => {
        const destination = readDestination(place)
        if (ids !== undefined) {
          const { done, failed } = await moveFiles(deps, caller, ids, destination)
          return success({ files: done, failed })
        }
        if (id === undefined) throw refuseInvalid('"id" or "ids" is required')
        return success({ file: await moveFile(deps, caller, id, destination) })
      },
      { ...docs.moveFiles },
    )
    .post(
      '/copy',
      async ({ caller, body: { fileIds, folderIds, ...place }, request }) => {
        const items = selected({ fileIds, folderIds }, deps.config.maxMoveIds)
        const destination = readDestination(place)
        return success(await copyItems(deps, caller, { ...items, destination }, leavingOf(request)))
      },
      { ...docs.copyFiles },
    )
    .put(
      '/visibility',
      async ({ caller, body: { ids, visibility } }) => {
        const { done, failed } = await setVisibility(deps, caller, { ids, visibility })
        return success({ files: done, failed })
      },
      { ...docs.setVisibility },
    )
    .post('/canceled', ({ caller, body }) => done(recordCanceled(deps, caller, body.names)), {
      ...docs.reportCanceledUploads,
    })
    .post(
      '/sign',
      async ({ body }) => success(signFile(deps, await locateFile(deps, body), body.expiresIn)),
      { ...docs.signFile },
    )
    .get('/sign', () => success(linkLifetimes(deps)), { ...docs.getLinkLifetimes })
    .get('/details', async ({ query }) => success(await readDetails(deps, await locateFile(deps, query))), {
      ...docs.getFileDetails,
    })
    .get('/download/:id', ({ params, request }) => downloadFile(deps, params.id, request), {
      ...docs.downloadFile,
    })
}

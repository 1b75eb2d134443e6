import { Elysia } from 'elysia'
import { auth, DELETE, READ, WRITE } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { done, emptyEnvelope, success } from '../../api/schema.ts'
import { leavingOf } from '../../http/exchange.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import { FileAnswer, locateFile, readDestination, viewAt } from '../../views/files.ts'
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
import {
  BatchAnswer,
  CanceledBody,
  ChangeBody,
  ContentQuery,
  CopiedAnswer,
  CopyBody,
  DeleteBody,
  DeletedAnswer,
  DetailsAnswer,
  DetailsQuery,
  FileOrFilesAnswer,
  FileQuery,
  LifetimesAnswer,
  LinkAnswer,
  MoveBody,
  MovedAnswer,
  SignBody,
  UploadedAnswer,
  VisibilityBody,
} from './model.ts'
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
      { ...docs.listFiles, access: READ, query: FileQuery, response: { 200: FileOrFilesAnswer } },
    )
    .post('/', async ({ caller, request }) => success(await uploadFiles(deps, caller, request)), {
      ...docs.uploadFiles,
      access: WRITE,
      parse: 'none', // The handler reads request.body as a stream.
      response: { 200: UploadedAnswer },
    })
    .put('/', async ({ caller, body }) => success({ file: await changeFile(deps, caller, body) }), {
      ...docs.changeFile,
      access: WRITE,
      ...takes(ChangeBody),
      response: { 200: FileAnswer },
    })
    .put(
      '/content',
      async ({ caller, query: { id }, request, set }) => {
        const { file, etag } = await replaceContent(deps, caller, { id, request })
        set.headers['etag'] = etag
        return success({ file })
      },
      {
        ...docs.replaceContent,
        access: WRITE,
        query: ContentQuery,
        parse: 'none', // The handler reads request.body as a stream.
        response: { 200: FileAnswer },
      },
    )
    .delete(
      '/',
      async ({ caller, body: { id, ids } }) => {
        if (ids !== undefined) {
          const { done, failed } = await deleteFiles(deps, caller, ids)
          return success({ deleted: done, failed })
        }
        if (id === undefined) throw refuseInvalid('"id" or "ids" is required')
        await deleteFile(deps, caller, id)
        return success(null)
      },
      { ...docs.deleteFiles, access: DELETE, ...takes(DeleteBody), response: { 200: DeletedAnswer } },
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
      { ...docs.moveFiles, access: WRITE, ...takes(MoveBody), response: { 200: MovedAnswer } },
    )
    .post(
      '/copy',
      async ({ caller, body: { fileIds, folderIds, ...place }, request }) => {
        const items = { fileIds, folderIds, destination: readDestination(place) }
        return success(await copyItems(deps, caller, items, leavingOf(request)))
      },
      {
        ...docs.copyFiles,
        access: { ...WRITE, also: 'files:read' },
        ...takes(CopyBody),
        response: { 200: CopiedAnswer },
      },
    )
    .put(
      '/visibility',
      async ({ caller, body: { ids, visibility } }) => {
        const { done, failed } = await setVisibility(deps, caller, { ids, visibility })
        return success({ files: done, failed })
      },
      { ...docs.setVisibility, access: WRITE, ...takes(VisibilityBody), response: { 200: BatchAnswer } },
    )
    .post('/canceled', ({ caller, body }) => done(recordCanceled(deps, caller, body.names)), {
      ...docs.reportCanceledUploads,
      access: WRITE,
      ...takes(CanceledBody),
      response: { 200: emptyEnvelope },
    })
    .post(
      '/sign',
      async ({ body }) => success(signFile(deps, await locateFile(deps, body), body.expiresIn)),
      {
        ...docs.signFile,
        access: READ,
        ...takes(SignBody),
        response: { 200: LinkAnswer },
      },
    )
    .get('/sign', () => success(linkLifetimes(deps)), {
      ...docs.getLinkLifetimes,
      access: READ,
      response: { 200: LifetimesAnswer },
    })
    .get('/details', async ({ query }) => success(await readDetails(deps, await locateFile(deps, query))), {
      ...docs.getFileDetails,
      access: READ,
      query: DetailsQuery,
      response: { 200: DetailsAnswer },
    })
    .get('/download/:id', ({ params, request }) => downloadFile(deps, params.id, request), {
      ...docs.downloadFile,
      access: READ,
    })
}

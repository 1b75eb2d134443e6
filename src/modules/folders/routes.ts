import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { auth, DELETE, READ, WRITE } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { emptyEnvelope, success } from '../../api/schema.ts'
import { leavingOf } from '../../http/exchange.ts'
import { readDestination } from '../../views/files.ts'
import { requireFolder } from '../../views/folders.ts'
import { listResponse, toFileList } from '../../views/lists.ts'
import type { Pages } from '../../views/pages.ts'
import { checksumsResponse } from './checksums.ts'
import * as docs from './docs.ts'
import {
  BrowseAnswer,
  BrowseQuery,
  ChangeBody,
  ChecksumsAnswer,
  ChecksumsQuery,
  CreateBody,
  DeleteBody,
  FolderAnswer,
  MoveBody,
  ReplaceBody,
  SizesAnswer,
  TotalsAnswer,
  TotalsQuery,
} from './model.ts'
import {
  changeFolder,
  createFolder,
  deleteFolder,
  foldersBeside,
  moveFolder,
  replaceFolder,
} from './service.ts'
import { countBelow, sizesResponse } from './totals.ts'

/** Builds `/api/folders`: browse, create, change, move, delete. */
export function folderRoutes(deps: Context & { pages: Pages }) {
  return new Elysia({ prefix: '/api/folders' })
    .use(auth(deps))
    .get(
      '/',
      async ({ query, request }) => {
        const { id } = await deps.store.read(() => requireFolder(deps, query))
        return listResponse(deps, request, toFileList(query, { folderId: id }), foldersBeside(deps, id))
      },
      { ...docs.browseFolder, access: READ, query: BrowseQuery, response: { 200: BrowseAnswer } },
    )
    .get('/checksums', ({ query, request }) => checksumsResponse(deps, request, query), {
      ...docs.listChecksums,
      access: READ,
      query: ChecksumsQuery,
      response: { 200: ChecksumsAnswer },
    })
    .get(
      '/totals',
      async ({ query, request }) => success(await countBelow(deps, query, leavingOf(request))),
      { ...docs.getFolderTotals, access: READ, query: TotalsQuery, response: { 200: TotalsAnswer } },
    )
    .get('/sizes', ({ query, request }) => sizesResponse(deps, request, query), {
      ...docs.listFolderSizes,
      access: READ,
      query: TotalsQuery,
      response: { 200: SizesAnswer },
    })
    .post(
      '/',
      async ({ caller, body }) => success({ folder: await createFolder(deps, caller, body.folder) }),
      { ...docs.createFolder, access: WRITE, ...takes(CreateBody), response: { 200: FolderAnswer } },
    )
    .put('/', async ({ caller, body }) => success({ folder: await changeFolder(deps, caller, body) }), {
      ...docs.changeFolder,
      access: WRITE,
      ...takes(ChangeBody),
      response: { 200: FolderAnswer },
    })
    .post(
      '/move',
      async ({ caller, body: { id, ...place } }) =>
        success({ folder: await moveFolder(deps, caller, id, readDestination(place)) }),
      { ...docs.moveFolder, access: WRITE, ...takes(MoveBody), response: { 200: FolderAnswer } },
    )
    .post(
      '/replace',
      async ({ caller, body }) => success({ folder: await replaceFolder(deps, caller, body) }),
      {
        ...docs.replaceFolder,
        access: { ...WRITE, also: 'files:delete' },
        ...takes(ReplaceBody),
        response: { 200: FolderAnswer },
      },
    )
    .delete(
      '/',
      async ({ caller, body }) => {
        await deleteFolder(deps, caller, body.id)
        return success(null)
      },
      { ...docs.deleteFolder, access: DELETE, ...takes(DeleteBody), response: { 200: emptyEnvelope } },
    )
}

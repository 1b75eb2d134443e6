import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { type Access, auth, DELETE, READ, WRITE } from '../../access/plugin.ts'
import { within } from '../../access/reach.ts'
import { route } from '../../access/route.ts'
import { FOLDER } from '../../api/openapi/samples.ts'
import { done, emptyEnvelope, success } from '../../api/schema.ts'
import { leavingOf } from '../../http/exchange.ts'
import { readDestination } from '../../views/files.ts'
import type { Pages } from '../../views/pages.ts'
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
import { browse, changeFolder, createFolder, deleteFolder, moveFolder, replaceFolder } from './service.ts'
import { checksumsResponse, countBelow, sizesResponse } from './totals.ts'

const NO_FOLDER = 'Folder not found'

const BUSY = 'Too many long lists and archives are being read, try again soon'

const TAKEN = 'A folder named "photos" exists in this folder already'

const BROWSE_FOLDER = route('Folders', READ, {
  id: 'browseFolder',
  summary: 'List the contents of a folder',
  description:
    'Returns the files and folders directly in it; the root without `id` and `key`. Limit, offset and order apply ' +
    'to the files. The folders are always complete.',
  query: BrowseQuery,
  answer: BrowseAnswer,
  facts: { isCompressed: true },
  returns: 'The files and folders.',
  refusals: { 404: [NO_FOLDER], 503: [BUSY] },
})

const LIST_CHECKSUMS = route('Folders', READ, {
  id: 'listChecksums',
  summary: 'List the checksums of all files below a folder',
  description:
    'Supports tools that mirror a folder. It lists the root without `id` and `key`. Long lists are streamed.',
  query: ChecksumsQuery,
  answer: ChecksumsAnswer,
  facts: { isCompressed: true },
  returns: 'The files in the folder and below it.',
  refusals: { 404: [NO_FOLDER], 503: [BUSY] },
})

const GET_FOLDER_TOTALS = route('Folders', READ, {
  id: 'getFolderTotals',
  summary: 'Count the files and folders below a folder',
  query: TotalsQuery,
  answer: TotalsAnswer,
  returns: 'Number of files and folders below it, and the size of the files in bytes.',
  refusals: { 404: [NO_FOLDER], 503: [BUSY] },
})

const LIST_FOLDER_SIZES = route('Folders', READ, {
  id: 'listFolderSizes',
  summary: 'Count the files in each folder of a folder',
  description:
    'Lists the folders directly in it by name, each with what is in it and below it. It lists those of the root ' +
    'without `id` and `key`.',
  query: TotalsQuery,
  answer: SizesAnswer,
  facts: { isCompressed: true },
  returns: 'The folders with their numbers of files and folders, and the sizes of the files in bytes.',
  refusals: { 404: [NO_FOLDER], 503: [BUSY] },
})

const CREATE_FOLDER = route('Folders', WRITE, {
  id: 'createFolder',
  summary: 'Create a folder',
  description: 'At a key; missing folders above it are created.',
  takes: CreateBody,
  answer: FolderAnswer,
  returns: 'The new folder.',
  refusals: { 404: [NO_FOLDER], 409: ['The folder "photos" exists already'] },
})

const CHANGE_FOLDER = route('Folders', WRITE, {
  id: 'changeFolder',
  summary: 'Rename a folder, or change the visibility of all files in it',
  description:
    'A new name changes the keys of everything below. A visibility applies to every file in the folder and below it ' +
    'at once; folders have none of their own. The root takes a visibility but no name.',
  example: { id: FOLDER.id, name: 'pictures' },
  takes: ChangeBody,
  answer: FolderAnswer,
  returns: {
    description: 'The changed folder.',
    data: { folder: { name: 'pictures', key: 'pictures' } },
  },
  refusals: { 400: ['"name" or "visibility" is required'], 404: [NO_FOLDER], 409: [TAKEN] },
})

const MOVE_FOLDER = route('Folders', WRITE, {
  id: 'moveFolder',
  summary: 'Move a folder',
  description:
    'Moves into the folder with the id `folderId`, or into the one at the key `folder`. A missing `folder` is ' +
    'created; the empty key is the root. The keys of everything below change.',
  example: { id: FOLDER.id, folder: 'archive' },
  takes: MoveBody,
  answer: FolderAnswer,
  returns: { description: 'The changed folder.', data: { folder: { key: 'archive/photos' } } },
  refusals: { 400: ['"folderId" or "folder" is required'], 404: [NO_FOLDER], 409: [TAKEN] },
})

const REPLACE: Access = { ...WRITE, also: 'files:delete' }

const REPLACE_FOLDER = route('Folders', REPLACE, {
  id: 'replaceFolder',
  summary: 'Replace a folder with another',
  description:
    'The folder `id` takes the name and the place of the folder `replaces`, which goes to the trash. Both change at ' +
    'once: a visitor finds one or the other. Each folder and file keeps its id and its links. Shares of ' +
    '`replaces` share `id` from then on, and rights in `replaces` hold in `id`. The folder `id` may ' +
    'be in the trash itself: an earlier version returns that way. It may also be inside `replaces`: the rest of ' +
    'that folder goes to the trash.',
  takes: ReplaceBody,
  answer: FolderAnswer,
  returns: 'The folder in its new place.',
  refusals: {
    400: ['A folder cannot replace itself, nor one that is in it'],
    404: [NO_FOLDER],
    409: ['"photos" is missing on disk'],
  },
})

const DELETE_FOLDER = route('Folders', DELETE, {
  id: 'deleteFolder',
  summary: 'Delete a folder and everything below it',
  description: 'Cannot be undone. The root cannot be deleted.',
  takes: DeleteBody,
  answer: emptyEnvelope,
  returns: 'Deleted.',
  refusals: { 404: [NO_FOLDER], 409: ['A folder in it is still being deleted: try again soon'] },
})

/** Builds `/api/folders`: browse, create, change, move, delete. */
export function folderRoutes(deps: Context & { pages: Pages }) {
  return new Elysia({ prefix: '/api/folders' })
    .use(auth(deps))
    .get('/', async ({ caller, query, request }) => browse(within(deps, caller), query, request), {
      ...BROWSE_FOLDER,
    })
    .get(
      '/checksums',
      ({ caller, query, request }) => checksumsResponse(within(deps, caller), request, query),
      { ...LIST_CHECKSUMS },
    )
    .get(
      '/totals',
      async ({ caller, query, request }) =>
        success(await countBelow(within(deps, caller), query, leavingOf(request))),
      { ...GET_FOLDER_TOTALS },
    )
    .get('/sizes', ({ caller, query, request }) => sizesResponse(within(deps, caller), request, query), {
      ...LIST_FOLDER_SIZES,
    })
    .post(
      '/',
      async ({ caller, body }) =>
        success({ folder: await createFolder(within(deps, caller), caller, body.folder) }),
      { ...CREATE_FOLDER },
    )
    .put(
      '/',
      async ({ caller, body }) => success({ folder: await changeFolder(within(deps, caller), caller, body) }),
      { ...CHANGE_FOLDER },
    )
    .post(
      '/move',
      async ({ caller, body: { id, ...place } }) =>
        success({ folder: await moveFolder(within(deps, caller), caller, id, readDestination(place)) }),
      { ...MOVE_FOLDER },
    )
    .post(
      '/replace',
      async ({ caller, body }) =>
        success({ folder: await replaceFolder(within(deps, caller), caller, body) }),
      { ...REPLACE_FOLDER },
    )
    .delete('/', ({ caller, body }) => done(deleteFolder(within(deps, caller), caller, body.id)), {
      ...DELETE_FOLDER,
    })
}

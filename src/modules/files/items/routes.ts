import { Elysia } from 'elysia'
import { selected } from '../../../access/batch.ts'
import type { Context } from '../../../access/context.ts'
import { auth, COPY, DELETE, WRITE } from '../../../access/plugin.ts'
import { within } from '../../../access/reach.ts'
import { route } from '../../../access/route.ts'
import { FILE, OTHER_ID } from '../../../api/openapi/samples.ts'
import { success } from '../../../api/schema.ts'
import { readDestination } from '../../../views/files.ts'
import { deleteItems, moveItems, setVisibilityOfItems } from '../change.ts'
import { copyItems } from '../copy.ts'
import {
  BatchAnswer,
  CopiedAnswer,
  DeletedItemsAnswer,
  DeleteItemsBody,
  ItemVisibilityBody,
  MovedItemsAnswer,
  SelectionInto,
} from '../model.ts'

const ALONE =
  'At most 5000 ids, which succeed or fail separately; the response is 404 only if none exists. A request that has ' +
  'arrived is finished, also when its client disconnects.'

/** Signal of work that goes on when its client disconnects. */
const UNHURRIED = AbortSignal.any([])

const REFUSALS = { 400: ['"fileIds" or "folderIds" is required'], 404: ['File not found'] }

const DELETE_ITEMS = route('Files', DELETE, {
  id: 'deleteItems',
  summary: 'Delete files and folders permanently',
  description: `A folder is deleted with everything below it. \`POST /api/trash\` lets you restore them. ${ALONE}`,
  example: { fileIds: [FILE.id], folderIds: [OTHER_ID] },
  takes: DeleteItemsBody,
  answer: DeletedItemsAnswer,
  returns: 'The deleted ids, and the others with reasons.',
  refusals: REFUSALS,
})

const MOVE_ITEMS = route('Files', WRITE, {
  id: 'moveItems',
  summary: 'Move files and folders',
  description:
    'To the folder with the id `folderId`, or to the one at the key `folder`, which is created when missing; the ' +
    `empty key is the root. Keys change, ids stay. ${ALONE}`,
  example: { fileIds: [FILE.id], folderIds: [OTHER_ID], folder: 'archive' },
  takes: SelectionInto,
  answer: MovedItemsAnswer,
  returns: 'The moved ids, and the others with reasons.',
  refusals: REFUSALS,
})

const COPY_ITEMS = route('Files', COPY, {
  id: 'copyItems',
  summary: 'Copy files and folders',
  description: `As \`POST /api/files/copy\`. ${ALONE}`,
  example: { fileIds: [FILE.id], folderIds: [OTHER_ID], folder: 'archive' },
  takes: SelectionInto,
  answer: CopiedAnswer,
  returns: 'The copies with the ids of their originals, and the others with reasons.',
  refusals: REFUSALS,
})

const SET_VISIBILITY = route('Files', WRITE, {
  id: 'setVisibilityOfItems',
  summary: 'Set the visibility of files and of all files in folders',
  description: `A visibility applies to every file in a folder and below it. ${ALONE}`,
  example: { fileIds: [FILE.id], folderIds: [OTHER_ID], visibility: 'private' },
  takes: ItemVisibilityBody,
  answer: BatchAnswer,
  returns: 'The files of `fileIds` as they are now, and the ids that failed, with reasons.',
  refusals: REFUSALS,
})

/** Builds `/api/items`: changes of a selection of files and folders in one request. */
export function itemRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/items' })
    .use(auth(deps))
    .delete(
      '/',
      async ({ caller, body }) => {
        const { done, failed } = await deleteItems(within(deps, caller), caller, selected(body))
        return success({ deleted: done.map(({ id }) => id), failed })
      },
      { ...DELETE_ITEMS },
    )
    .post(
      '/move',
      async ({ caller, body: { fileIds, folderIds, ...place } }) => {
        const items = selected({ fileIds, folderIds })
        const { done, failed } = await moveItems(within(deps, caller), caller, items, readDestination(place))
        return success({ moved: done.map(({ row: { id } }) => id), failed })
      },
      { ...MOVE_ITEMS },
    )
    .post(
      '/copy',
      async ({ caller, body: { fileIds, folderIds, ...place } }) => {
        const request = { ...selected({ fileIds, folderIds }), destination: readDestination(place) }
        return success(await copyItems(within(deps, caller), caller, request, UNHURRIED))
      },
      { ...COPY_ITEMS },
    )
    .put(
      '/visibility',
      async ({ caller, body: { visibility, ...items } }) => {
        const chosen = { ...selected(items), visibility }
        const { done, failed } = await setVisibilityOfItems(within(deps, caller), caller, chosen)
        return success({ files: done, failed })
      },
      { ...SET_VISIBILITY },
    )
}

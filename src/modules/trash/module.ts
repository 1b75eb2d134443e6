import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { auth, DELETE, READ, WRITE } from '../../access/plugin.ts'
import { whole, within } from '../../access/reach.ts'
import { route } from '../../access/route.ts'
import { FILE, OTHER_ID } from '../../api/openapi/samples.ts'
import { success } from '../../api/schema.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import { alsoAtStart, onEachServer } from '../../platform/jobs.ts'
import { makeRoom, purgeExpired } from '../../store/trash/purge.ts'
import {
  PurgeBody,
  PurgedAnswer,
  PutAnswer,
  PutBody,
  RestoreBody,
  RestoredAnswer,
  TrashAnswer,
  TrashQuery,
} from './model.ts'
import { emptyTrash, listTrash, purgeItems, putInTrash, restoreItems } from './service.ts'

const NOT_THERE = 'Not in the trash'

const LIST_TRASH = route('Trash', READ, {
  id: 'listTrash',
  summary: 'List the trash',
  description:
    'The items, the latest first unless you set `orderBy` and `orderDirection`: 100, or `limit` up to 1000. `search` ' +
    'finds text in their keys. Items past `expiresAt` are permanently deleted, the oldest earlier when space runs short. ' +
    'The setting `trashDays` determines how long they stay.',
  query: TrashQuery,
  answer: TrashAnswer,
  facts: { isCompressed: true },
  returns: 'The items of the page, the number of all, and the days that items stay.',
})

const PUT_IN_TRASH = route('Trash', DELETE, {
  id: 'putInTrash',
  summary: 'Move files and folders to the trash',
  description:
    'A folder moves with everything below it. Names are free immediately, and URLs and signed links return 404. Ids ' +
    'succeed or fail separately; the response is 404 only if none exists. `DELETE /api/files` and `DELETE /api/folders` ' +
    'delete permanently. A file loses its traffic counts.',
  example: { fileIds: [FILE.id], folderIds: [OTHER_ID] },
  takes: PutBody,
  answer: PutAnswer,
  returns: 'The moved ids, and the others with reasons.',
  refusals: { 400: ['"fileIds" or "folderIds" is required'], 404: ['File not found'] },
})

const RESTORE_FROM_TRASH = route('Trash', WRITE, {
  id: 'restoreFromTrash',
  summary: 'Restore files and folders',
  description:
    'Each returns to its folder with its id, visibility and times, and links to it work again. A missing folder is ' +
    'created at its key. If the name is taken, the item becomes `name (2)`. Ids succeed or fail separately.',
  takes: RestoreBody,
  answer: RestoredAnswer,
  returns: 'The restored items with their keys, and the others with reasons.',
  refusals: { 404: [NOT_THERE] },
})

const EMPTY_TRASH = route('Trash', DELETE, {
  id: 'emptyTrash',
  summary: 'Permanently delete items in the trash',
  description: 'The items in `ids`, or all of them with `all`. This cannot be undone.',
  example: { ids: [FILE.id, OTHER_ID] },
  takes: PurgeBody,
  answer: PurgedAnswer,
  returns: 'Number of removed items, and the others with reasons.',
  refusals: { 400: ['Either "ids" or "all": true is required'], 404: [NOT_THERE] },
})

/** Builds `/api/trash`: move there, list, restore, delete permanently. */
function trashRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/trash' })
    .use(auth(deps))
    .get('/', async ({ caller, query }) => success(await listTrash(within(deps, caller), query)), {
      ...LIST_TRASH,
    })
    .post('/', async ({ caller, body }) => success(await putInTrash(within(deps, caller), caller, body)), {
      ...PUT_IN_TRASH,
    })
    .post(
      '/restore',
      async ({ caller, body: { ids } }) => success(await restoreItems(within(deps, caller), caller, ids)),
      { ...RESTORE_FROM_TRASH },
    )
    .delete(
      '/',
      async ({ caller, body: { ids, all = false } }) => {
        if ((ids !== undefined) === all) throw refuseInvalid('Either "ids" or "all": true is required')
        const seen = within(deps, caller)
        return success(ids ? await purgeItems(seen, caller, ids) : await emptyTrash(seen, caller))
      },
      { ...EMPTY_TRASH },
    )
}

/** Creates the module of deleted files and folders that can be restored. */
export const createTrash = (context: Context) => ({
  routes: trashRoutes(context),
  jobs: [
    alsoAtStart('11 * * * *', 'Removing old items of the trash', () => purgeExpired(whole(context))),
    onEachServer('* * * * *', 'Making room on the disk', () => makeRoom(whole(context))),
  ],
})

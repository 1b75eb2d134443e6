import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { auth, DELETE, READ, WRITE } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { documented } from '../../api/openapi/described.ts'
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

/** Builds `/api/trash`: move there, list, restore, remove for good. */
function trashRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/trash' })
    .use(auth(deps))
    .get('/', async ({ query }) => success(await listTrash(deps, query)), {
      ...documented(
        'Trash',
        {
          id: 'listTrash',
          summary: 'List the trash',
          description:
            'The items, the latest first unless `orderBy` and `orderDirection` say otherwise: 100 or `limit` of them, at most ' +
            '1000. With `search`, only those with the text in their key. Items past `expiresAt` are removed for good, and when space runs short the oldest go earlier. The setting `trashDays` says how long they stay.',
          returns: 'The items of the page, the number of all, and the days that items stay.',
        },
        { isCompressed: true },
      ),
      access: READ,
      query: TrashQuery,
      response: { 200: TrashAnswer },
    })
    .post('/', async ({ caller, body }) => success(await putInTrash(deps, caller, body)), {
      ...documented('Trash', {
        id: 'putInTrash',
        summary: 'Move files and folders to the trash',
        description:
          'A folder goes with everything below it. Names are free at once, and URLs and signed links answer 404. Each id ' +
          'is handled on its own; the answer is 404 only when none of them exists. `DELETE /api/files` and ' +
          '`DELETE /api/folders` delete for good. Counts of the traffic of a file end when it leaves.',
        body: { fileIds: [FILE.id], folderIds: [OTHER_ID] },
        returns: 'The moved ids, and the others with reasons.',
        refusals: { 400: ['"fileIds" or "folderIds" is required'], 404: ['File not found'] },
      }),
      access: DELETE,
      ...takes(PutBody),
      response: { 200: PutAnswer },
    })
    .post('/restore', async ({ caller, body: { ids } }) => success(await restoreItems(deps, caller, ids)), {
      ...documented('Trash', {
        id: 'restoreFromTrash',
        summary: 'Restore files and folders',
        description:
          'Each returns to its folder with its id, visibility and times, and links to it open again. A folder that is gone ' +
          'is created at its key. When the name is taken, the item becomes `name (2)`. Each id is handled on its own.',
        returns: 'The restored items with their keys, and the others with reasons.',
        refusals: { 404: [NOT_THERE] },
      }),
      access: WRITE,
      ...takes(RestoreBody),
      response: { 200: RestoredAnswer },
    })
    .delete(
      '/',
      async ({ caller, body: { ids, all = false } }) => {
        if ((ids !== undefined) === all) throw refuseInvalid('Either "ids" or "all": true is required')
        return success(ids ? await purgeItems(deps, caller, ids) : await emptyTrash(deps, caller))
      },
      {
        ...documented('Trash', {
          id: 'emptyTrash',
          summary: 'Remove items of the trash for good',
          description: 'The items in `ids`, or with `all` every one. Cannot be undone.',
          body: { ids: [FILE.id, OTHER_ID] },
          returns: 'Number of removed items, and the others with reasons.',
          refusals: { 400: ['Either "ids" or "all": true is required'], 404: [NOT_THERE] },
        }),
        access: DELETE,
        ...takes(PurgeBody),
        response: { 200: PurgedAnswer },
      },
    )
}

/** Creates the module of deleted files and folders that can be restored. */
export const createTrash = (context: Context) => ({
  routes: trashRoutes(context),
  jobs: [
    alsoAtStart('11 * * * *', 'Removing old items of the trash', () => purgeExpired(context)),
    onEachServer('* * * * *', 'Making room on the disk', () => makeRoom(context)),
  ],
})

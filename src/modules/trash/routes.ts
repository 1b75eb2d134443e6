import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { auth, DELETE, READ, WRITE } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { success } from '../../api/schema.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import * as docs from './docs.ts'
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

/** Builds `/api/trash`: move there, list, restore, remove for good. */
export function trashRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/trash' })
    .use(auth(deps))
    .get('/', async ({ query }) => success(await listTrash(deps, query)), {
      ...docs.listTrash,
      access: READ,
      query: TrashQuery,
      response: { 200: TrashAnswer },
    })
    .post('/', async ({ caller, body }) => success(await putInTrash(deps, caller, body)), {
      ...docs.putInTrash,
      access: DELETE,
      ...takes(PutBody),
      response: { 200: PutAnswer },
    })
    .post('/restore', async ({ caller, body: { ids } }) => success(await restoreItems(deps, caller, ids)), {
      ...docs.restoreFromTrash,
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
      { ...docs.emptyTrash, access: DELETE, ...takes(PurgeBody), response: { 200: PurgedAnswer } },
    )
}

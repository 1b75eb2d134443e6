import { Elysia } from 'elysia'
import { assertScope } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { type Access, auth } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { success } from '../../api/schema.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import * as docs from './docs.ts'
import {
  activityView,
  DeleteBody,
  DeletedAnswer,
  HistoryAnswer,
  HistoryQuery,
  securityView,
} from './model.ts'
import { listSecurityEvents, readLimit } from './security.ts'
import { clearActivity, deleteActivities, listActivities } from './service.ts'

const OWN: Access = { by: 'session' }

/** Builds `/api/activity`: the caller's own history, and for admins the security log of the instance. */
export function activityRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/activity' })
    .use(auth(deps))
    .get(
      '/',
      async ({ caller, query: { before, types, security, user, limit } }) => {
        const part = { before, types: types?.split(',') }
        if (security !== '1')
          return success({
            activities: (await listActivities(deps, caller.user.id, part)).map(activityView),
          })
        assertScope(caller, 'users:manage')
        const found = await listSecurityEvents(deps, { ...part, userId: user, limit: readLimit(limit) })
        return success({ activities: found.map(securityView) })
      },
      { ...docs.listActivity, access: OWN, query: HistoryQuery, response: { 200: HistoryAnswer } },
    )
    .delete(
      '/',
      async ({ caller, body: { ids, all = false } }) => {
        if ((ids !== undefined) === all) throw refuseInvalid('Either "ids" or "all": true is required')
        const deleted = ids
          ? await deleteActivities(deps, caller.user.id, ids)
          : await clearActivity(deps, caller.user.id)
        return success({ deleted })
      },
      { ...docs.deleteActivity, access: OWN, ...takes(DeleteBody), response: { 200: DeletedAnswer } },
    )
}

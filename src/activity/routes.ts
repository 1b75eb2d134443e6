import { Elysia } from 'elysia'
import { type Access, auth } from '../auth/plugin.ts'
import { takes } from '../body.ts'
import type { Deps } from '../deps.ts'
import { success } from '../envelope.ts'
import { refuseInvalid } from '../errors.ts'
import { ActivitiesAnswer, activityView, DeleteBody, DeletedAnswer, HistoryQuery } from './model.ts'
import { clearActivity, deleteActivities, listActivities } from './service.ts'

const OWN: Access = { by: 'session' }

/** `/api/activity`: the caller's own history. */
export function activityRoutes(deps: Deps) {
  return new Elysia({ prefix: '/api/activity' })
    .use(auth(deps))
    .get(
      '/',
      ({ caller, query: { before, types } }) => {
        const part = { before, types: types?.split(',') }
        return success({ activities: listActivities(deps, caller.user.id, part).map(activityView) })
      },
      {
        access: OWN,
        query: HistoryQuery,
        response: { 200: ActivitiesAnswer },
      },
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
      { access: OWN, ...takes(DeleteBody), response: { 200: DeletedAnswer } },
    )
}
